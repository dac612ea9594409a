// SPDX-License-Identifier: Apache-2.0
// Layouts for other trainers and back: what both can say comes back as it was, what a trainer cannot do is refused at
// its field, and files that people wrote are read.
#include "engine/trace/trainers/trainer_target.h"

#include "engine/layout/check/check.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/custom.h"
#include "engine/trace/trainers/program_options.h"
#include "engine/trace/trainers/shell_words.h"
#include "engine/trace/trainers/stage_string.h"
#include "tests/support/megatron_draws.h"
#include "tests/support/megatron_log.h"
#include "tests/support/megatron_options.h"
#include "tests/support/seed.h"
#include "tests/support/titan_draws.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace shardlab;
using namespace shardlab::test;

namespace {

constexpr int mostDraws = 60;

Layout forDeepSpeed(TrainerDraw& draw) {
    Layout l = draw.layout();
    ParallelSpec& p = l.parallel;
    if (p.pipeline > 1) p.tensor = 1;
    p.context = p.pipeline * p.tensor > 1 ? 1 : p.context, p.contextKind = ContextKind::Ulysses;
    p.zero = p.data * p.context > 1 ? draw.among(0, p.pipeline > 1 ? 1 : p.tensor > 1 ? 2 : 3) : 0;
    if (p.zero == 1) p.bucket = draw.coin(3) ? 0 : draw.among(1, 300);
    l.name = "layout.deepspeed";  // the file's
    l.run.seed = 1;
    l.model = ModelSpec{};  // the JSON says nothing of a model
    l.schedule = {};
    p.pipeline = p.pipeline == 3 ? 2 : p.pipeline;
    l.batch.global = p.data * l.batch.micro * draw.among(1, 8);
    l.cluster.hosts = evenHosts(1, rankCount(l));
    PrecisionSpec& f = l.precision;
    f.compute = draw.pick({NumberFormat::Fp32, NumberFormat::Bf16, NumberFormat::Fp16});
    if (f.compute != NumberFormat::Fp32 && draw.coin(3)) f.weights = WeightStorage::Fp32;
    else if (f.compute != NumberFormat::Fp32 && draw.coin()) f.gradients = GradientFormat::Fp32;
    if (f.compute == NumberFormat::Fp16 && f.weights == WeightStorage::Master) {
        f.lossScale = draw.pick({LossScaling::Static, LossScaling::Dynamic});
        f.scale = f.lossScale == LossScaling::Static ? draw.number(1, 70'000) : std::exp2(draw.among(0, 24));
        if (f.lossScale == LossScaling::Dynamic) f.scaleWindow = draw.among(1, 5000);
    }
    OptimizerSpec& o = l.optimizer;
    if (o.schedule == RateSchedule::Constant) l.run.steps = RunSpec{}.steps;
    if (o.schedule == RateSchedule::Constant && draw.coin(3)) o.warmup = 0;
    if (o.schedule == RateSchedule::Linear) o.minimum = 0;
    if (draw.coin(4)) {
        o.kind = OptimizerKind::Sgd;
        o.momentum = draw.coin() ? draw.number(0, 0.99) : 0;
        if (o.momentum > 0) o.weightDecay = 0;
    }
    MemorySpec& m = l.memory;
    m.recompute = draw.pick({RecomputeKind::None, RecomputeKind::Full, RecomputeKind::Every});
    if (m.recompute == RecomputeKind::Every) m.recomputeEvery = draw.among(2, 5);
    m.partitionActivations = m.recompute != RecomputeKind::None && p.tensor > 1 && draw.coin();
    if (p.zero > 0 && draw.coin())
        m.offload = p.zero == 3 && draw.coin() ? OffloadKind::Parameters : OffloadKind::Optimizer;
    return l;
}

}  // namespace

class TrainerExportTest : public QObject {
    Q_OBJECT
private:
    std::filesystem::path place(const std::string& name) const {
        return folder_.filePath(QString::fromStdString(name)).toStdString();
    }
    Result<ConfigLayout> back(const std::string& name, std::string_view text) const {
        std::ofstream(place(name)) << text;
        return layoutFromFile(place(name));
    }
    static std::vector<Fault> refusals(const Layout& layout, std::string_view target) {
        const auto exported = exportLayout(layout, *findTrainerTarget(target));
        return exported ? std::vector<Fault>{} : exported.error();
    }

