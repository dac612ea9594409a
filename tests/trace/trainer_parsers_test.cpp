// SPDX-License-Identifier: Apache-2.0
// What is written for other trainers, judged by their own parsers: torchtitan's ConfigManager and its model (an
// environment has 0.2 or 0.3, and skips the tests of the other),
// DeepSpeed's DeepSpeedConfig, accelerate's launch, Megatron-Core's layout of stages, the configurations of
// Megatron-Bridge and NeMo. Each is skipped where python3, or the Python that SHARDLAB_TORCH_PYTHON names, lacks it.
// The parser of Megatron-LM's other arguments is in no package and judges nothing here.
#include "engine/trace/trainers/trainer_target.h"

#include "engine/layout/model_shape.h"
#include "engine/layout/presets.h"
#include "engine/trace/trainers/stage_string.h"
#include "engine/trace/trainers/torchtitan.h"
#include "engine/layout/check/check.h"
#include "tests/support/megatron_draws.h"
#include "tests/support/places.h"
#include "tests/support/reference_python.h"
#include "tests/support/seed.h"
#include "tests/support/titan_draws.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <map>
#include <set>

using namespace shardlab;
using namespace shardlab::test;

class TrainerParsersTest : public QObject {
    Q_OBJECT
private:
    /// What the trainer's parser understood; empty, and the test fails, where it refuses.
    QJsonObject understood(const QString& target, const QString& file, int number = 1) {
        QProcess python;
        python.start(referencePython(),
                     {SHARDLAB_SOURCE_DIR "/tests/trace/trainer_parsers.py", target, file, QString::number(number)});
        python.waitForFinished(patience);
        const QJsonObject answer = QJsonDocument::fromJson(python.readAllStandardOutput()).object();
        if (answer.isEmpty()) qWarning("%s", python.readAllStandardError().right(3000).constData());
        return answer;
    }
    /// Writes the layout and its companions; the main file's path.
    QString written(const Layout& layout, const char* target, const std::string& stem) {
        return written(layout, target, stem, folder_);
    }
    static QString written(const Layout& layout, const char* target, const std::string& stem,
                           const QTemporaryDir& folder) {
        const TrainerTarget& trainer = *findTrainerTarget(target);
        const std::filesystem::path file = exportedFileName(trainer, stem, false);
        const auto exported = exportLayout(layout, trainer, {file.stem().string()});
        if (!exported) {
            qWarning("%s", toText(exported.error()).c_str());
            return {};
        }
        const auto place = [&](const std::string& name) { return folder.filePath(QString::fromStdString(name)); };
        for (const CompanionFile& each : exported->companions)
            std::ofstream(place(each.name).toStdString()) << each.text;
        std::ofstream(place(file.string()).toStdString()) << exported->text;
        return place(file.string());
    }
    static QJsonArray listOf(const std::vector<int>& numbers) {
        QJsonArray list;
        for (const int number : numbers) list.append(number);
        return list;
    }

    /// What both versions of torchtitan are told of a layout.
    static void compareWithTitan(const Layout& l, const QJsonObject& read, TitanVersion version) {
        const QString family = QString::fromUtf8(traits(titanFamily(l.model, version)).name);
        QCOMPARE(read["family"].toString(), family);
        QCOMPARE(read["parameters"].toInteger(), modelParameters(l.model));
        QCOMPARE(read["data"].toInt(), l.parallel.data);
        QCOMPARE(read["pipeline"].toInt(), l.parallel.pipeline);
        QCOMPARE(read["tensor"].toInt(), l.parallel.tensor);
        QCOMPARE(read["context"].toInt(), l.parallel.context);
        QCOMPARE(read["global"].toInt(), l.batch.global);
        QCOMPARE(read["rate"].toDouble(), l.optimizer.learningRate);
        QCOMPARE(read["seed"].toInteger(), l.run.seed);
        QCOMPARE(read["offload"].toBool(), offloadsParameters(l.memory));
        if (l.parallel.pipeline > 1) QCOMPARE(read["stages"].toArray(), listOf(stageLayers(l)));
        QJsonArray blocks;
        for (int layer = 0; layer < l.model.layers; ++layer) blocks.append(hasExperts(l.model, layer) ? 1 : 0);
        QCOMPARE(read["experts"].toArray(), blocks);
        if (!hasExperts(l.model)) return;
        const MoeSpec& e = l.model.experts;
        const bool sigmoid = isSigmoid(e.gate);
        QCOMPARE(read["router"].toArray(),
                 (QJsonArray{e.count, choicesOf(e), sigmoid ? "sigmoid" : "softmax",
                             sigmoid || e.gate == GateMethod::TopKSoftmax, sigmoid ? e.scale : 1.0,
                             version == TitanVersion::Toml && family == "qwen3" ? read["router"].toArray().last()
                             : sigmoid                                          ? e.biasRate
                                                                                : 0.0}));
        QCOMPARE(read["expert"].toInt(), l.parallel.expert);
    }

