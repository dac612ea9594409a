// SPDX-License-Identifier: Apache-2.0
// Layouts that are made from a config.json alone: each number of it, what they leave out, what is refused.
#include "engine/trace/checkpoint/config_layout.h"

#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/checkpoint/weights_config.h"
#include "tests/support/sample_tokenizer.h"
#include "tests/support/sample_weights.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/ranges.h>
#include <random>

using namespace shardlab;
using namespace shardlab::test;

class ConfigLayoutTest : public QObject {
    Q_OBJECT
private:
    std::filesystem::path file() const { return folder_.filePath("config.json").toStdString(); }
    Result<ConfigLayout> made(const std::string& config) const {
        std::ofstream(file()) << config;
        return layoutFromConfig(file());
    }
    static std::string joined(const std::vector<Sentence>& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

    /// What stands beside the weights of openai/gpt-oss-20b.
    static std::string publishedGptOss() {
        std::vector<std::string> types;
        for (int layer = 0; layer < 24; ++layer)
            types.push_back(layer % 2 == 0 ? R"("sliding_attention")" : R"("full_attention")");
        return fmt::format(
            R"({{"architectures": ["GptOssForCausalLM"], "attention_bias": true, "attention_dropout": 0.0,
            "eos_token_id": 200002, "experts_per_token": 4, "head_dim": 64, "hidden_act": "silu", "hidden_size": 2880,
            "initial_context_length": 4096, "initializer_range": 0.02, "intermediate_size": 2880, "layer_types": [{}],
            "max_position_embeddings": 131072, "model_type": "gpt_oss", "num_attention_heads": 64,
            "num_experts_per_tok": 4, "num_hidden_layers": 24, "num_key_value_heads": 8, "num_local_experts": 32,
            "output_router_logits": false, "pad_token_id": 199999, "quantization_config": {{
            "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"], "quant_method": "mxfp4"}},
            "rms_norm_eps": 1e-05, "rope_scaling": {{"beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0,
            "original_max_position_embeddings": 4096, "rope_type": "yarn", "truncate": false}}, "rope_theta": 150000,
            "router_aux_loss_coef": 0.9, "sliding_window": 128, "swiglu_limit": 7.0, "tie_word_embeddings": false,
            "transformers_version": "4.55.0", "use_cache": true, "vocab_size": 201088}})",
            fmt::join(types, ", "));
    }

    QTemporaryDir folder_;