    QTemporaryDir folder_;

private Q_SLOTS:
    void whatBothCanSayComesBack_data() {
        QTest::addColumn<QString>("target");
        for (const char* name : {"megatron", "torchtitan", "deepspeed"}) QTest::newRow(name) << name;
    }
    void whatBothCanSayComesBack() {
        QFETCH(QString, target);
        TrainerDraw draw(freshSeed());
        const TrainerTarget& trainer = *findTrainerTarget(target.toStdString());
        int legal = 0;
        for (int i = 0; i < 10 * mostDraws && legal < mostDraws; ++i) {
            const Layout drawn = target == "megatron"     ? forMegatron(draw)
                                 : target == "torchtitan" ? forTorchtitan(draw)
                                                          : forDeepSpeed(draw);
            if (!suitsTrainers(drawn, trainer.name)) continue;
            ++legal;
            const bool script = target == "megatron" && i % 2 == 0;
            const auto exported = exportLayout(drawn, trainer, {"layout", script});
            QVERIFY2(exported,
                     exported ? "" : qPrintable(QString::fromStdString(toText(exported.error()) + writeLayout(drawn))));
            for (const CompanionFile& each : exported->companions) std::ofstream(place(each.name)) << each.text;
            const auto read = back("layout" + std::string(trainer.extension), exported->text);
            QVERIFY2(read, read ? "" : qPrintable(QString::fromStdString(read.error().text() + "\n" + exported->text)));
            const QString other = saysOtherwise(drawn, read->layout);
            QVERIFY2(other.isEmpty(), qPrintable(other + "\n" + QString::fromStdString(exported->text)));
        }
        QVERIFY2(legal >= mostDraws / 2, qPrintable(QString("only %1 of the draws are legal layouts").arg(legal)));
    }

    /// The arguments that a training has printed are those that it was started with.
    void aLogTellsItsLayout() {
        TrainerDraw draw(freshSeed());
        const TrainerTarget& megatron = *findTrainerTarget("megatron");
        int legal = 0;
        for (int i = 0; i < 10 * mostDraws && legal < mostDraws; ++i) {
            Layout drawn = forMegatron(draw);
            drawn.run.maxRestarts = RunSpec{}.maxRestarts;  // that is torchrun's
            const int ranks = rankCount(drawn);             // and a log does not tell of nodes
            drawn.cluster.hosts = ranks % 8 == 0 ? evenHosts(ranks / 8, 8) : evenHosts(1, ranks);
            if (!suitsTrainers(drawn, "megatron")) continue;
            ++legal;
            const auto exported = exportLayout(drawn, megatron);
            QVERIFY(exported);
            const std::string log = megatronLog(exported->text, rankCount(drawn));
            const auto read = back("train.log", log);
            QVERIFY2(read, read ? "" : qPrintable(QString::fromStdString(read.error().text() + "\n" + log)));
            const QString other = saysOtherwise(drawn, read->layout);
            QVERIFY2(other.isEmpty(), qPrintable(other + "\n" + QString::fromStdString(log)));
        }
        QVERIFY(legal >= mostDraws / 2);
    }

    /// Names that the program has had, and a log whose beginning alone is read.
    void olderLogsAreRead() {
        std::string log = "setting number of micro-batches\n-------------------- arguments --------------------\n";
        for (const auto& [name, value] :
             std::initializer_list<std::pair<std::string, std::string>>{{"checkpoint_activations", "True"},
                                                                        {"data_parallel_size", "2"},
                                                                        {"deepspeed", "True"},
                                                                        {"fp16", "True"},
                                                                        {"global_batch_size", "16"},
                                                                        {"hidden_size", "64"},
                                                                        {"lr", "0.001"},
                                                                        {"micro_batch_size", "2"},
                                                                        {"num_attention_heads", "4"},
                                                                        {"num_layers", "4"},
                                                                        {"pipeline_model_parallel_size", "2"},
                                                                        {"seq_length", "32"},
                                                                        {"tensor_model_parallel_size", "4"},
                                                                        {"train_samples", "1600"},
                                                                        {"world_size", "16"},
                                                                        {"zero_stage", "1"}})
            log += fmt::format("[default0]:  {} {} {}\n", name, std::string(48 - name.size(), '.'), value);
        log += "---------------- end of arguments ----------------\n"
               " > padded vocab (size: 250680) with 200 dummy tokens (new size: 250880)\n";
        log.resize(std::size_t{20} << 20, '\n');
        const auto read = back("train.log", log);
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        const Layout& layout = read->layout;
        QCOMPARE(rankCount(layout), 16);
        QCOMPARE(layout.cluster.hosts.size(), std::size_t{2});
        QCOMPARE(layout.parallel.zero, 1);
        QCOMPARE(layout.memory.recompute, RecomputeKind::Full);
        QCOMPARE(layout.model.vocabulary, 250880);
        QCOMPARE(layout.run.steps, 100);
    }