    QTemporaryDir folder_;

private Q_SLOTS:
    void torchtitanReadsItsToml() {
        if (const QString why = whyWithout("torchtitan.config.job_config"); !why.isEmpty()) QSKIP(qPrintable(why));
        TrainerDraw draw(freshSeed());
        std::set<QString> families;
        int judged = 0;
        for (int i = 0; i < 400 && (judged < 4 || families.size() < 5); ++i) {
            const Layout l = forTorchtitan(draw);
            const QString family = QString::fromUtf8(traits(titanFamily(l.model)).name);
            if (!suitsTrainers(l) || (judged >= 4 && families.contains(family))) continue;
            ++judged;
            families.insert(family);
            const QString file = written(l, "torchtitan", "draw" + std::to_string(i));
            QVERIFY(!file.isEmpty());
            const QJsonObject read = understood("torchtitan", file, rankCount(l));
            compareWithTitan(l, read, TitanVersion::Toml);
            if (QTest::currentTestFailed()) return;
            const std::vector<std::string> recompute = titanRecompute(l);
            QCOMPARE(read["recompute"].toString().toStdString(), recompute.front());
            if (recompute.size() > 1) QCOMPARE(read["option"].toString().toStdString(), recompute.back());
            if (l.parallel.expert > 1)
                QCOMPARE(read["expert_tensor"].toInt(),
                         l.parallel.expertTensor > 0 ? l.parallel.expertTensor : l.parallel.tensor);
        }
        QCOMPARE(families.size(), std::size_t{5});
    }

    /// Each flavor that torchtitan has is read as a model with as many parameters, and no other is known.
    void torchtitanHasTheFlavors() {
        if (const QString why = whyWithout("torchtitan.config.job_config"); !why.isEmpty()) QSKIP(qPrintable(why));
        for (const char* family : {"llama3", "qwen3", "llama4", "deepseek_v3", "gpt_oss"}) {
            const QJsonObject flavors = understood("torchtitan_flavors", family);
            QVERIFY(!flavors.isEmpty());
            for (auto each = flavors.begin(); each != flavors.end(); ++each) {
                const auto read = titanFlavor(*titanFamilyNamed(family), each.key().toStdString(), 2048);
                QVERIFY2(read, qPrintable(family + (" " + each.key())));
                QVERIFY2(modelParameters(read->model) == each.value().toInteger(),
                         qPrintable(QString("%1 %2: %3").arg(family, each.key()).arg(modelParameters(read->model))));
            }
        }
        QVERIFY(!titanFlavor(TitanFamily::GptOss, "20B", 2048));
    }

