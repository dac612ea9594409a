// SPDX-License-Identifier: GPL-3.0-or-later
// What an import, an export or a comparison says that it did not carry over, in the Chinese desktop: no English word
// but names, fields and units.
#include "tests/ui/foreign_words.h"

#include "engine/base/file.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/text.h"
#include "engine/trace/analysis/run_comparison.h"
#include "engine/trace/interchange/import.h"
#include "engine/trace/trainers/trainer_target.h"
#include "ui/window/language.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

using namespace shardlab::test;

namespace {

/// Names of programs, of their classes and of what they write, which the notes keep.
QSet<QString> knownNames() {
    QSet<QString> known = knownWords({});
    for (const char* word : {"Megatron", "LM", "core", "NeMo", "torchtitan", "DeepSpeed", "OVERLAP", "UNSHARD",
                             "bfloat", "scheduler", "SEND", "RECV", "WAIT", "lion", "Bloom", "Mpt"})
        known += QString::fromLatin1(word).toLower();
    return known;
}

Event span(EventKind kind, int rank, int step, ActionId action = 0) {
    Event event;
    event.kind = kind;
    event.lane = kind == EventKind::Step ? Lane::Host : Lane::Compute;
    event.rank = static_cast<std::int16_t>(rank);
    event.step = step;
    event.begin = std::int64_t{1'000'000} * step;
    event.end = event.begin + 1'000'000;
    event.action = action;
    return event;
}

}  // namespace

class ImportSentencesTest : public QObject {
    Q_OBJECT

    const QTemporaryDir folder_;
    const QSet<QString> known_ = knownNames();
    QSet<QString> seen_;
    QString foreign_;

    void tell(const std::vector<Sentence>& lines) {
        for (const Sentence& line : lines) {
            foreign_ += wrongWords(line, known_);
            seen_ += told(line);
        }
    }
    /// A layout need not come of the file: the error then lists what is wrong with it.
    void read(const char* name, const std::string& text) {
        const std::filesystem::path file = folder_.filePath(QString::fromLatin1(name)).toStdString();
        QVERIFY(replaceFile(file, text));
        if (const auto made = layoutFromFile(file)) tell(made->leftOut);
        else tell({made.error().why});
    }

private Q_SLOTS:
    void initTestCase() { speak(QStringLiteral("zh_CN")); }
    void init() {
        seen_.clear();
        foreign_.clear();
    }
    void cleanup() { QVERIFY2(foreign_.isEmpty(), qPrintable(foreign_)); }

    void exports() {
        const auto all = presets();
        QVERIFY(all);
        for (const Preset& preset : *all)
            for (const TrainerTarget& target : trainerTargets()) {
                Layout layout = preset.layout;
                layout.run.deadline = 77;
                layout.run.seed = 3;
                const auto made = exportLayout(layout, target);
                if (!made) continue;
                tell(made->leftOut);
                if (target.read != nullptr) read("own", made->text);
            }
        QVERIFY2(seen_.size() > 20, qPrintable(QString::number(seen_.size())));
    }

    void megatron() {
        for (const char* more : {"--max-position-embeddings 128",
                                 "--attention-dropout 0.3",
                                 "--position-embedding-type none",
                                 "--qk-layernorm",
                                 "--window-size none",
                                 "--num-experts 4",
                                 "--num-experts 4 --moe-layer-freq ([0,1]*2) --moe-router-topk 1 --swiglu "
                                 "--moe-router-load-balancing-type none --nproc-per-node 1",
                                 "--cp-comm-type allgather --context-parallel-size 2",
                                 "--num-distributed-optimizer-instances 3 --use-distributed-optimizer "
                                 "--nproc-per-node 4",
                                 "--pipeline-model-parallel-layout none",
                                 "--decoder-first-pipeline-num-layers 1 --num-virtual-stages-per-pipeline-rank 2 "
                                 "--pipeline-model-parallel-size 2",
                                 "--fp16 --hysteresis 2",
                                 "--fp8-format hybrid",
                                 "--bf16 --fp8-format hybrid --fp8-recipe none",
                                 "--bf16 --fp8-format hybrid --fp8-amax-compute-algo most_recent",
                                 "--optimizer lion",
                                 "--lr-decay-style none",
                                 "--lr-decay-iters 7",
                                 "--recompute-granularity selective --recompute-modules layernorm_0",
                                 "--optimizer-cpu-offload --optimizer-offload-fraction 0.5",
                                 "--data-path a b",
                                 "--split none",
                                 "--vocab-file vocab.json",
                                 "--vocab-size 500 --max-position-embeddings 64",
                                 "--tensorboard-dir /tmp/board"})
            read("train.sh", std::string("torchrun pretrain_gpt.py --num-layers 4 --hidden-size 64 "
                                         "--num-attention-heads 4 --seq-length 64 --micro-batch-size 1 "
                                         "--global-batch-size 8 --lr 0.001 ") +
                                 more + "\n");
        QVERIFY2(seen_.size() >= 26, qPrintable(QString::number(seen_.size())));
    }