    /// A field that a target does not know has an effect: it is refused or named as left out, never passed over.
    void noFieldIsPassedOver_data() { whatBothCanSayComesBack_data(); }
    void noFieldIsPassedOver() {
        QFETCH(QString, target);
        const TrainerTarget& trainer = *findTrainerTarget(target.toStdString());
        Layout layout;
        layout.optimizer.lossWeight = 2;
        std::vector<Fault> faults = refusals(layout, trainer.name);
        QVERIFY(
            std::ranges::any_of(faults, [](const Fault& each) { return each.pointer == "/optimizer/loss_weight"; }));
        layout = {};
        layout.run.deadline = 77;
        if (target == "torchtitan") layout.model.kind = ModelKind::Llama;
        const auto exported = exportLayout(layout, trainer);
        QVERIFY(exported);
        const auto tells = [](const Sentence& line) {
            return line.english().find("deadline") != std::string::npos ||
                   line.english().find("the section run says more (Deadline), ") != std::string::npos;
        };
        QVERIFY(std::ranges::any_of(exported->leftOut, tells));
    }

    /// A run that ends within its warm-up, as one that is only planned has, never sees the rate decay.
    void aRunMayEndWithinItsWarmUp() {
        Layout layout;
        layout.run.steps = 20;
        layout.optimizer.warmup = 20;
        const auto exported = exportLayout(layout, *findTrainerTarget("megatron"));
        QVERIFY(exported && exported->text.find("--train-iters 20\n") != std::string::npos &&
                exported->text.find("--lr-decay-iters 21\n") != std::string::npos);
    }

    /// FSDP gathers the codes of products with one scale a tensor: torchtitan takes the keys without a recipe alone.
    void torchtitanGathersCodes() {
        Layout layout;
        layout.model = {.kind = ModelKind::Llama, .layers = 4, .hidden = 256, .heads = 8, .sequence = 512};
        layout.model.vocabulary = 1024;
        layout.parallel.data = 4;
        layout.parallel.pipeline = 1;
        layout.precision.compute = NumberFormat::Bf16;
        layout.precision.gradients = GradientFormat::Fp32;
        layout.cluster.pace = PaceSpec{"h100-sxm", 1, "torchtitan"};
        const auto keys = [&](ProductFormat format, bool shards) {
            layout.precision.products = format;
            layout.parallel.zero = shards ? 3 : 0;
            layout.precision.weights = shards ? WeightStorage::Master : WeightStorage::Fp32;
            const auto exported = exportLayout(layout, *findTrainerTarget("torchtitan"));
            if (!exported) return QString("refused");
            const auto has = [&](const char* line) { return exported->text.find(line) != std::string::npos; };
            const auto read = back("codes.toml", exported->text);
            if (!read || read->layout.precision.products != format) return QString("another format");
            for (const Sentence& line : read->leftOut)
                if (line.english().find("float8") != std::string::npos) return QString::fromStdString(line.english());
            return QString(has("enable_fsdp_float8_all_gather = true") ? "codes" : "") +
                   (has("recipe_name = ") ? "recipe" : "");
        };
        QCOMPARE(keys(ProductFormat::Fp8, true), QString("codes"));
        QCOMPARE(keys(ProductFormat::Fp8, false), QString("recipe"));
        QCOMPARE(keys(ProductFormat::Fp8Rows, true), QString("recipe"));
    }

    /// All that is drawn for torchtitan 0.3 is written: a module that Python can import, with what 0.2 calls otherwise.
    void torchtitan03IsTold() {
        TrainerDraw draw(freshSeed());
        const TrainerTarget& target = *findTrainerTarget("torchtitan-0.3");
        QCOMPARE(exportedFileName(target, "2 my-layout v1.5", false), std::string("_2_my_layout_v1_5_torchtitan.py"));
        for (int i = 0; i < mostDraws; ++i) {
            const Layout drawn = forTorchtitan03(draw);
            if (!suitsTrainers(drawn)) continue;
            const auto exported = exportLayout(drawn, target, {"mine_torchtitan"});
            QVERIFY2(exported, exported ? "" : qPrintable(QString::fromStdString(toText(exported.error()))));
            const auto has = [&](const char* words) { return exported->text.find(words) != std::string::npos; };
            QVERIFY(has("--module mine_torchtitan --config shardlab\n") && has("\ndef shardlab():\n"));
            QCOMPARE(has("\"lm_head\"]"), drawn.parallel.pipeline > 1);
            QCOMPARE(has("mine_torchtitan.schedule.csv"), exported->companions.size() == 1);
            for (const char* older : {"\"output\"", "beta1", "rotate_method", "expert_tensor", "selective_ac", "ap = "})
                QVERIFY2(!has(older), older);
        }
    }