    void torchtitan03ImportsItsModule() {
        if (const QString why = whyWithout("torchtitan.config.configs"); !why.isEmpty()) QSKIP(qPrintable(why));
        TrainerDraw draw(freshSeed());
        QTemporaryDir modules;
        std::map<QString, Layout> layouts;  // by the modules' names
        std::set<QString> kinds;            // of models
        for (int i = 0; i < 400 && (layouts.size() < 12 || kinds.size() < 7); ++i) {
            const Layout l = forTorchtitan03(draw);
            if (!suitsTrainers(l)) continue;
            const std::string stem = "draw" + std::to_string(i);
            QVERIFY(!written(l, "torchtitan-0.3", stem, modules).isEmpty());
            layouts.emplace(QString::fromStdString(stem + "_torchtitan"), l);
            kinds.insert(QString("%1 %2 %3")
                             .arg(QString::fromUtf8(traits(titanFamily(l.model, TitanVersion::Python)).name))
                             .arg(hasExperts(l.model))
                             .arg(titanFlavorOf(l.model).empty()));
        }
        QCOMPARE(kinds.size(), std::size_t{7});
        const QJsonObject all = understood("torchtitan-03", modules.path());
        for (const auto& [module, l] : layouts) {
            const QJsonObject read = all[module].toObject();
            compareWithTitan(l, read, TitanVersion::Python);
            if (QTest::currentTestFailed()) return;
            QCOMPARE(read["flavor"].toString() == "shardlab", titanFlavorOf(l.model).empty());
            const ParallelSpec& p = l.parallel;
            const bool pipeline = p.pipeline > 1;
            QCOMPARE(read["copies"].toInt(), p.zero >= 2 ? copyCount(p) : p.data);
            QCOMPARE(read["local"].toInt(), l.batch.micro * (pipeline ? microbatches(l) : 1));
            if (p.tensor > 1) QCOMPARE(read["sequence"].toBool(), p.sequence);
            if (pipeline) {
                const TitanSchedule* named = titanScheduleOf(l.schedule.kind);
                if (named != nullptr) QCOMPARE(read["schedule"].toString(), QString::fromUtf8(named->theirs));
                QCOMPARE(read["csv"].toString().isEmpty(), named != nullptr);
                QCOMPARE(read["microbatch"].toInt(), l.batch.micro);
            }
            const RotarySpec& r = l.model.block.rotary;
            QCOMPARE(read["bases"].toArray(), (QJsonArray{r.base, blockParts(l.model).normEpsilon}));
            QJsonArray scaling;
            if (r.scaling != RotaryScaling::None) scaling = {r.factor, r.low, rotaryHigh(r), r.original};
            if (r.scaling == RotaryScaling::Yarn) scaling.append(r.truncate);
            QCOMPARE(read["scaling"].toArray(), scaling);
            const BlockSpec& b = l.model.block;
            const BlockParts parts = blockParts(l.model);
            QCOMPARE(read["latent"].toArray(), parts.latent
                                                   ? (QJsonArray{b.queryRank, b.kvRank, headWidth(l.model), b.ropeWidth,
                                                                 valueWidth(l.model), 1.0, parts.normEpsilon})
                                                   : QJsonArray());
            QJsonArray windows;
            for (int layer = 0; layer < l.model.layers; ++layer)
                windows.append(std::min(attendedTokens(l.model, layer), l.model.sequence));
            QCOMPARE(read["windows"].toArray(), windows);
            QCOMPARE(read["sinks"].toArray(), parts.sinks ? (QJsonArray{l.model.heads, parts.gluLimit}) : QJsonArray());
            const OptimizerSpec& o = l.optimizer;
            QCOMPARE(read["clip"].toDouble(), o.clip);
            QCOMPARE(read["adamw"].toArray(),
                     (QJsonArray{true, o.adamw.betas[0], o.adamw.betas[1], o.adamw.epsilon, o.weightDecay}));
            QCOMPARE(read["schedule of rates"].toArray(),
                     (QJsonArray{o.warmup, QString::fromUtf8(wordOf(o.schedule))}));
            if (o.schedule != RateSchedule::Constant) QCOMPARE(read["least rate"].toDouble(), o.minimum);
            QCOMPARE(read["compute"].toString(), l.precision.compute == NumberFormat::Bf16 ? "bfloat16" : "float32");
            const TitanProducts* products = titanProductsOf(l);
            QCOMPARE(read["products"].toArray(),
                     products == nullptr
                         ? QJsonArray()
                         : (QJsonArray{products->ours == ProductFormat::MxFp8 ? "MXFP8LinearConverter"
                                                                              : "Float8LinearConverter"}));
            QCOMPARE(read["recompute"].toString(), l.memory.recompute == RecomputeKind::None   ? "none"
                                                   : l.memory.recompute == RecomputeKind::Full ? "FullAC"
                                                                                               : "SelectiveAC");
            const CheckpointSpec& c = l.checkpoint;
            QCOMPARE(read["checkpoint"].toArray(),
                     c.every == 0 ? QJsonArray()
                                  : (QJsonArray{c.every, c.keep, c.first, QString::fromStdString(c.path)}));
        }
    }

    /// A model that torchtitan 0.3 has by a name is asked for by it, up to the longest sequence that it takes.
    void torchtitan03HasTheFlavors() {
        if (const QString why = whyWithout("torchtitan.config.configs"); !why.isEmpty()) QSKIP(qPrintable(why));
        for (const char* family : {"llama3", "qwen3"}) {
            const QJsonObject flavors = understood("torchtitan-03-flavors", family);
            QVERIFY(!flavors.isEmpty());
            int known = 0;
            for (auto each = flavors.begin(); each != flavors.end(); ++each) {
                const std::string name = each.key().toStdString();
                auto read = titanFlavor(*titanFamilyNamed(family), name, 2048);
                if (!read) continue;  // it came with 0.3
                ++known;
                QCOMPARE(modelParameters(read->model), each.value()[0].toInteger());
                Layout layout;
                layout.model = read->model;
                layout.parallel.pipeline = 1;
                layout.cluster.hosts = evenHosts(1, rankCount(layout));
                for (const int more : {0, 1}) {
                    layout.model.sequence = each.value()[1].toInt() + more;
                    const auto made = exportLayout(layout, *findTrainerTarget("torchtitan-0.3"));
                    QVERIFY2(made, made ? "" : toText(made.error()).c_str());
                    QCOMPARE(made->text.find(fmt::format("model_registry(\"{}\")", name)) != std::string::npos &&
                                 made->text.find("def model()") == std::string::npos,
                             more == 0);
                }
            }
            QVERIFY(known >= 4);
        }
    }