    void torchtitan() {
        for (const char* more :
             {"[parallelism]\nexpert_parallel_degree = 2\n",
              "[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_schedule = \"none\"\n",
              "[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_schedule_csv = \"none.csv\"\n",
              "[parallelism]\npipeline_parallel_degree = 2\ndata_parallel_shard_degree = 1\n",
              "[metrics]\nlog_freq = 10\n", "[optimizer]\nname = \"lion\"\n",
              "[lr_scheduler]\ndecay_type = \"sqrt_0\"\ndecay_ratio = 0.5\n",
              "[activation_checkpoint]\nmode = \"none_0\"\n",
              "[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = \"999\"\n",
              "[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = \"5\"\n"})
            read("titan.toml",
                 std::string("[training]\ndtype = \"bfloat16\"\nlocal_batch_size = 4\n"
                             "global_batch_size = 16\n[model]\nname = \"llama3\"\nflavor = \"debugmodel_0\"\n"
                             "converters = [\"float8\", \"none\"]\n[quantize.linear.float8]\n"
                             "recipe_name = \"rowwise_0\"\n") +
                     more);
        QVERIFY2(seen_.size() >= 14, qPrintable(QString::number(seen_.size())));
    }

    void deepSpeed() {
        for (const char* more :
             {R"("fp16": {"enabled": true, "initial_scale_power": 30, "hysteresis": 2})",
              R"("optimizer": {"type": "lion"}, "zero_optimization": {"stage": 2, "contiguous_gradients": true})",
              R"("scheduler": {"type": "WarmupLR", "params": {"warmup_min_lr": 0.1, "warmup_type": "log"}})",
              R"("scheduler": {"type": "lion"}, "train_batch_size": 4)",
              R"("zero_optimization": {"stage": 2, "offload_param": {"device": "cpu"}})",
              R"("zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}}, "train_batch_size": 4,
                 "gradient_accumulation_steps": 2)"})
            read("speed.json", std::string(R"({"train_micro_batch_size_per_gpu": 1, )") + more + "}");
        QVERIFY2(seen_.size() >= 11, qPrintable(QString::number(seen_.size())));
    }

    /// Each field of a file differs from what a layout can have.
    void configurations() {
        for (
            const char* more :
            {R"("model_type": "gpt2", "n_positions": 16, "activation_function": "relu", "n_inner": 7, "attn_pdrop": 0.1)",
             R"("model_type": "gpt2", "scale_attn_weights": false, "max_position_embeddings": 65536)",
             R"("model_type": "gpt2", "vocab_size": 100, "qkv_bias": true, "no_such_field": 1)",
             R"("model_type": "bloom")", R"("model_type": "mpt")",
             R"("model_type": "llama", "rope_scaling": {"rope_type": "linear", "factor": 2})",
             R"("model_type": "llama", "rope_scaling": 1, "attention_bias": true, "mlp_bias": false)",
             R"("model_type": "llama", "rope_parameters": {"rope_type": "yarn", "factor": 2, "no_such": 1})",
             R"("model_type": "mistral", "layer_types": ["sliding_attention"])",
             R"("model_type": "gpt_oss", "layer_types": ["linear_attention"], "hidden_act": "gelu")",
             R"("model_type": "gpt_oss", "layer_types": ["full_attention", "sliding_attention"])",
             R"("model_type": "deepseek_v3", "rms_norm_eps": 0.1, "num_nextn_predict_layers": 2)"})
            read("config.json", std::string("{") + more + "}");
        QVERIFY2(seen_.size() >= 16, qPrintable(QString::number(seen_.size())));
    }

    void schedules() {
        const auto imported = importCsv("0UNSHARD,0F0,,0SEND_F0,\"(0F1;0B0)OVERLAP_F_B\",0WAIT_SEND_F0,0B1\r\n");
        QVERIFY2(imported, imported ? "" : imported.error().text().c_str());
        tell(imported->notes);
        QCOMPARE(seen_.size(), 2);
    }

    void comparisons() {
        RunHeader a, b;
        a.layout.parallel.data = a.layout.parallel.pipeline = 1;
        a.layout.model.layers = 4;
        a.layout.cluster.hosts = {{"localhost", 1}};
        b = a;
        a.layout.parallel.data = 2;
        a.layout.cluster.hosts = {{"localhost", 2}};
        b.layout.parallel.pipeline = 2;
        b.layout.cluster.hosts = {{"localhost", 2}};
        a.paced = true;
        RunComparer comparer(a, false, b);
        const auto add = [&](RunComparer::Side side, int rank, int step, std::initializer_list<int> microbatches) {
            std::vector<Event> events{span(EventKind::Step, rank, step)};
            for (const int microbatch : microbatches)
                events.push_back(span(EventKind::Forward, rank, step, actionId({ActionKind::Forward, 0, microbatch})));
            comparer.add(side, events);
        };
        for (const int rank : {0, 1})
            for (const int step : {0, 1, 2}) {
                add(RunComparer::Side::A, rank, step, {0, 1});
                add(RunComparer::Side::B, rank, step + 1, {0, 2, 3, 4, 5});
            }
        const auto comparison = comparer.comparison();
        QVERIFY2(comparison, comparison ? "" : comparison.error().text().c_str());
        tell(comparison->notes);
        QCOMPARE(seen_.size(), 8);
    }

    void summariesOfTraces() {
        ImportReport report;
        report.origin = "PyTorch profiler";
        for (const int ranks : {1, 8}) {
            report.ranks = ranks;
            const QString said = told(report.summary());
            QVERIFY2(foreignWords(QString(said).remove(QStringLiteral("PyTorch profiler")), known_).isEmpty(),
                     qPrintable(said));
        }
    }
};

QTEST_GUILESS_MAIN(ImportSentencesTest)
#include "import_sentences_test.moc"