    /// The gpt_oss of torchtitan has blocks in bf16, and all else in the format that training.dtype says.
    void torchtitanSaysWhatStaysInFp32() {
        Layout layout = findPreset("gpt-oss-20b")->layout;
        layout.model.experts.balance = 0;
        layout.parallel = {};
        layout.parallel.pipeline = 1;
        layout.precision = {};
        layout.precision.compute = NumberFormat::Bf16;
        layout.precision.weights = WeightStorage::Alone;
        const auto exported = exportLayout(layout, *findTrainerTarget("torchtitan"));
        QVERIFY2(exported, exported ? "" : exported.error().front().what.english().c_str());
        const std::string line = "its embedding, last norm and output in fp32.\nmixed_precision_param = \"bfloat16\"";
        QVERIFY2(exported->text.find(line) != std::string::npos, exported->text.c_str());
        layout.model = {.kind = ModelKind::Llama, .layers = 4, .hidden = 256, .heads = 8, .sequence = 512};
        layout.model.vocabulary = 1024;
        layout.precision.weights = WeightStorage::Fp32;
        const auto other = exportLayout(layout, *findTrainerTarget("torchtitan"));
        QVERIFY2(other, other ? "" : other.error().front().what.english().c_str());
        QVERIFY(other->text.find("in fp32.") == std::string::npos);
    }

    void allRefusalsComeAtOnce() {
        Layout layout;
        layout.schedule.kind = "zb-h1";
        layout.optimizer.kind = OptimizerKind::Sm3;
        layout.memory.recompute = RecomputeKind::Sqrt;
        layout.parallel.allReduce = AllReduceKind::Ring;
        layout.run.seed = -3;
        const std::vector<Fault> faults = refusals(layout, "megatron");
        for (const char* pointer :
             {"/schedule/kind", "/optimizer/kind", "/memory/recompute", "/parallel/all_reduce", "/run/seed"})
            QVERIFY2(std::ranges::any_of(faults, [&](const Fault& each) { return each.pointer == pointer; }), pointer);
        for (const Fault& each : faults) QVERIFY(!each.what.empty() && !each.why.empty() && !each.legal.empty());
    }

    /// What is written has only names that Megatron-LM's parser knows, each with as many values as it takes.
    void megatronKnowsEveryOption() {
        TrainerDraw draw(freshSeed());
        for (int i = 0; i < 3 * mostDraws; ++i) {
            const Layout drawn = forMegatron(draw);
            if (!suitsTrainers(drawn, "megatron")) continue;
            const auto exported = exportLayout(drawn, *findTrainerTarget("megatron"));
            QVERIFY2(exported, exported ? "" : toText(exported.error()).c_str());
            for (const std::vector<std::string>& command : shellCommands(exported->text))
                for (std::size_t at = 0; at < command.size(); ++at) {
                    const std::string& word = command[at];
                    if (!word.starts_with("--") || isLauncherOption(word)) continue;
                    const MegatronOption* known = findMegatronOption(word);
                    QVERIFY2(known != nullptr, word.c_str());
                    const bool takes = at + 1 < command.size() && !command[at + 1].starts_with("--");
                    QVERIFY2(takes == (known->values != 0), word.c_str());
                }
        }
    }