private Q_SLOTS:
    /// What is written for a model is read as that model, whatever its numbers.
    void whatIsWrittenIsReadAgain() {
        std::mt19937 random(freshSeed());
        const auto among = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
        for (int i = 0; i < 200; ++i) {
            ModelSpec model;
            model.kind = i % 2 == 0 ? ModelKind::Gpt : ModelKind::Llama;
            model.layers = among(1, 40);
            model.heads = among(1, 8) * 2;
            model.hidden = model.heads * among(1, 16) * 2;
            model.sequence = among(1, 4096);
            model.vocabulary = among(256, 200000);
            model.feedForward = {among(1, 9000)};
            if (model.kind == ModelKind::Llama) {
                BlockSpec& block = model.block;
                block.kvHeads = model.heads / among(1, 2);
                block.rotary.base = among(1000, 1000000);
                block.rotary.scaling = static_cast<RotaryScaling>(among(0, 2));
                if (block.rotary.scaling != RotaryScaling::None) {
                    block.rotary.factor = among(1, 40);
                    block.rotary.low = among(1, 3);
                    block.rotary.high = block.rotary.low + among(1, 20) + 0.5;
                    block.rotary.original = among(16, 100000);
                }
                if (among(0, 1) == 1) block.headWidth = model.hidden / model.heads + 2 * among(1, 9);
                if (among(0, 1) == 1) block.output = OutputKind::Tied;
                const int family = among(0, 4);
                if (family == 1) block.biases = BiasKind::Qkv;
                if (family == 2) block.biases = BiasKind::All;
                if (family == 3) block.queryKeyNorms = true;
                if (family == 4) {
                    block.kvHeads = 0;
                    block.kvRank = among(1, 600);
                    block.queryRank = among(0, 1) * among(1, 2000);
                    block.headWidth = among(1, 200);
                    block.ropeWidth = 2 * among(1, 50);
                    block.valueWidth = among(1, block.headWidth + block.ropeWidth);
                    block.normEpsilon = 1e-6;
                }
                if (family == 0 && among(0, 1) == 1) block.window = among(1, std::max(1, model.sequence - 1));
            }
            const std::array activations = {
                ActivationKind::Default, model.kind == ModelKind::Llama ? ActivationKind::GeGlu : ActivationKind::Gelu};
            model.block.activation = activations[static_cast<std::size_t>(among(0, 1))];
            if (among(0, 1) == 1) model.block.normEpsilon = 1e-6;
            const Result<ConfigLayout> read = made(writeConfig(model));
            QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
            QVERIFY2(read->leftOut.empty(), joined(read->leftOut).c_str());
            QVERIFY2(read->layout.model == model, writeConfig(model).c_str());
            QVERIFY(check(read->layout, scheduleMethods()).empty());
        }
    }

    void whatAFileLeavesOutHasTransformersValue() {
        const Result<ConfigLayout> gpt2 = made(R"({"model_type": "gpt2"})");
        QVERIFY(gpt2.has_value());
        QVERIFY2(gpt2->leftOut.empty(), joined(gpt2->leftOut).c_str());
        const ModelSpec& model = gpt2->layout.model;
        QVERIFY(model.layers == 12 && model.hidden == 768 && model.heads == 12 && model.vocabulary == 50257 &&
                model.sequence == 1024 && model.feedForward.empty());
        const Result<ConfigLayout> mistral = made(R"({"model_type": "mistral", "rms_norm_eps": 1e-5})");
        QVERIFY(mistral.has_value());
        QVERIFY(mistral->layout.model.block.kvHeads == 8 && mistral->layout.model.sequence == 4096 &&
                mistral->layout.model.feedForward == std::vector{14336});
    }

    /// Bloom and Mpt: what a layout's model has is taken over, what it has not is named.
    void positionsByDistanceAreTaken() {
        const Result<ConfigLayout> bloom = made(R"({"model_type": "bloom", "n_embed": 112, "num_attention_heads": 14,
            "n_layer": 3, "vocab_size": 600, "seq_length": 77, "skip_bias_add": true, "offset_alibi": 100})");
        QVERIFY2(bloom.has_value(), bloom ? "" : bloom.error().text().c_str());
        ModelSpec wanted;
        wanted.layers = 3;
        wanted.hidden = 112;
        wanted.heads = 14;
        wanted.vocabulary = 600;
        wanted.sequence = 77;
        wanted.block.positions = PositionKind::Alibi;
        QVERIFY(bloom->layout.model == wanted);
        QCOMPARE(joined(bloom->leftOut), std::string("config.json: a Bloom has a norm of its token embedding "
                                                     "(word_embeddings_layernorm), a layout's model has none"));
        const Result<ConfigLayout> mpt = made(R"({"model_type": "mpt", "d_model": 64, "n_heads": 4, "n_layers": 3,
            "vocab_size": 600, "max_seq_len": 77, "attn_config": {"alibi": true, "clip_qkv": 6, "qk_ln": false}})");
        QVERIFY2(mpt.has_value(), mpt ? "" : mpt.error().text().c_str());
        wanted.hidden = 64;
        wanted.heads = 4;
        wanted.block.biases = BiasKind::None;
        wanted.block.activation = ActivationKind::Gelu;
        QVERIFY(mpt->layout.model == wanted);
        const std::string said = joined(mpt->leftOut);
        QVERIFY2(said.find("attn_config.clip_qkv is 6") != std::string::npos &&
                     said.find("norms of an Mpt have no shift") != std::string::npos,
                 said.c_str());
        const Result<ConfigLayout> learned = made(R"({"model_type": "mpt", "attn_config": {"alibi": false}})");
        QVERIFY(learned && learned->layout.model.block.positions == PositionKind::Default);
    }

    void whatIsLeftOutIsSaid() {
        const Result<ConfigLayout> read = made(R"({"model_type": "llama", "rms_norm_eps": 1e-5, "attention_bias": true,
            "rope_parameters": {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 500000.0}, "sliding_window": 1000,
            "max_position_embeddings": 131072, "attention_dropout": 0.1, "tomorrows_attention": 3, "hidden_act": "silu"})");
        QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
        const std::string said = joined(read->leftOut);
        for (const char* part :
             {"mlp_bias is false where it is not given, model.biases is all", "their rotary embedding is scaled",
              "tomorrows_attention 3", "attention_dropout is 0.1; model.dropout is the layout's own choice",
              "max_position_embeddings is 131072, model.sequence is 1000"})
            QVERIFY2(said.find(part) != std::string::npos, said.c_str());
        QVERIFY(said.find("hidden_act") == std::string::npos);
        QCOMPARE(read->layout.model.block.rotary.base, 500000.0);
        QCOMPARE(read->layout.model.sequence, 1000);
        QVERIFY(check(read->layout, scheduleMethods()).empty());

        const Result<ConfigLayout> small = made(R"({"model_type": "gpt2", "vocab_size": 100})");
        QVERIFY(small && small->layout.data.kind == DataKind::Tokens);
        QVERIFY(joined(small->leftOut).find("fewer than there are bytes") != std::string::npos);
    }

    void weightsBesideTheFileAreStartedFrom() {
        for (SampleWeights weights : {SampleWeights::gpt2(), SampleWeights::llama()}) {
            weights.write(folder_.path().toStdString());
            const Result<ConfigLayout> read = layoutFromConfig(file());
            QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
            QVERIFY(std::filesystem::equivalent(read->layout.model.weights, folder_.path().toStdString()));
            weights.config[weights.model.kind == ModelKind::Llama ? "mlp_bias" : "scale_attn_by_inverse_layer_idx"] =
                true;
            weights.write(folder_.path().toStdString());
            const Result<ConfigLayout> other = layoutFromConfig(file());
            QVERIFY(other && other->layout.model.weights.empty());
            QVERIFY(joined(other->leftOut).find("the weights beside config.json") != std::string::npos);
        }
        std::filesystem::remove(folder_.filePath("model.safetensors").toStdString());
    }

    void theTokenizerBesideTheFileIsTaken() {
        writeTokenizer(folder_.path(), {{"a", "b"}});
        nlohmann::json tokenizer = nlohmann::json::parse(
            R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}, "model": {"type": "BPE", "merges": ["a b"]}})");
        tokenizer["model"]["vocab"] =
            nlohmann::json::parse(std::ifstream(folder_.filePath("vocab.json").toStdString()));
        const std::string place = folder_.filePath("tokenizer.json").toStdString();
        std::ofstream(place) << tokenizer.dump();
        const Result<ConfigLayout> read = made(R"({"model_type": "gpt2", "vocab_size": 257})");
        QVERIFY(read && read->layout.data.tokenizer == TokenizerKind::Json);
        QVERIFY(std::filesystem::equivalent(read->layout.data.tokenizerPath, place));
        const Result<ConfigLayout> small = made(R"({"model_type": "gpt2", "vocab_size": 256})");
        QVERIFY(small && small->layout.data.tokenizer == TokenizerKind::Byte);
        QVERIFY(joined(small->leftOut).find("its tokens go up to 256, model.vocabulary is 256") != std::string::npos);
        std::ofstream(place) << "{}";
        const Result<ConfigLayout> none = made(R"({"model_type": "gpt2", "vocab_size": 257})");
        QVERIFY(none && joined(none->leftOut).find("tokenizer.json: its model is") != std::string::npos);
        std::filesystem::remove(place);
    }

    void whatIsNoModelIsRefused_data() {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("said");
        QTest::newRow("a family that no layout has") << QByteArray(R"({"model_type": "mamba"})")
                                                     << "its model_type is \"mamba\": its layers are state spaces "
                                                        "without attention (state_size). a model without "
                                                        "that, of model_type llama say";
        QTest::newRow("an unknown family") << QByteArray(R"({"model_type": "tomorrow"})")
                                           << "its model_type is \"tomorrow\". model_type gpt2, bloom, mpt, llama";
        QTest::newRow("no family") << QByteArray(R"({"n_layer": 2})") << "it has no model_type";
        QTest::newRow("no object") << QByteArray("[1]") << "it is no JSON object";
        QTest::newRow("heads that do not divide")
            << QByteArray(R"({"model_type": "gpt2", "n_head": 7})") << "/model/heads";
        QTest::newRow("beyond counting") << QByteArray(R"({"model_type": "gpt2", "n_layer": 2000000000})")
                                         << "/model/layers";
    }
    void whatIsNoModelIsRefused() {
        QFETCH(QByteArray, config);
        QFETCH(QString, said);
        const Result<ConfigLayout> read = made(config.toStdString());
        QVERIFY(!read);
        const QString text = QString::fromStdString(read.error().text());
        QVERIFY2(text.contains(said) && text.contains("config.json") && !text.contains('\n'), qPrintable(text));
    }

    /// Layers with experts, norms of latents with another epsilon, and scores that are larger in the turned columns
    /// alone.
    void whatNoLatentAttentionHasIsSaid() {
        const auto leftOut = [&](const std::string& change) {
            const Result<ConfigLayout> read = made(
                R"({"model_type": "deepseek_v3", "num_hidden_layers": 4, "first_k_dense_replace": 4)" + change + "}");
            return read ? joined(read->leftOut) : read.error().text();
        };
        QCOMPARE(leftOut(""), std::string());
        const Result<ConfigLayout> withExperts = made(R"({"model_type": "deepseek_v3", "num_hidden_layers": 4})");
        QVERIFY(withExperts && hasExperts(withExperts->layout.model, 3) && !hasExperts(withExperts->layout.model, 2));
        for (const auto& [change, said] :
             {std::pair{R"(, "n_routed_experts": 8)", ""},
              {R"(, "rms_norm_eps": 1e-5)", "the norms of its latents have 1e-06 all the same"},
              {R"(, "rope_interleave": false)", "rope_interleave is false"},
              {R"(, "qk_head_dim": 100)", "qk_head_dim is 100"},
              {R"(, "v_head_dim": 193)", "values of 193 columns are wider than queries"},
              {R"(, "kv_lora_rank": "many")", "kv_lora_rank is \"many\""},
              {R"(, "rope_scaling": {"type": "yarn", "factor": 40, "mscale": 1.0})", "mscale_all_dim is 0"}}) {
            const std::string text = leftOut(change);
            QVERIFY2(*said == '\0' ? text.empty() : text.find(said) != std::string::npos, text.c_str());
        }
    }

    /// The file of openai/gpt-oss-20b says the model of the preset.
    void thePublishedGptOssIsThePreset() {
        const Result<ConfigLayout> read = made(publishedGptOss());
        QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
        QCOMPARE(joined(read->leftOut),
                 std::string("config.json: router_aux_loss_coef is 0.9; model.balance is the layout's own choice\n"
                             "config.json: max_position_embeddings is 131072, model.sequence is 4096"));
        ModelSpec preset = findPreset("gpt-oss-20b")->layout.model;
        preset.experts.balance = read->layout.model.experts.balance;
        QVERIFY2(read->layout.model == preset, writeLayout(read->layout).c_str());
    }

    void whatNoGptOssOfALayoutHasIsSaid_data() {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* from, const char* to, const char* said) {
            QTest::newRow(to) << QByteArray(from) << QByteArray(to) << said;
        };
        row(R"("attention_bias": true)", R"("attention_bias": false)", "attention_bias is false");
        row(R"("hidden_act": "silu")", R"("hidden_act": "gelu")", "hidden_act is \"gelu\"");
        row("mxfp4", "gptq", "quantization_config.quant_method is \"gptq\"");
        row(R"("layer_types": ["sliding_attention")", R"("layer_types": ["chunked_attention")",
            "layer_types has \"chunked_attention\"");
        row(R"("layer_types": ["sliding_attention")", R"("layer_types": ["full_attention")",
            "layers without a window come every so many layers");
    }
    void whatNoGptOssOfALayoutHasIsSaid() {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QString, said);
        const QByteArray config = QByteArray::fromStdString(publishedGptOss()).replace(from, to);
        const Result<ConfigLayout> read = made(config.toStdString());
        QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
        QString text = QString::fromStdString(joined(read->leftOut));
        for (const WeightMismatch& mismatch :
             compareConfig(nlohmann::json::parse(config.toStdString()), read->layout.model))
            text += QString::fromStdString(mismatch.legal.english());
        QVERIFY2(text.contains(said), qPrintable(text));
    }

    void whatIsWrittenForAGptOssIsReadAgain() {
        std::mt19937 random(freshSeed());
        const auto among = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
        for (int i = 0; i < 100; ++i) {
            ModelSpec model = findPreset("gpt-oss-20b")->layout.model;
            model.layers = among(1, 40);
            model.block.kvHeads = among(1, 4);
            model.heads = model.block.kvHeads * among(1, 4);
            model.hidden = among(1, 999);
            model.block.headWidth = 2 * among(1, 40);
            model.sequence = among(300, 4096);
            model.vocabulary = among(256, 200000);
            model.feedForward = {among(1, 9000)};
            model.block.fullEvery = among(0, std::min(3, model.layers));
            model.block.window = model.block.fullEvery == 1 ? 0 : among(1, 299);
            if (model.block.window == 0) model.block.fullEvery = 0;
            model.block.gluLimit = 0.25 * among(1, 40);
            model.block.gluAlpha = 0.5 * among(1, 4);
            if (among(0, 2) == 0) model.block.rotary = {.base = double(among(1000, 1000000))};
            else model.block.rotary.truncate = among(0, 1) == 1;
            if (among(0, 1) == 1) model.block.output = OutputKind::Tied;
            model.experts.count = among(2, 64);
            model.experts.topK = among(2, std::min(model.experts.count, 8));
            model.experts.balance = MoeSpec{}.balance;
            const Result<ConfigLayout> read = made(writeConfig(model));
            QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
            QVERIFY2(read->leftOut.empty(), joined(read->leftOut).c_str());
            QVERIFY2(read->layout.model == model, (writeConfig(model) + writeLayout(read->layout)).c_str());
        }
    }

    void sizesThatAreNoneAreSaid() {
        for (const char* value : {"\"twelve\"", "-3", "0", "1.5", "99999999999"}) {
            const Result<ConfigLayout> read =
                made(fmt::format(R"({{"model_type": "gpt2", "n_layer": {}, "layer_norm_epsilon": 1e-5}})", value));
            const std::string said = read ? joined(read->leftOut) : read.error().text();
            QVERIFY2(said.find("n_layer is ") != std::string::npos, said.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(ConfigLayoutTest)
#include "config_layout_test.moc"
