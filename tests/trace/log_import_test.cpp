// SPDX-License-Identifier: Apache-2.0
// Logs of programs that train as runs. The lines are as their programs format them: Megatron-LM's and Megatron-Bridge's
// training_log(), torchtitan's MetricsProcessor, NeMo's ProgressPrinter and progress bar, DeepSpeed's PipelineEngine,
// nanotron's trainer, InternEvo, llm.c, nanoGPT and Hugging Face's Trainer.
#include "engine/launch/job/run_header.h"
#include "engine/launch/job/run_summary.h"
#include "engine/trace/interchange/step_object.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/trace/imported.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <random>

using namespace shardlab::test;
using enum shardlab::trace::LogQuantity;

namespace {

std::string megatronLine(int step, double milliseconds, double loss, const std::string& clock = {}, int skipped = 0) {
    return fmt::format(" {}iteration {:8}/{:8} | consumed samples: {:12} | elapsed time per iteration (ms): {:.1f} | "
                       "throughput per GPU (TFLOP/s/GPU): 80.2 | learning rate: 6.976744E-08 | global batch size: "
                       "{:5} | lm loss: {:.6E} | loss scale: 4096.0 | grad norm: 2.203 | number of skipped "
                       "iterations: {:3} | number of nan iterations:   0 |\n",
                       clock.empty() ? "" : "[" + clock + "] ", step, 5000, step * 128, milliseconds, 128, loss,
                       skipped);
}

}  // namespace

class LogImportTest : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> folder_;

    std::filesystem::path path(const std::string& name) const {
        return std::filesystem::path(folder_->path().toStdString()) / name;
    }
    std::filesystem::path written(const std::string& content, const std::string& name = "train.log") const {
        std::ofstream(path(name), std::ios::binary) << content;
        return path(name);
    }
    Imported imported(const std::string& content, const std::optional<Layout>& layout = {}) const {
        ImportRequest request{.files = {written(content)}, .out = path("run.shardlab")};
        if (layout) {
            auto expected = expectedRun(*layout, {});
            if (!expected) return {};
            request.expected = std::move(*expected);
        }
        return importAll(request);
    }