    /// bash finds the same arguments in what is written, and reads it without a complaint.
    void bashReadsWhatIsWritten() {
        TrainerDraw draw(freshSeed());
        for (int i = 0, read = 0; read < 10 && i < 100; ++i) {
            const Layout drawn = forMegatron(draw);
            if (!suitsTrainers(drawn, "megatron")) continue;
            ++read;
            const auto exported = exportLayout(drawn, *findTrainerTarget("megatron"));
            QVERIFY2(exported, exported ? "" : toText(exported.error()).c_str());
            std::ofstream(place("args.sh")) << exported->text;
            QProcess bash;
            bash.start("bash", {"-euc", "source \"$0\"; printf '%s\\0' \"${MEGATRON_ARGS[@]}\"",
                                QString::fromStdString(place("args.sh").string())});
            QVERIFY(bash.waitForFinished(patience));
            QCOMPARE(bash.readAllStandardError(), QByteArray());
            QByteArray ours;
            for (const std::vector<std::string>& command : shellCommands(exported->text))
                if (command.front() == "--num-layers")
                    for (const std::string& word : command) ours += QByteArray::fromStdString(word) + '\0';
            QCOMPARE(bash.readAllStandardOutput(), ours);
        }
    }

    void stagesAsMegatronWritesThem() {
        QCOMPARE(stageString({3, 1, 0}), std::string("Et*3|t|L"));
        const std::pair<const char*, std::vector<int>> known[] = {{"Et*3|(tt|)*3,m|L", {3, 2, 2, 1, 1, 0}},
                                                                  {"Et*3|(tt|)*3,t|L", {3, 2, 2, 2, 1, 0}},
                                                                  {"E|(t|)*3,t,t|L", {0, 1, 1, 1, 2, 0}},
                                                                  {"EtL", {1}},
                                                                  {"Et*3|t|tmmL", {3, 1, 1}},
                                                                  {"E|tm|tL", {0, 1, 1}},
                                                                  {"t|L", {}},
                                                                  {"E(t|L", {}},
                                                                  {"Et*|L", {}},
                                                                  {"Et*99999999|L", {}}};
        for (const auto& [text, layers] : known) QCOMPARE(readStageString(text).value_or(StageLayers{}).layers, layers);
        QVERIFY(readStageString("Et|m|L")->modulesBefore);
        for (const char* text : {"Et|t|mL", "EtmL", "Et|tL"}) QVERIFY(!readStageString(text)->modulesBefore);
        TrainerDraw draw(freshSeed());
        for (int i = 0; i < 100; ++i) {
            std::vector<int> layers(static_cast<std::size_t>(draw.among(1, 20)));
            for (int& each : layers) each = draw.among(0, 12);
            QCOMPARE(readStageString(stageString(layers, draw.among(0, 2)))->layers, layers);
        }
    }

    void wordsOfAShell() {
        const auto commands =
            shellCommands("A=3; B=$((A * 4))  # no\nARGS=(\n  --x $A  # why\n  --y \"${B}\"'q r'\n)\nrun \\\n --z "
                          "${C:-9} $D \"${ARGS[@]}\"\nE=\"--e 1 --f\"\ngo $E");
        const std::vector<std::vector<std::string>> expected{{"--x", "3", "--y", "12q r"},
                                                             {"run", "--z", "9", "$D", ""},
                                                             {"--e", "1", "--f"},
                                                             {"go", "--e", "1", "--f"}};
        QCOMPARE(commands, expected);
        TrainerDraw draw(freshSeed());
        for (int i = 0; i < 300; ++i) {
            std::string word;
            for (int length = draw.among(1, 12); length > 0; --length) word += static_cast<char>(draw.among(32, 126));
            QCOMPARE(shellCommands("x " + shellQuoted(word)), (std::vector<std::vector<std::string>>{{"x", word}}));
        }
    }

