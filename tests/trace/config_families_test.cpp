// SPDX-License-Identifier: Apache-2.0
// The families of transformers: each that a layout's model can be has a config.json that is written and read again, and
// what transformers itself writes is understood. Needs a Python with transformers for that: python3, or the one that
// SHARDLAB_TORCH_PYTHON names.
#include "engine/trace/checkpoint/config_families.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/checkpoint/config_layout.h"
#include "engine/trace/checkpoint/weights_config.h"
#include "tests/support/reference_python.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <random>
#include <set>

using namespace shardlab;
using namespace shardlab::test;

class ConfigFamiliesTest : public QObject {
    Q_OBJECT
private:
    Result<ConfigLayout> made(const std::string& config) const {
        const std::filesystem::path file = folder_.filePath("config.json").toStdString();
        std::ofstream(file) << config;
        return layoutFromConfig(file);
    }
    static std::string joined(const std::vector<Sentence>& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

    QTemporaryDir folder_;

private Q_SLOTS:
    /// Whatever blocks hasPublishedBlocks() calls published there is a family for them, which is written and read
    /// again.
    void everyPublishedModelHasAFamily() {
        std::mt19937 random(freshSeed());
        const auto among = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
        const auto pick = [&](const auto& all) { return all[static_cast<std::size_t>(among(0, int(all.size()) - 1))]; };
        const std::array activations{ActivationKind::Default,  ActivationKind::GeGlu, ActivationKind::GeGluTanh,
                                     ActivationKind::GeluTanh, ActivationKind::Gelu,  ActivationKind::SquaredRelu};
        const std::array gates{GateMethod::TopKSoftmax, GateMethod::SoftmaxTopK, GateMethod::SigmoidTopK,
                               GateMethod::SigmoidInGroups};
        std::set<std::string_view> families;
        for (int i = 0; i < 3000; ++i) {
            Layout layout;
            ModelSpec& model = layout.model;
            BlockSpec& block = model.block;
            model.kind = among(0, 1) == 1 ? ModelKind::Llama : ModelKind::LlamaMoe;
            model.layers = among(3, 9);
            model.heads = among(1, 8) * 2;
            model.hidden = model.heads * among(1, 16) * 2;
            model.sequence = among(20, 4096);
            model.vocabulary = among(256, 200000);
            model.feedForward = {among(1, 9000)};
            block.kvHeads = model.heads / among(1, 2);
            if (among(0, 3) == 0) block.norm = NormKind::Layer;
            block.biases = pick(std::array{BiasKind::Default, BiasKind::Default, BiasKind::Qkv, BiasKind::All});
            if (among(0, 1) == 1) block.activation = pick(activations);
            if (among(0, 1) == 1) block.output = OutputKind::Tied;
            block.queryKeyNorms = among(0, 2) == 0;
            block.normEpsilon = pick(std::array{1e-5, 1e-6});
            if (among(0, 2) == 0) {
                block.window = among(1, model.sequence - 1);
                block.fullEvery = pick(std::array{0, 2, 3});
            }
            if (among(0, 3) == 0) {
                block.kvHeads = 0;
                block.queryKeyNorms = false;
                block.biases = BiasKind::Default;
                block.kvRank = among(1, 600);
                block.headWidth = among(1, 200);
                block.valueWidth = among(1, block.headWidth + block.ropeWidth);
            }
            if (hasExperts(model)) {
                MoeSpec& experts = model.experts;
                experts.count = 4 * among(1, 9);
                experts.gate = pick(gates);
                experts.capacity = 0;
                experts.shared = among(0, 2);
                if (experts.shared > 0) experts.denseLayers = among(0, 2), experts.width = among(1, 999);
                if (experts.shared > 0 && experts.denseLayers == 0) model.feedForward.clear();
                if (traits(experts.gate).scales) experts.biasRate = 0.001, experts.scale = pick(std::array{1.0, 2.5});
            }
            if (!hasPublishedBlocks(model) || !check(layout, scheduleMethods()).empty()) continue;
            families.insert(configFamily(model).type);
            const Result<ConfigLayout> read = made(writeConfig(model));
            QVERIFY2(read.has_value(), read ? "" : (writeConfig(model) + read.error().text()).c_str());
            QVERIFY2(read->leftOut.empty(), joined(read->leftOut).c_str());
            QVERIFY2(read->layout.model == model, (writeConfig(model) + writeLayout(read->layout)).c_str());
        }
        for (const char* family : {"llama", "mistral", "ministral", "qwen2", "qwen3", "starcoder2", "arcee", "stablelm",
                                   "mixtral", "qwen3_moe", "deepseek_v3", "deepseek_v2", "dots1"})
            QVERIFY2(families.contains(family), family);
    }

    /// Families that transformers writes as they are by default: each has as many parameters there, and what a layout
    /// does not say of one is named.
    void whatTransformersWritesIsUnderstood() {
        if (const QString missing = whyWithout("transformers"); !missing.isEmpty()) QSKIP(qPrintable(missing));
        const std::map<std::string_view, const char*> unsaid{{"stablelm", "partial_rotary_factor is 0.25"},
                                                             {"granite", "attention_multiplier is 1.0"},
                                                             {"smollm3", "no_rope_layers is [1,1,1,0,1]"}};
        QStringList types;
        for (const ConfigFamily& each : configFamilies())
            if (const QString type = QString::fromUtf8(each.type); each.weights && !types.contains(type)) types << type;
        const QString script = QStringLiteral(
            "import json, sys, torch\n"
            "from transformers import AutoConfig, AutoModelForCausalLM\n"
            "mixture = {'num_experts_per_tok': 2, 'n_routed_experts': 5, 'n_shared_experts': 2, "
            "'norm_topk_prob': True}\n"
            "more, counts = {'deepseek_v2': mixture, 'dots1': mixture, 'ministral': {'head_dim': 128}}, {}\n"
            "for kind in sys.argv[2:]:\n"
            "    config = AutoConfig.for_model(kind, num_hidden_layers=5, **more.get(kind, {}))\n"
            "    with torch.device('meta'): model = AutoModelForCausalLM.from_config(config)\n"
            "    config.save_pretrained(sys.argv[1] + '/' + kind)\n"
            "    counts[kind] = sum(value.numel() for value in model.parameters())\n"
            "open(sys.argv[1] + '/counts.json', 'w').write(json.dumps(counts))\n");
        QCOMPARE(QProcess::execute(referencePython(), QStringList{"-c", script, folder_.path()} + types), 0);
        const auto counts = nlohmann::json::parse(std::ifstream(folder_.filePath("counts.json").toStdString()));
        for (const QString& type : types) {
            const auto read = layoutFromConfig(folder_.filePath(type + "/config.json").toStdString());
            QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
            QVERIFY2(counts[type.toStdString()] == modelParameters(read->layout.model),
                     qPrintable(QString("%1: %2").arg(type).arg(modelParameters(read->layout.model))));
            const auto named = unsaid.find(type.toStdString());
            int own = 0;
            for (const Sentence& line : read->leftOut) {
                const QString text = QString::fromStdString(line.english());
                if (text.contains("own choice") || text.contains("max_position_embeddings")) continue;
                ++own;
                QVERIFY2(named != unsaid.end() && text.contains(named->second), qPrintable(type + ": " + text));
            }
            QCOMPARE(own, named == unsaid.end() ? 0 : 1);
        }
    }

    /// What a family has that no layout's model has is said in one sentence, with a family that a layout can say.
    void whatNoLayoutHasIsNamed() {
        const auto known = [](std::string_view type) {
            return std::ranges::any_of(configFamilies(), [&](const ConfigFamily& each) { return each.type == type; });
        };
        QStringList types;
        for (const UnsaidFamilies& each : unsaidFamilies()) {
            QVERIFY(known(each.nearest));
            for (const QString& type : QString::fromUtf8(each.types).split(' ')) {
                QVERIFY2(!known(type.toStdString()) && !types.contains(type), qPrintable(type));
                types << type;
                const Result<ConfigLayout> read = made("{\"model_type\": \"" + type.toStdString() + "\"}");
                QVERIFY(!read && read.error().text().find(each.what.english()) != std::string::npos);
            }
        }
        if (!whyWithout("transformers").isEmpty()) return;
        const QString script = QStringLiteral("import sys\n"
                                              "from transformers import CONFIG_MAPPING\n"
                                              "sys.exit(any(kind not in CONFIG_MAPPING for kind in sys.argv[1:]))\n");
        QCOMPARE(QProcess::execute(referencePython(), QStringList{"-c", script} + types), 0);
    }

    /// Fields of families that a layout says but for these.
    void whatAFamilyHasBesidesIsNamed_data() {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* type, const char* fields, const char* said) {
            QTest::newRow(said) << QByteArray("{\"model_type\": \"") + type + "\", " + fields + "}" << said;
        };
        row("phi3", R"("partial_rotary_factor": 0.75)", "partial_rotary_factor is 0.75, the llama model has 1");
        row("phi3", R"("rope_scaling": {"type": "longrope", "short_factor": [1.0], "long_factor": [2.0]})",
            "their rotary embedding is scaled as no layout's is");
        row("granite", R"("attention_multiplier": 0.08838834764831845, "residual_multiplier": 0.22)",
            "residual_multiplier is 0.22, the llama model has 1");
        row("stablelm", R"("partial_rotary_factor": 1.0, "use_parallel_residual": true)",
            "use_parallel_residual is true, the llama model has false");
        row("smollm3", R"("no_rope_layer_interval": 4)", "no_rope_layers is [1,1,1,0] where it is not given");
        row("seed_oss", R"("attention_out_bias": true)", "attention_out_bias is true, the llama model has false");
        row("ministral", R"("num_hidden_layers": 3, "sliding_window": 9,
            "layer_types": ["full_attention", "sliding_attention", "sliding_attention"])",
            "model.window is 0 and model.full_every is 0");
        row("deepseek_v2", R"("num_experts_per_tok": 2, "topk_method": "group_limited_greedy")",
            "topk_method is \"group_limited_greedy\", the llama-moe model has \"greedy\"");
        row("dots1", R"("num_experts_per_tok": 2, "n_routed_experts": 4, "n_shared_experts": 1)",
            "norm_topk_prob is false where it is not given, the llama-moe model has true");
    }
    void whatAFamilyHasBesidesIsNamed() {
        QFETCH(QByteArray, config);
        QFETCH(QString, said);
        const Result<ConfigLayout> read = made(config.toStdString());
        QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
        QCOMPARE(QString::fromStdString(joined(read->leftOut)).count(said), 1);
        int named = 0;
        for (const Sentence& line : read->leftOut) named += line.english().find("own choice") == std::string::npos;
        QVERIFY2(named <= 2, joined(read->leftOut).c_str());  // and that positions are more than the sequence
    }
};

QTEST_GUILESS_MAIN(ConfigFamiliesTest)
#include "config_families_test.moc"