    void deepSpeedReadsItsJson() {
        if (const QString why = whyWithout("deepspeed.runtime.config"); !why.isEmpty()) QSKIP(qPrintable(why));
        TrainerDraw draw(freshSeed());
        for (int i = 0; i < 4; ++i) {
            Layout l = draw.layout();
            l.model = ModelSpec{};
            l.schedule = {};
            l.parallel = {.data = 2 * draw.among(1, 3), .pipeline = 1, .zero = i};
            l.batch.global = l.parallel.data * l.batch.micro * draw.among(1, 4);
            l.cluster.hosts = evenHosts(1, rankCount(l));
            l.optimizer.minimum = 0;
            if (i == 1) l.precision = {.compute = NumberFormat::Fp16, .lossScale = LossScaling::Dynamic};
            if (i == 2) l.precision = {.compute = NumberFormat::Bf16, .weights = WeightStorage::Fp32};
            if (i == 3) l.precision.compute = NumberFormat::Bf16;
            const bool parameters = i == 3 && draw.coin();
            if (i == 3) l.memory.offload = parameters ? OffloadKind::Parameters : OffloadKind::Optimizer;
            const QString file = written(l, "deepspeed", "layout");
            QVERIFY(!file.isEmpty());
            const QJsonObject read = understood("deepspeed", file, l.parallel.data);
            QCOMPARE(read["global"].toInt(), l.batch.global);
            QCOMPARE(read["micro"].toInt(), l.batch.micro);
            QCOMPARE(read["zero"].toInt(-1), l.parallel.zero);
            QCOMPARE(read["clip"].toDouble(-1), l.optimizer.clip);
            QCOMPARE(read["rate"].toDouble(), l.optimizer.learningRate);
            QCOMPARE(read["compute"].toString(), QString(i == 0   ? "fp32"
                                                         : i == 1 ? "fp16"
                                                         : i == 2 ? "autocast"
                                                                  : "bf16"));
            QCOMPARE(read["offload"].toBool(), i == 3);
            QCOMPARE(read["parameters"].toBool(), parameters);
        }
    }

    void accelerateReadsItsYaml() {
        if (const QString why = whyWithout("accelerate.commands.launch"); !why.isEmpty()) QSKIP(qPrintable(why));
        TrainerDraw draw(freshSeed());
        for (int i = 0; i < 5; ++i) {
            Layout l = draw.layout();
            l.schedule = {};
            l.model.layers = 4;
            l.parallel = {
                .data = 2 * draw.among(1, 3), .pipeline = 1, .tensor = i == 4 ? 2 : 1, .zero = i == 4 ? 3 : i};
            l.batch.global = l.parallel.data * l.batch.micro;
            const int machines = draw.among(1, 2);
            l.cluster.hosts = evenHosts(machines, rankCount(l) / machines);
            l.precision.compute = NumberFormat::Bf16;
            if (l.parallel.zero == 0) l.precision.weights = WeightStorage::Fp32;
            const bool offloads = l.parallel.zero == 3 && draw.coin();
            if (offloads) l.memory.offload = OffloadKind::Parameters;
            const QString file = written(l, "accelerate", "layout");
            QVERIFY(!file.isEmpty());
            const QJsonObject read = understood("accelerate", file);
            QCOMPARE(read["ranks"].toInt(), rankCount(l));
            QCOMPARE(read["machines"].toInt(), machines);
            if (machines > 1) QCOMPARE(read["meeting"].toString(), QStringLiteral("n1:29517"));
            QCOMPARE(read["format"].toString(), QString("bf16"));
            QCOMPARE(read["fsdp"].toBool(), l.parallel.zero >= 2);
            QCOMPARE(read["deepspeed"].toBool(), l.parallel.zero == 1);
            QCOMPARE(read["tensor"].toInt(), l.parallel.tensor);
            QCOMPARE(read["offload"].toBool(), offloads);
        }
    }

