// SPDX-License-Identifier: Apache-2.0
// Weights of Hugging Face that are not the layout's: each field of their config.json that changes the mathematics, and
// each tensor that is missing, of another shape, or too many.
#include "engine/trace/checkpoint/weights_config.h"

#include "engine/trace/checkpoint/state_source.h"
#include "tests/support/sample_weights.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;
using shardlab::test::SampleWeights;

class WeightsConfigTest : public QObject {
    Q_OBJECT
private:
    static SampleWeights sample(const QString& kind) {
        return kind == "llama" ? SampleWeights::llama() : SampleWeights::gpt2();
    }

    /// What is said of weights that are written anew; empty: they fit.
    QString refusal(const SampleWeights& weights, const char* place = "", TensorType type = TensorType::F32) const {
        const std::filesystem::path folder = folder_.path().toStdString();
        weights.write(folder, type);
        DiskFileSystem files;
        const auto source = StateSource::ofWeights(files, *place != '\0' ? folder / place : folder, weights.model);
        return source ? QString() : QString::fromStdString(source.error().text());
    }

    QTemporaryDir folder_;

private Q_SLOTS:
    void whatTransformersSavesFits_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QByteArray>("change");
        QTest::newRow("gpt2") << "gpt" << QByteArray("{}");
        QTest::newRow("gpt2, all that may be left out")
            << "gpt"
            << QByteArray(
                   R"({"layer_norm_epsilon": null, "activation_function": null, "model_type": null, "n_ctx": null})");
        QTest::newRow("gpt2, the same by another name")
            << "gpt" << QByteArray(R"({"activation_function": "gelu_pytorch_tanh", "n_inner": 32})");
        QTest::newRow("gpt2, what is off")
            << "gpt"
            << QByteArray(
                   R"({"scale_attn_weights": true, "scale_attn_by_inverse_layer_idx": false, "reorder_and_upcast_attn": false, "tie_word_embeddings": true, "add_cross_attention": false, "pruned_heads": {}})");
        QTest::newRow("llama") << "llama" << QByteArray("{}");
        QTest::newRow("llama, all that may be left out")
            << "llama"
            << QByteArray(
                   R"({"rope_theta": null, "head_dim": null, "hidden_act": null, "attention_bias": null, "tie_word_embeddings": null})");
        QTest::newRow("llama, newer rotary fields")
            << "llama"
            << QByteArray(
                   R"({"rope_theta": null, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}})");
        QTest::newRow("llama, multipliers of one")
            << "llama"
            << QByteArray(
                   R"({"partial_rotary_factor": 1.0, "logits_scaling": 1, "attention_multiplier": 0.70710678118654752, "layer_types": ["full_attention", "full_attention"]})");
        QTest::newRow("mistral, a window as long as the sequence")
            << "llama" << QByteArray(R"({"model_type": "mistral", "sliding_window": 16})");
    }
    void whatTransformersSavesFits() {
        QFETCH(QString, kind);
        QFETCH(QByteArray, change);
        SampleWeights weights = sample(kind);
        weights.config.merge_patch(nlohmann::json::parse(change.toStdString()));
        QCOMPARE(refusal(weights), QString());
        QCOMPARE(refusal(weights, "model.safetensors"), QString());
    }

    void eachFieldThatChangesTheMathematicsIsRefused_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("legal");
        const auto row = [](const char* kind, const char* change, const char* what, const char* legal) {
            QTest::addRow("%s %s", kind, change) << kind << QByteArray(change) << what << legal;
        };
        row("gpt", R"({"model_type": "gpt_neo"})", "model_type is \"gpt_neo\", model.kind is gpt",
            "weights of model_type gpt2");
        row("gpt", R"({"n_head": 4})", "n_head is 4, model.heads is 2", "model.heads 4");
        row("gpt", R"({"n_layer": 3})", "n_layer is 3, model.layers is 2", "model.layers 3");
        row("gpt", R"({"n_embd": 16})", "n_embd is 16, model.hidden is 8", "model.hidden 16");
        row("gpt", R"({"vocab_size": 300})", "vocab_size is 300, model.vocabulary is 256", "model.vocabulary 300");
        row("gpt", R"({"n_inner": 16})", "n_inner is 16, the width of the layout's layer 0 is 32",
            "model.feed_forward [16]");
        row("gpt", R"({"n_positions": 12})", "n_positions is 12, model.sequence is 16", "model.sequence of at most 12");
        row("gpt", R"({"activation_function": "relu"})",
            "activation_function is \"relu\", model.activation is gelu-tanh",
            "weights whose activation_function is gelu_new or gelu");
        row("gpt", R"({"activation_function": "gelu"})", "activation_function is \"gelu\"", "model.activation gelu");
        row("gpt", R"({"layer_norm_epsilon": 1e-06})", "layer_norm_epsilon is 1e-06, model.norm_epsilon is 1e-05",
            "model.norm_epsilon 1e-06");
        row("gpt", R"({"scale_attn_weights": false})", "scale_attn_weights is false, the gpt model has true",
            "weights whose scale_attn_weights is true");
        row("gpt", R"({"scale_attn_by_inverse_layer_idx": true})", "scale_attn_by_inverse_layer_idx is true",
            "is false");
        row("gpt", R"({"reorder_and_upcast_attn": true})", "reorder_and_upcast_attn is true", "is false");
        row("gpt", R"({"add_cross_attention": true})", "add_cross_attention is true", "is false");
        row("gpt", R"({"tie_word_embeddings": false})", "tie_word_embeddings is false, the gpt model has true",
            "is true");
        row("gpt", R"({"n_head": null})", "n_head is 12 where it is not given, model.heads is 2", "model.heads 12");
        row("gpt", R"({"tomorrows_attention": 3})",
            "fields that are not known and may change what the model computes: tomorrows_attention 3",
            "without the fields that are not known");
        row("llama", R"({"model_type": "gemma"})", "model_type is \"gemma\", model.kind is llama",
            "weights of model_type llama or mistral or ministral or qwen2 or qwen3");
        row("llama", R"({"num_attention_heads": 2})", "num_attention_heads is 2, model.heads is 4", "model.heads 2");
        row("llama", R"({"num_key_value_heads": 4})", "num_key_value_heads is 4, model.kv_heads is 2",
            "model.kv_heads 4");
        row("llama", R"({"num_key_value_heads": null})", "num_key_value_heads is 4 where it is not given",
            "model.kv_heads 4");
        row("llama", R"({"num_hidden_layers": 3})", "num_hidden_layers is 3, model.layers is 2", "model.layers 3");
        row("llama", R"({"hidden_size": 16})", "hidden_size is 16, model.hidden is 8", "model.hidden 16");
        row("llama", R"({"intermediate_size": 16})", "intermediate_size is 16, the width of the layout's layer 0 is 12",
            "model.feed_forward [16]");
        row("llama", R"({"head_dim": 4})", "head_dim is 4, model.head_width is 2", "model.head_width 4");
        row("llama", R"({"hidden_act": "gelu"})", "hidden_act is \"gelu\", model.activation is swiglu",
            "model.activation geglu");
        row("llama", R"({"hidden_act": "relu"})", "hidden_act is \"relu\", model.activation is swiglu",
            "weights whose hidden_act is silu or gelu or gelu_pytorch_tanh");
        row("llama", R"({"model_type": "qwen2"})", "model_type is \"qwen2\", model.biases is none", "model.biases qkv");
        row("llama", R"({"model_type": "qwen3"})", "model_type is \"qwen3\", model.qk_norm is false",
            "model.qk_norm true");
        row("llama", R"({"rms_norm_eps": 1e-06})", "rms_norm_eps is 1e-06, model.norm_epsilon is 1e-05",
            "model.norm_epsilon 1e-06");
        row("llama", R"({"rms_norm_eps": null})", "rms_norm_eps is 1e-06 where it is not given", "1e-06");
        row("llama", R"({"attention_bias": true})", "attention_bias is true, model.biases is none", "model.biases all");
        row("llama", R"({"mlp_bias": true})", "mlp_bias is true, model.biases is none", "model.biases all");
        row("llama", R"({"tie_word_embeddings": true})", "tie_word_embeddings is true, model.output is separate",
            "model.output tied");
        row("llama", R"({"sliding_window": 8})", "sliding_window is 8, model.sequence is 16",
            "model.sequence of at most 8");
        row("llama", R"({"rope_theta": 500000.0})", "rope_theta is 500000.0, model.rope_base is 10000",
            "model.rope_base 500000.0");
        row("llama", R"({"rope_parameters": {"rope_theta": 1e6, "rope_type": "default"}})",
            "rope_parameters.rope_theta is 1000000.0, model.rope_base", "model.rope_base 1000000.0");
        row("llama", R"({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}})",
            "rope_scaling is \"llama3\", model.rope_scaling is none", "model.rope_scaling llama3");
        row("llama", R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}})", "rope_scaling.factor is 4.0",
            "model.rope_factor 4.0");
        row("llama", R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "attention_factor": 1.0}})",
            "rope_scaling.attention_factor is 1.0", "is 1.138");
        row("llama", R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "mscale": 0.7}})",
            "rope_scaling.mscale is 0.7, which is not known", "without mscale");
        row("llama", R"({"rope_scaling": {"type": "linear", "factor": 2.0}})", "their rotary embedding is scaled",
            "weights without rope_scaling");
        row("llama", R"({"rope_parameters": {"partial_rotary_factor": 0.5}})",
            "rope_parameters.partial_rotary_factor is 0.5", "is 1");
        row("llama", R"({"partial_rotary_factor": 0.5})", "partial_rotary_factor is 0.5, the llama model has 1",
            "is 1");
        row("llama", R"({"logits_scaling": 8})", "logits_scaling is 8, the llama model has 1", "is 1");
        row("llama", R"({"attention_multiplier": 0.5})", "attention_multiplier is 0.5",
            "weights whose attention_multiplier is 0.707");
        row("llama", R"({"layer_types": ["full_attention", "sliding_attention"]})",
            "layer_types has \"sliding_attention\"", "full_attention");
    }
    void eachFieldThatChangesTheMathematicsIsRefused() {
        QFETCH(QString, kind);
        QFETCH(QByteArray, change);
        QFETCH(QString, what);
        QFETCH(QString, legal);
        SampleWeights weights = sample(kind);
        weights.config.merge_patch(nlohmann::json::parse(change.toStdString()));
        for (const char* place : {"", "model.safetensors"}) {
            const QString said = refusal(weights, place);
            QVERIFY2(said.startsWith("these weights do not fit the layout's model") && said.contains("config.json: "),
                     qPrintable(said));
            QVERIFY2(said.contains(what), qPrintable(said));
            QVERIFY2(said.section(". ", -1).contains(legal), qPrintable(said));
        }
    }

    void oneErrorNamesEveryDifference() {
        SampleWeights weights = SampleWeights::gpt2();
        weights.config.merge_patch(nlohmann::json::parse(
            R"({"n_head": 4, "activation_function": "relu", "layer_norm_epsilon": 1e-6, "first": [1], "second": "x"})"));
        weights.tensors.erase("ln_f.bias");
        const QString said = refusal(weights);
        for (const char* part : {"n_head is 4", "activation_function is \"relu\"", "layer_norm_epsilon is 1e-06",
                                 "first [1], second \"x\"", "there is no ln_f.bias"})
            QVERIFY2(said.contains(part), qPrintable(said));
        QVERIFY(!said.contains('\n'));
    }

    void tensorsAreThoseOfTheModel() {
        SampleWeights gpt2 = SampleWeights::gpt2(), llama = SampleWeights::llama();
        for (SampleWeights* weights : {&gpt2, &llama}) weights->config = nullptr;  // tensors alone tell
        QCOMPARE(refusal(gpt2), QString());
        QCOMPARE(refusal(llama), QString());
        // What older versions kept beside the weights, and a tied output projection that equals the embedding.
        gpt2.tensors["transformer.h.0.attn.bias"] = {1, 1, 16, 16};
        gpt2.tensors["lm_head.weight"] = {256, 8};
        llama.tensors["model.layers.1.self_attn.rotary_emb.inv_freq"] = {1};
        QCOMPARE(refusal(gpt2), QString());
        QCOMPARE(refusal(llama), QString());

        const auto refused = [&](SampleWeights weights, auto change, const QString& part) {
            change(weights);
            const QString said = refusal(weights);
            if (!said.contains(part)) qWarning("%s", qPrintable(said));
            return said.contains(part);
        };
        QVERIFY(refused(
            gpt2, [](SampleWeights& w) { w.addGpt2Layer(2); },
            "h.2.attn.c_attn.bias is there, the layout's model has no such tensor"));
        QVERIFY(refused(
            gpt2, [](SampleWeights& w) { w.addGpt2Layer(2); }, "and 8 more tensors"));
        QVERIFY(refused(
            llama, [](SampleWeights& w) { w.addLlamaLayer(2); },
            "model.layers.2.input_layernorm.weight is there, the layout's model has no such"));
        QVERIFY(refused(
            gpt2, [](SampleWeights& w) { w.model.layers = 3; }, "there is no h.2.ln_1.weight"));
        QVERIFY(refused(
            llama, [](SampleWeights& w) { w.model.layers = 3; }, "there is no model.layers.2.input_layernorm.weight"));
        QVERIFY(refused(
            gpt2,
            [](SampleWeights& w) {
                w.tensors["wte.weight"] = {300, 8};
            },
            "wte.weight is [300, 8], the layout's model needs [256, 8]"));
        QVERIFY(refused(
            llama, [](SampleWeights& w) { w.model.block.kvHeads = 4; },
            "k_proj.weight is [4, 8], the layout's model needs [8, 8]"));
        QVERIFY(refused(
            gpt2,
            [](SampleWeights& w) {
                w.tensors["transformer.wte.weight"] = {256, 8};
            },
            "wte.weight is there twice"));
        QVERIFY(refused(
            llama, [](SampleWeights& w) { w.tensors["model.layers.0.self_attn.q_proj.bias"] = {8}; },
            "q_proj.weight has a bias"));
        QVERIFY(refused(
            llama, [](SampleWeights& w) { w.tensors.erase("lm_head.weight"); },
            "their output projection is the token embedding"));
        QVERIFY(refused(
            gpt2,
            [](SampleWeights& w) {
                w.tensors["wpe.weight"] = {12, 8};
            },
            "wpe.weight is [12, 8], the layout's model needs [16, 8]"));
        for (const SampleWeights& weights : {SampleWeights::gpt2(), SampleWeights::llama()})
            QVERIFY(refusal(weights, "", TensorType::I8).contains("is of type I8"));
        gpt2.tensors["wpe.weight"] = {24, 8};  // the first positions are the same
        QCOMPARE(refusal(gpt2), QString());
    }

    void whatIsNoConfigIsRefused() {
        SampleWeights weights = SampleWeights::gpt2();
        weights.write(folder_.path().toStdString());
        DiskFileSystem files;
        for (const auto& [content, said] : {std::pair{"[1]", "no JSON object"},
                                            {"{", "no JSON"},
                                            {R"({"n_head": 2, "n_head": 4})", "stands twice"}}) {
            std::ofstream(folder_.filePath("config.json").toStdString()) << content;
            const auto source = StateSource::ofWeights(files, folder_.path().toStdString(), weights.model);
            QVERIFY(!source);
            QVERIFY2(source.error().text().find(said) != std::string::npos, source.error().text().c_str());
        }
    }
};

QTEST_GUILESS_MAIN(WeightsConfigTest)
#include "weights_config_test.moc"