    /// As the examples of Megatron-LM are written.
    void scriptsThatPeopleWrite() {
        const auto read = back("train.sh", R"(#!/bin/bash
#SBATCH --nodes=2
GPUS_PER_NODE=8
NUM_NODES=2
TP=2
DISTRIBUTED_ARGS="--nproc_per_node $GPUS_PER_NODE --nnodes ${NUM_NODES} --master_addr $MASTER_ADDR"
GPT_MODEL_ARGS=(
    --num-layers 96
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length 2048
    --max-position-embeddings 2048
)
TRAINING="--micro-batch-size 1 --global-batch-size 1536 --train-iters 500000 --weight-decay 0.1 \
    --adam-beta1 0.9 --adam-beta2 0.95 --clip-grad 1.0 --fp16 --lr 6.0e-5 --lr-decay-style cosine --min-lr 6.0e-6 \
    --lr-warmup-fraction .001 --init-method-std 0.006"
torchrun $DISTRIBUTED_ARGS pretrain_gpt.py "${GPT_MODEL_ARGS[@]}" $TRAINING \
    --tensor-model-parallel-size $TP --pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 6 \
    --vocab-size 50257 --tokenizer-type GPT2BPETokenizer --use-distributed-optimizer --recompute-activations
)");
        QVERIFY2(read, read ? "" : qPrintable(QString::fromStdString(read.error().text())));
        const Layout& l = read->layout;
        QCOMPARE(l.model.layers, 96);
        QCOMPARE(l.model.hidden, 12288);
        QCOMPARE(l.model.vocabulary, 50257);
        QCOMPARE(l.model.dropout, 0.1);
        QCOMPARE(l.parallel.data, 2);
        QCOMPARE(l.parallel.tensor, 2);
        QCOMPARE(l.parallel.pipeline, 4);
        QCOMPARE(l.parallel.zero, 1);
        QCOMPARE(l.schedule.kind, std::string("interleaved-1f1b"));
        QCOMPARE(l.schedule.chunks, 4);
        QCOMPARE(l.cluster.hosts.size(), std::size_t{2});
        QCOMPARE(l.optimizer.warmup, 500);
        QCOMPARE(l.precision.lossScale, LossScaling::Dynamic);
        QCOMPARE(l.memory.recompute, RecomputeKind::Selective);
        const auto told = [&](const char* what) {
            return std::ranges::any_of(
                read->leftOut, [&](const Sentence& line) { return line.english().find(what) != std::string::npos; });
        };
        QVERIFY(told("--init-method-std"));
        QVERIFY(told("pads the vocabulary"));
    }

    void othersFilesAreRecognised() {
        const auto titan =
            back("llama3_8b.toml",
                 "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\nseq_len "
                 "= 8192\nsteps = 1000\n[parallelism]\ndata_parallel_shard_degree = 8\n[metrics]\nlog_freq = 10\n");
        QVERIFY(titan);
        QCOMPARE(titan->layout.model.hidden, 4096);
        QCOMPARE(feedForwardWidth(titan->layout.model, 0), 14336);
        QCOMPARE(titan->layout.parallel.zero, 3);
        QVERIFY(std::ranges::find(titan->leftOut, "metrics.log_freq is left out") != titan->leftOut.end());
        const auto experts =
            back("deepseek_v3.toml", "[model]\nname = \"deepseek_v3\"\nflavor = \"671B\"\n[training]\nseq_len = 4096\n"
                                     "[parallelism]\ndata_parallel_shard_degree = 16\ntensor_parallel_degree = 2\n"
                                     "expert_parallel_degree = 32\n");
        QVERIFY(experts);
        QCOMPARE(experts->layout.model.experts.count, 256);
        QCOMPARE(experts->layout.parallel.expert, 32);
        QCOMPARE(experts->layout.parallel.expertTensor, 1);
        const auto tells = [](const ConfigLayout& read, const char* what) {
            return std::ranges::any_of(
                read.leftOut, [&](const Sentence& line) { return line.english().find(what) != std::string::npos; });
        };
        QVERIFY(tells(*experts, "within its document alone"));
        const auto llama4 = back("llama4.toml", "[model]\nname = \"llama4\"\nflavor = \"17bx128e\"\n[training]\n"
                                                "seq_len = 128\n[parallelism]\nexpert_parallel_degree = 1\n");
        QVERIFY(llama4);
        QCOMPARE(feedForwardWidth(llama4->layout.model, 0), 16384);
        QCOMPARE(feedForwardWidth(llama4->layout.model, 1), 8192);
        QVERIFY(!hasExperts(llama4->layout.model, 0) && hasExperts(llama4->layout.model, 1));
        QVERIFY(tells(*llama4, "score_before_experts") && tells(*llama4, "weighted by a sigmoid"));
        const auto speed = back("ds.json", R"({"train_batch_size": 64, "gradient_accumulation_steps": 4,
            "train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2, "contiguous_gradients": true}, "bf16": {"enabled": true}})");
        QVERIFY(speed);
        QCOMPARE(speed->layout.parallel.data, 8);
        QCOMPARE(speed->layout.parallel.zero, 2);
        QVERIFY(std::ranges::find(speed->leftOut, "zero_optimization.contiguous_gradients is left out") !=
                speed->leftOut.end());
        QVERIFY(!back("what.txt", "nothing of the kind"));
        QVERIFY(!back("what.json", "[1, 2"));
        QVERIFY(!layoutFromFile(place("missing")));
    }
};

QTEST_GUILESS_MAIN(TrainerExportTest)
#include "trainer_export_test.moc"