    void recipesAreConfigurations_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("package");
        QTest::newRow("megatron-bridge") << "megatron-bridge"
                                         << "megatron.bridge";
        QTest::newRow("nemo") << "nemo"
                              << "nemo_run, nemo.lightning";
    }
    /// The package imports the recipe, builds its configurations, and Megatron-Bridge judges the whole.
    void recipesAreConfigurations() {
        QFETCH(QString, target);
        QFETCH(QString, package);
        if (const QString why = whyWithout("megatron.core"); !why.isEmpty()) QSKIP(qPrintable(why));
        QProcess found;
        found.start(referencePython(), {"-c",
                                        "import sys, importlib.util as u\n"
                                        "sys.exit(not all(u.find_spec(p) for p in sys.argv[1].split(', ')))",
                                        package});
        if (!found.waitForFinished(patience) || found.exitCode() != 0)
            QSKIP(qPrintable(QString("no %1 for python3 (or SHARDLAB_TORCH_PYTHON)").arg(package)));
        TrainerDraw draw(freshSeed());
        for (int i = 0, judged = 0; judged < 2 && i < 100; ++i) {
            const Layout l = forMegatron(draw, target != "nemo");
            if (!suitsTrainers(l, target.toStdString())) continue;
            ++judged;
            const QString file = written(l, target.toLatin1().constData(), "draw" + std::to_string(i));
            QVERIFY(!file.isEmpty());
            const QJsonObject read = understood(target, file, rankCount(l));
            QCOMPARE(read["layers"].toInt(), l.model.layers);
            QCOMPARE(read["pipeline"].toInt(), l.parallel.pipeline);
            QCOMPARE(read["tensor"].toInt(), l.parallel.tensor);
            QCOMPARE(read["context"].toInt(), l.parallel.context);
            QCOMPARE(read["global"].toInt(), l.batch.global);
            QCOMPARE(read["rate"].toDouble(), l.optimizer.learningRate);
            QCOMPARE(read["zero"].toBool(), l.parallel.zero > 0);
            QCOMPARE(read["bf16"].toBool(), l.precision.compute == NumberFormat::Bf16);
            QCOMPARE(read["fp16"].toBool(), l.precision.compute == NumberFormat::Fp16);
            if (target == "megatron-bridge") QCOMPARE(read["data"].toInt(), l.parallel.data);
        }
    }

    /// Megatron-Bridge has a provider of GPT-OSS, whose fields are those of the layout and not its own.
    void bridgeHasGptOss() {
        if (const QString why = whyWithout("megatron.core, importlib.util as u; assert u.find_spec('megatron.bridge')");
            !why.isEmpty())
            QSKIP(qPrintable(why));
        TrainerDraw draw(freshSeed());
        for (int i = 0; i < 2; ++i) {
            Layout l = findPreset("gpt-oss-20b")->layout;
            BlockSpec& b = l.model.block;
            l.model.vocabulary = draw.among(1000, 200'000);
            b.gluLimit = draw.number(1, 10);
            b.window = i == 0 ? draw.among(1, 200) : 0;
            if (i == 0) b.fullEvery = draw.among(2, 3);
            b.rotary.factor = draw.number(2, 40);
            if (i == 1) b.rotary.scaling = RotaryScaling::None;
            QVERIFY(suitsTrainers(l));
            const QString file = written(l, "megatron-bridge", "oss" + std::to_string(i));
            QVERIFY(!file.isEmpty());
            const QJsonObject read = understood("megatron-bridge", file, rankCount(l));
            QCOMPARE(read["softmax"].toString(), QString("learnable"));
            QCOMPARE(read["limit"].toDouble(), b.gluLimit);
            QCOMPARE(read["vocabulary"].toInt(), l.model.vocabulary);
            QCOMPARE(read["offset"].toDouble(), 1.0);
            QCOMPARE(read["window"].toArray(), (QJsonArray{b.window, i == 0 ? b.fullEvery : 0}));
            QCOMPARE(read["yarn"].toDouble(), i == 0 ? b.rotary.factor : 0.0);
        }
    }

    void megatronReadsItsStages() {
        if (const QString why = whyWithout("megatron.core.transformer.pipeline_parallel_layer_layout"); !why.isEmpty())
            QSKIP(qPrintable(why));
        TrainerDraw draw(freshSeed());
        for (int i = 0; i < 3; ++i) {
            const int ranks = draw.among(2, 4);
            std::vector<int> layers(static_cast<std::size_t>(ranks * draw.among(1, 3)));
            for (int& each : layers) each = draw.among(1, 5);
            const QJsonObject read = understood("megatron", QString::fromStdString(stageString(layers)), ranks);
            QCOMPARE(read["stages"].toArray(), listOf(layers));
        }
    }
};

QTEST_GUILESS_MAIN(TrainerParsersTest)
#include "trainer_parsers_test.moc"