private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void aLineOfEachProgram_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("step");
        QTest::addColumn<double>("seconds");  // 0: not told
        QTest::addColumn<double>("loss");
        QTest::addColumn<double>("norm");
        QTest::addColumn<double>("rate");
        QTest::newRow("Megatron-LM") << QString::fromStdString(megatronLine(7, 812.5, 9.25, "2025-08-01 07:19:37")) << 7
                                     << 0.8125 << 9.25 << 2.203 << 6.976744e-08;
        QTest::newRow("Megatron-DeepSpeed")
            << " iteration        1/     311 | consumed samples:            1 | consumed tokens:         2048 | "
               "elapsed time per iteration (s): 6.02 | learning rate: 1.000E-04 | global batch size:     1 | lm loss: "
               "1.086E+01 | grad norm: 9.1 | samples per second: 0.166 | TFLOPs: 1.98 |"
            << 1 << 6.02 << 10.86 << 9.1 << 1e-4;
        QTest::newRow("torchtitan, coloured")
            << "[rank0]:[titan] 2025-06-01 12:00:15,623 - root - INFO - \x1b[31mstep: 10  \x1b[32mloss:  9.2533  "
               "\x1b[38;2;180;60;0mgrad_norm:  1.2345  \x1b[36mmemory: 25.05GiB(26.62%)  \x1b[34mtps: 7,234  "
               "\x1b[36mtflops: 71.50  \x1b[35mmfu: 7.23%\x1b[39m"
            << 10 << 0.0 << 9.2533 << 1.2345 << 0.0;
        QTest::newRow("NeMo") << "Training epoch 0, iteration 12/99 | lr: 2.5e-06 | global_batch_size: 128 | "
                                 "global_step: 12 | reduced_train_loss: 11.03 | train_step_timing in s: 7.3"
                              << 12 << 7.3 << 11.03 << 0.0 << 2.5e-6;
        QTest::newRow("NeMo, a bar") << "Epoch 0: : 100%|██████████| "
                                        "100/100 [10:48<00:00, v_num=0, "
                                        "reduced_train_loss=0.0172, "
                                        "global_step=99.00, consumed_samples=25600.0, train_step_timing in s=3.130]"
                                     << 99 << 3.13 << 0.0172 << 0.0 << 0.0;
        QTest::newRow("DeepSpeed") << "steps: 20 loss: 8.1234 iter time (s): 1.123 samples/sec: 3.211" << 20 << 1.123
                                   << 8.1234 << 0.0 << 0.0;
        QTest::newRow("nanotron")
            << "[default0]:07/02/2024 23:18:33 [INFO|DP=0|PP=0|TP=0|nid1]: iteration: 3 / 100 | consumed_tokens: "
               "3.15M | elapsed_time_per_iteration_ms: 1.21K | tokens_per_sec: 868K | global_batch_size: 1.02K | "
               "lm_loss: 10.9 | lr: 0.0003 | grad_norm: 1.4"
            << 3 << 1.21 << 10.9 << 1.4 << 3e-4;
        QTest::newRow("InternEvo")
            << "2023-07-07 12:26:58,293\tINFO train.py:323 in record_current_batch_training_metrics -- "
               "tflops=189.3,step=0,loss=11.68,tgs (tokens/gpu/second)=4259.5,lr=4.0e-07,loss_scale=65536.0,"
               "grad_norm=63.67"
            << 0 << 0.0 << 11.68 << 63.67 << 4e-7;
        QTest::newRow("llm.c") << "step    2/18865 | loss 10.955029 (+nanz)| norm 15.3510 (+nanz)| lr 8.57e-07 | "
                                  "3056.36 ms | 42.6% bf16 MFU | 171545 tok/s"
                               << 2 << 3.05636 << 10.955029 << 15.351 << 8.57e-7;
        QTest::newRow("nanoGPT") << "iter 10: loss 3.1456, time 26.31ms, mfu 14.16%" << 10 << 0.02631 << 3.1456 << 0.0
                                 << 0.0;
    }
    void aLineOfEachProgram() {
        QFETCH(QString, line);
        QFETCH(int, step);
        const auto read = readStepLine(line.toStdString());
        QVERIFY(read.has_value());
        QCOMPARE(read->step, step);
        for (const auto& [column, quantity] : {std::pair{"seconds", StepSeconds}, std::pair{"loss", Loss},
                                               std::pair{"norm", GradientNorm}, std::pair{"rate", LearningRate}}) {
            const double expected = *static_cast<const double*>(QTest::qData(column, QMetaType::Double));
            const auto told = (*read)[quantity];
            QVERIFY2(told.has_value() == (expected != 0), column);
            if (told) QVERIFY2(std::abs(*told / expected - 1) < 1e-12, column);
        }
    }

    void otherNumbersKeepTheirNames() {
        const auto titan = readStepLine("step: 10  loss:  9.2  memory: 25.05GiB(26.62%)  tps: 7,234  mfu: 7.23%");
        QVERIFY(titan.has_value());
        QCOMPARE((*titan)[PeakBytes], std::optional(25.05 * 1024 * 1024 * 1024));
        QCOMPARE(titan->others.size(), std::size_t{2});
        QCOMPARE(titan->others[0].name, std::string("tps"));
        QCOMPARE(titan->others[0].value, 7234.0);
        QCOMPARE(titan->others[1].name, std::string("mfu"));
        const auto ours = readStepLine(megatronLine(7, 812.5, 9.25, {}, 2));
        QCOMPARE((*ours)[Skipped], std::optional(2.0));
        QCOMPARE((*ours)[LossScale], std::optional(4096.0));
        QCOMPARE((*ours)[Samples], std::optional(128.0));
        QCOMPARE(ours->others.front().name, std::string("consumed samples"));
    }

    void aValidationIsNoStep() {
        for (const char* line :
             {" validation loss at iteration 100 | lm loss value: 6.310000E+00 | lm loss PPL: 5.500000E+02 | ",
              "[titan] 2025-06-01 12:00:15,623 - root - INFO - validate step: 100  loss:  6.31  memory: 2.05GiB(2%)",
              "step 100: train loss 6.5, val loss 6.31"}) {
            const auto read = readStepLine(line);
            QVERIFY2(read.has_value(), line);
            QCOMPARE(read->step, 100);
            QCOMPARE((*read)[ValidationLoss], std::optional(6.31));
            QVERIFY2(!(*read)[Loss] && !(*read)[StepSeconds], line);
        }
    }

    void otherLinesSayNothing() {
        for (const char* line : {"", "step", "steps = 1000", "--train-iters 100 --lr 0.1", "[training]", "iteration 5",
                                 "loading step 3 of the tokenizer: 5 files", "loss: 3.5", "the first step: see below",
                                 "step: 99999999999999999999 loss: 2", "{\"step\": 5, \"rate\": 3}"})
            QVERIFY2(!readStepLine(line), line);
    }

    /// What a log says of its steps is what the run says.
    void stepsAreThoseOfTheLog() {
        std::string log = "loading\n";
        for (int step = 1; step <= 6; ++step)
            log += megatronLine(step, 1000 + step, 10.0 - step, fmt::format("2025-08-01 07:19:{:02}", 10 + step));
        const Imported run = imported(log);
        QVERIFY(run.run);
        QCOMPARE(run.report.origin, std::string("training log"));
        QCOMPARE(run.report.ranks, 1);
        const auto steps = run.of(EventKind::Step), losses = run.of(EventKind::Loss);
        QCOMPARE(steps.size(), std::size_t{6});
        QCOMPARE(losses.size(), std::size_t{6});
        std::int64_t end = 0;
        for (int i = 0; i < 6; ++i) {
            const auto at = static_cast<std::size_t>(i);
            QCOMPARE(steps[at].step, i + 1);
            QCOMPARE(steps[at].begin, end);
            QCOMPARE(steps[at].end - steps[at].begin, (1001 + i) * std::int64_t{1'000'000});
            end = steps[at].end;
            QCOMPARE(losses[at].value, 9.0 - i);
            QCOMPARE(losses[at].begin, end);
        }
        QCOMPARE(run.named("throughput per GPU (TFLOP/s/GPU)").front().value, 80.2);
        const auto summary = summarize(*run.run);
        QVERIFY(summary.has_value());
        QCOMPARE(summary->stepsDone, 6);
        QVERIFY(std::abs(summary->stepSeconds - 1.0045) < 1e-9);
        QVERIFY(!summary->computes);  // and so nothing of a bubble
    }

    /// A line each ten steps: the mean, at its place; a pause is seen by the times of day.
    void aLineStandsForSteps() {
        const Imported run =
            imported(megatronLine(10, 500, 9, "2025-08-01 07:00:05") + megatronLine(20, 500, 8, "2025-08-01 07:00:10") +
                     " saving checkpoint at iteration 20\n" + megatronLine(30, 500, 7, "2025-08-01 07:01:15"));
        QVERIFY(run.run);
        const auto steps = run.of(EventKind::Step);
        QCOMPARE(steps.size(), std::size_t{3});
        QCOMPARE(steps[1].end - steps[0].end, std::int64_t{5'000'000'000});
        QCOMPARE(steps[2].end - steps[1].end, std::int64_t{65'000'000'000});
        QCOMPARE(steps[2].end - steps[2].begin, std::int64_t{500'000'000});
        QVERIFY(run.report.notes.front().find("up to 10 steps") != std::string::npos);
    }

    void withoutLengthsTheTimesTellThem() {
        const std::string begin = "[titan] 2025-06-01 12:00:", middle = " - root - INFO - step: ";
        const Imported run = imported(begin + "05,000" + middle + "1  loss: 12.0\n" + begin + "06,500" + middle +
                                      "2  loss: 11.0\n" + begin + "12,500" + middle + "5  loss: 10.0\n");
        QVERIFY(run.run);
        const auto steps = run.of(EventKind::Step);
        QCOMPARE(steps.size(), std::size_t{2});
        QCOMPARE(steps[0].end - steps[0].begin, std::int64_t{1'500'000'000});
        QCOMPARE(steps[1].step, 5);
        QCOMPARE(steps[1].end - steps[1].begin, std::int64_t{2'000'000'000});
        QCOMPARE(run.of(EventKind::Loss).size(), std::size_t{3});
    }

    void whatWentWrongIsMarked() {
        std::string broken = megatronLine(3, 500, 7);
        broken.replace(broken.find("lm loss: 7.000000E+00"), 21, "lm loss: nan         ");
        const Imported run =
            imported(megatronLine(1, 500, 9) + megatronLine(2, 500, 8, {}, 1) + broken + megatronLine(2, 500, 8));
        QVERIFY(run.run);
        QCOMPARE(run.named("1 step skipped: a gradient is not finite").front().step, 2);
        QCOMPARE(run.named("loss is nan").front().step, 3);
        QVERIFY(!run.named("the log goes on at step 2, behind 3").empty());
        QCOMPARE(run.of(EventKind::Loss).size(), std::size_t{3});
    }

    /// Ranks print at the same time, so that two stand in a line.
    void memoryIsThatOfItsRank() {
        const Imported run = imported(
            "[Rank 0] (after 1 iterations) memory (MB) | allocated: 9334.5 | max allocated: 10606.25 | reserved: "
            "10998.0 | max reserved: 11000.0[Rank 4] (after 1 iterations) memory (MB) | allocated: 1.0 | max "
            "allocated: 2.0 | reserved: 3.0 | max reserved: 4.0\n\n" +
            megatronLine(1, 500, 9));
        QVERIFY(run.run);
        QCOMPARE(run.report.ranks, 2);
        const auto peaks = run.of(EventKind::MemoryPeak);
        QCOMPARE(peaks.size(), std::size_t{2});
        QCOMPARE(run.of(EventKind::MemoryPeak, 0).front().bytes, std::int64_t(10606.25 * 1024 * 1024));
        QCOMPARE(run.of(EventKind::MemoryPeak, 1).front().bytes, std::int64_t{2} << 20);
        QCOMPARE(run.run->ranks()[1].label, std::string("rank 4"));
        QCOMPARE(run.named("most memory reserved").size(), std::size_t{2});
        QCOMPARE(run.of(EventKind::Step).size(), std::size_t{2});  // a step is the whole job's
    }

    /// Held against a layout a log has all of its ranks, and the rate of tokens that its arguments tell.
    void aLayoutHasItsRanks() {
        Layout layout;
        layout.parallel.data = 2;
        layout.parallel.pipeline = 2;
        const auto arguments = [](int world) {
            return fmt::format("------------------------ arguments ------------------------\n"
                               "  seq_length {} 64\n  world_size {} {}\n"
                               "-------------------- end of arguments ---------------------\n",
                               std::string(38, '.'), std::string(38, '.'), world);
        };
        const std::string steps = megatronLine(1, 500, 9) + megatronLine(2, 500, 8) + megatronLine(3, 500, 7);
        const Imported run = imported(arguments(4) + steps, layout);
        QVERIFY(run.run);
        QCOMPARE(run.report.ranks, 4);
        QVERIFY(run.run->header().hasLayout() && run.run->header().layoutGiven);
        QCOMPARE(run.of(EventKind::Step).size(), std::size_t{12});
        QCOMPARE(run.of(EventKind::TokensPerSecond).front().value, 128 * 64 / 0.5);
        const auto summary = summarize(*run.run);
        QVERIFY(summary && summary->stepsDone == 3 && summary->predictedStepSeconds > 0);

        auto expected = expectedRun(layout, {});
        QVERIFY(expected.has_value());
        const std::string error =
            importError({.files = {written(arguments(8) + steps)}, .out = path("other"), .expected = *expected});
        QVERIFY2(error.find("the program has 8 ranks") != std::string::npos, error.c_str());
        QVERIFY(!std::filesystem::exists(path("other")));
    }

    /// Ranks that print the same without saying which they are do not make a step longer.
    void aStepIsToldOnce() {
        std::string log;
        for (int step = 1; step <= 30'000; ++step)
            for (int rank = 0; rank < 4; ++rank) log += fmt::format("iter {}: loss 2.5, time 10.00ms\n", step);
        const Imported run = imported(log);
        QVERIFY(run.run);
        QCOMPARE(run.of(EventKind::Step).size(), std::size_t{30'000});
        QCOMPARE(run.of(EventKind::Step).back().end, 30'000 * std::int64_t{10'000'000});
        QVERIFY(run.of(EventKind::Mark).empty());
    }

    /// The second of two ranks that print the same is not another step.
    void oneRankTellsTheSteps() {
        std::string log;
        for (int step = 1; step <= 3; ++step)
            for (int rank = 2; rank <= 3; ++rank)
                log += fmt::format("[rank{}]: iter {}: loss {}, time 250.00ms\n", rank, step, 4 - step);
        const Imported run = imported(log);
        QVERIFY(run.run);
        QCOMPARE(run.of(EventKind::Step).size(), std::size_t{3});
        QCOMPARE(run.run->ranks().front().label, std::string("rank 2"));
    }

    /// However long it is, it becomes a run of no more steps than a machine can show, and the last ones are among them.
    void ofManyLinesSomeAreKept() {
        std::string log;
        constexpr int lines = 250'000;
        for (int step = 0; step < lines; ++step) log += fmt::format("iter {}: loss 2.5, time 10.00ms\n", step);
        const Imported run = imported(log);
        QVERIFY(run.run);
        const auto steps = run.of(EventKind::Step);
        QCOMPARE(steps.size(), std::size_t{lines / 2});
        QCOMPARE(steps.back().step, lines - 2);
        QCOMPARE(steps.back().end, (lines - 1) * std::int64_t{10'000'000});
        QVERIFY(run.report.notes.front().find("125000 of 250000 lines") != std::string::npos);
    }

    /// A line that is an object, of JSON or as Python prints it, has its names in the same table.
    void objectsAreSteps() {
        const Imported run =
            imported("{\"step\": 10, \"loss_metrics/global_avg_loss\": 9.5, \"grad_norm\": 1.25, \"mfu(%)\": 7.5, "
                     "\"time_metrics/end_to_end(s)\": 0.5, \"note\": \"a 'b\", \"deep\": {\"loss\": [1, {\"x\": 2}]}}\n"
                     "{\"step\": 20, \"loss_metrics/global_avg_loss\": NaN, \"lr\": 1e-4, "
                     "\"time_metrics/end_to_end(s)\": 0.25}\n"
                     "{'step': 30, 'loss': '8.5', 'learning_rate': 5e-05, 'step_time': 0.25, 'eval': None}\n"
                     "{'step': 30, 'eval_loss': 8.75}\n{\"step\": 40, \"loss\": 8, \"step_time\": 0.2\n");
        QVERIFY(run.run);
        const auto steps = run.of(EventKind::Step);
        QCOMPARE(steps.size(), std::size_t{3});  // the last line does not end
        QCOMPARE(steps[0].end - steps[0].begin, std::int64_t{500'000'000});
        QCOMPARE(steps[2].end, std::int64_t{5'500'000'000});
        QCOMPARE(run.of(EventKind::Loss).size(), std::size_t{2});
        QCOMPARE(run.of(EventKind::Loss).back().value, 8.5);
        QCOMPARE(run.of(EventKind::ValidationLoss).front().value, 8.75);
        QCOMPARE(run.of(EventKind::GradientNorm).front().value, 1.25);
        QCOMPARE(run.of(EventKind::LearningRate).back().value, 5e-5);
        QCOMPARE(run.named("mfu(%)").front().value, 7.5);
        QCOMPARE(run.named("loss is nan").size(), std::size_t{1});
        const std::string untimed =
            importError({.files = {written("{\"step\": 1, \"loss\": 2}\n")}, .out = path("no")});
        QVERIFY2(untimed.find("do not tell how long a step took") != std::string::npos, untimed.c_str());
        const Imported timestamps = imported("{\"_step\": 1, \"train/loss\": 3, \"_timestamp\": 1717243200.5}\n"
                                             "{\"_step\": 5, \"train/loss\": 2, \"_timestamp\": 1717243208.5}\n");
        QVERIFY(timestamps.run);
        QCOMPARE(timestamps.of(EventKind::Step).size(), std::size_t{1});
        QCOMPARE(timestamps.of(EventKind::Step).front().end - timestamps.of(EventKind::Step).front().begin,
                 std::int64_t{2'000'000'000});
    }

    /// Hugging Face's Trainer prints no step; the bar that it draws behind a line does. A validation has a bar too.
    void theProgressBarNamesTheStep() {
        const std::string log =
            "  0%|          | 0/30 [00:00<?, ?it/s]\r 30%|###       | 9/30 [00:17<00:40,  1.9s/it]\r"
            "                    \r{'loss': 2.5, 'grad_norm': 1.5, 'learning_rate': 5e-05, 'epoch': 0.1}\n"
            "\r 33%|###3      | 10/30 [00:20<00:40,  2.0s/it]\r{'eval_loss': 2.25, 'epoch': 0.1}\n"
            " 80%|########  | 4/5 [00:01<00:00,  4.0it/s]\r 33%|###3      | 10/30 [00:24<00:40,  2.0s/it]\r"
            "{'loss': 2.0, 'grad_norm': 1.25, 'learning_rate': 4e-05, 'epoch': 0.2}\n"
            " 67%|######7   | 20/30 [00:54<00:20,  2.0s/it]\r"
            "{'train_runtime': 80.5, 'train_loss': 2.25, 'epoch': 0.3}\n";
        const Imported run = imported(log);
        QVERIFY(run.run);
        const auto steps = run.of(EventKind::Step);
        QCOMPARE(steps.size(), std::size_t{2});
        QCOMPARE(steps[0].step, 10);
        QCOMPARE(steps[0].end - steps[0].begin, std::int64_t{2'000'000'000});
        QCOMPARE(steps[1].step, 20);
        QCOMPARE(steps[1].end - steps[1].begin, std::int64_t{3'400'000'000});
        QCOMPARE(run.of(EventKind::ValidationLoss).front().step, 10);
        QCOMPARE(run.of(EventKind::Loss).back().value, 2.0);
        QCOMPARE(run.named("epoch").size(), std::size_t{3});
        const std::string line = "{'loss': 2.5, 'epoch': 0.1}\n";
        const std::string error = importError({.files = {written(line + line)}, .out = path("other")});
        QVERIFY2(error.find("its lines name no step; trainer_state.json does") != std::string::npos, error.c_str());
    }

    void trainerStateIsALog() {
        const auto state = [](const std::string& history) {
            return "{\n  \"best_metric\": null,\n  \"epoch\": 1.0,\n  \"log_history\": [" + history +
                   "],\n  \"max_steps\": 20\n}\n";
        };
        const std::string steps =
            "\n    {\n      \"epoch\": 0.5,\n      \"grad_norm\": NaN,\n      \"learning_rate\": 5e-05,\n      "
            "\"loss\": 2.5,\n      \"step\": 10\n    },\n    {\"eval_loss\": 2.25, \"step\": 10},\n"
            "    {\"loss\": 2.0, \"step\": 20}";
        const std::string end = ",\n    {\"step\": 20, \"train_loss\": 2.25, \"train_runtime\": 40.0}\n  ";
        const Imported run = imported(state(steps + end));
        QVERIFY(run.run);
        QCOMPARE(run.of(EventKind::Step).size(), std::size_t{2});
        QCOMPARE(run.of(EventKind::Step).front().end - run.of(EventKind::Step).front().begin,
                 std::int64_t{2'000'000'000});
        QCOMPARE(run.of(EventKind::Loss).back().value, 2.0);
        QCOMPARE(run.of(EventKind::ValidationLoss).front().value, 2.25);
        QVERIFY(run.report.notes.front().find("stands for up to 10 steps") != std::string::npos);
        // One that went on from a checkpoint of step 10, and then from one of step 20, with the rate as it is rounded.
        const std::string later = "\n    {\"loss\": 3.0, \"step\": 10}, {\"loss\": 2.5, \"step\": 15}, {\"loss\": 2.0, "
                                  "\"step\": 20},\n    {\"step\": 20, \"train_loss\": 2.25, \"train_runtime\": 300.0, "
                                  "\"train_steps_per_second\": 0.033},\n    {\"loss\": 1.5, \"step\": 30},\n    "
                                  "{\"step\": 30, \"train_runtime\": 40.0, \"train_steps_per_second\": 0.25}";
        const Imported resumed = imported(state(later));
        QVERIFY(resumed.run);
        std::map<int, std::int64_t> lasts;
        for (const Event& event : resumed.of(EventKind::Step)) lasts[event.step] = event.end - event.begin;
        const std::map<int, std::int64_t> wanted{{15, 30'000'000'000}, {20, 30'000'000'000}, {30, 4'000'000'000}};
        QCOMPARE(lasts, wanted);
        QCOMPARE(resumed.of(EventKind::Loss).size(), std::size_t{4});
        const auto refusal = [&](const std::string& content) {
            return importError({.files = {written(content, "trainer_state.json")}, .out = path("other")});
        };
        const std::pair<std::string, const char*> damaged[] = {
            {state(steps), "do not tell how long a step took"},
            {state(""), "tells no step with its loss"},
            {state(steps + end).substr(0, 250), "does not end"},
            {"{\"log_history\": 3}", "log_history is no list"},
        };
        for (const auto& [content, why] : damaged) {
            const std::string error = refusal(content);
            QVERIFY2(error.find(why) != std::string::npos, (error + content).c_str());
        }
        QVERIFY(!std::filesystem::exists(path("other")));
    }

    /// Numbers that none can be are left out, and nothing else of their line is.
    void absurdNumbersAreLeftOut() {
        const auto memory =
            readMemoryLines("[Rank nan] (after 1 iterations) memory (MB) | allocated: 1.0 |"
                            "[Rank 99999] (after 1 iterations) memory (MB) | allocated: 1.0 |"
                            "[Rank 3] (after 1 iterations) memory (MB) | allocated: inf | reserved: 2 |");
        QCOMPARE(memory.size(), std::size_t{1});
        QCOMPARE(memory.front().rank, 3);
        QCOMPARE(memory.front().allocated, std::int64_t{0});
        QCOMPARE(memory.front().reserved, std::int64_t{2} << 20);
        const Imported run = imported("iter 1: loss 3, time 1e300s\niter 2: loss 2, time 5s\niter 3: loss 1, time -4s\n"
                                      "iter 4: loss 1, time nan\n");
        QVERIFY(run.run);
        QCOMPARE(run.of(EventKind::Step).size(), std::size_t{1});
        QCOMPARE(run.of(EventKind::Loss).size(), std::size_t{4});
    }

    void whatIsNoLogIsRefused() {
        QVERIFY(!looksLikeTrainingLog(written("--num-layers 4 --train-iters 100\nstep by step\n")));
        QVERIFY(!looksLikeTrainingLog(written(std::string("step: 1 loss: 2\0", 16) + "\n")));
        QVERIFY(!looksLikeTrainingLog(path("missing")));
        const std::string unknown = importError({.files = {written("nothing\n")}, .out = path("run")});
        QVERIFY2(unknown.find("its format is none that is known") != std::string::npos, unknown.c_str());
        const std::string untimed = importError({.files = {written("step 1: loss 2.5\n")}, .out = path("run")});
        QVERIFY2(untimed.find("do not tell how long a step took") != std::string::npos, untimed.c_str());
        const std::string empty = importError({.files = {written("a\n")}, .out = path("run"), .format = "log"});
        QVERIFY2(empty.find("no line tells a step") != std::string::npos, empty.c_str());
        QVERIFY(!std::filesystem::exists(path("run")));
    }

    /// Whatever numbers a line has come back, in each program's way to write them.
    void numbersComeBack() {
        std::mt19937 random(freshSeed());
        for (int round = 0; round < 50; ++round) {
            const int step = std::uniform_int_distribution(0, 1'000'000)(random);
            const double loss = std::uniform_real_distribution(1e-3, 20.0)(random);
            const double seconds = std::uniform_real_distribution(1e-3, 100.0)(random);
            const double rate = std::pow(10, std::uniform_real_distribution(-9.0, 0.0)(random));
            for (const std::string& line :
                 {fmt::format(
                      "iteration {}/ 9999999 | elapsed time per iteration (s): {:.12f} | learning rate: {:.12E} "
                      "| lm loss: {:.12E} |",
                      step, seconds, rate, loss),
                  fmt::format("step: {:2}  loss: {:.12f}  lr: {}  time: {:.12f}s", step, loss, rate, seconds),
                  fmt::format("x [a, loss={:.12f}, global_step={}.00, lr={}, train_step_timing in s={:.12f}]", loss,
                              step, rate, seconds),
                  fmt::format("step {}/9999999 | loss {:.12f} (+1.2z)| lr {} | {:.12f} ms", step, loss, rate,
                              seconds * 1e3)}) {
                const auto read = readStepLine(line);
                QVERIFY2(read && read->step == step, line.c_str());
                for (const auto& [quantity, expected] :
                     {std::pair{Loss, loss}, std::pair{LearningRate, rate}, std::pair{StepSeconds, seconds}})
                    QVERIFY2((*read)[quantity] && std::abs(*(*read)[quantity] / expected - 1) < 1e-8, line.c_str());
            }
            for (const std::string& line :
                 {fmt::format("{{\"loss\": {}, \"lr\": {}, \"step\": {}, \"step_time\": {}}}", loss, rate, step,
                              seconds),
                  fmt::format("{{'learning_rate': '{}', 'step_time': {}, 'loss': {}, 'iteration': {}}} ", rate, seconds,
                              loss, step)}) {
                const auto read = readStepObject(line);
                QVERIFY2(read && read->numbered && read->line.step == step, line.c_str());
                for (const auto& [quantity, expected] :
                     {std::pair{Loss, loss}, std::pair{LearningRate, rate}, std::pair{StepSeconds, seconds}})
                    QCOMPARE(read->line[quantity].value_or(0), expected);
            }
        }
    }
};

QTEST_GUILESS_MAIN(LogImportTest)
#include "log_import_test.moc"
