// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/config_fields.h"

#include "engine/base/json_fields.h"
#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"
#include "engine/trace/checkpoint/config_gpt_oss.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardlab::trace {
namespace {

using Json = nlohmann::json;

const std::vector<ConfigActivation> gptActivations{
    {ActivationKind::GeluTanh, {"gelu_new", "gelu_pytorch_tanh", "gelu_fast"}}, {ActivationKind::Gelu, {"gelu"}}};
const std::vector<ConfigActivation> llamaActivations{{ActivationKind::SwiGlu, {"silu", "swish"}},
                                                     {ActivationKind::GeGlu, {"gelu"}},
                                                     {ActivationKind::GeGluTanh, {"gelu_pytorch_tanh", "gelu_new"}}};

const Json gptOssScaling{{"rope_type", "yarn"}, {"factor", 32.0},    {"beta_fast", 32.0},
                         {"beta_slow", 1.0},    {"truncate", false}, {"original_max_position_embeddings", 4096}};

/// Makes the rows of one file and one model.
class Rows : GptOssRows {
public:
    Rows(const Json& config, const ModelSpec& model) : GptOssRows(config, model) {}

    ConfigFields all() {
        modelType();
        const Json type = config_.value("model_type", Json());
        if (traits(model_.kind).weights == WeightsFormat::Llama) llama();
        else if (type == "bloom") bloom();
        else if (type == "mpt") mpt();
        else gpt2();
        others();
        return std::move(made_);
    }

private:
    void gpt2() {
        number("n_layer", 12, "model.layers", model_.layers, &ModelSpec::layers);
        number("n_embd", 768, "model.hidden", model_.hidden, &ModelSpec::hidden);
        number("n_head", 12, "model.heads", model_.heads, &ModelSpec::heads);
        number("vocab_size", 50257, "model.vocabulary", model_.vocabulary, &ModelSpec::vocabulary);
        width("n_inner", 4 * model_.hidden);
        window("n_positions", 1024, positions);
        window("n_ctx", nullptr, shorter);
        activation("activation_function", gptActivations);
        epsilon("layer_norm_epsilon", 1e-5);
        is("scale_attn_weights", true, {true});
        is("scale_attn_by_inverse_layer_idx", false, {false});
        is("reorder_and_upcast_attn", false, {false});
        is("add_cross_attention", false, {false});
        is("tie_word_embeddings", true, {true});
    }

    /// A Mistral is a Llama that may look back no further than its window, a Qwen2 one with biases for queries, keys
    /// and values, a Qwen3 one with norms of queries and keys; a Mixtral and a Qwen3-MoE have experts besides.
    void llama() {
        const Json type = config_.value("model_type", Json(configFamily(model_).type));
        if (type == "deepseek_v3" || type == "kimi_k2") return deepseek();
        if (type == "gpt_oss") {
            gptOss();
            ties();
            return rotary(150000, gptOssScaling);
        }
        if (parts_.latent)
            part("model_type", type, false, "model.kv_rank", std::to_string(model_.block.kvRank), "0",
                 [](ModelSpec& model, const Json&) { model.block.kvRank = 0; });
        const bool mixtral = type == "mixtral", experts = type == "qwen3_moe";
        const bool mistral = type == "mistral" || mixtral, qwen2 = type == "qwen2", qwen3 = type == "qwen3" || experts;
        number("num_hidden_layers", experts ? 24 : 32, "model.layers", model_.layers, &ModelSpec::layers);
        number("hidden_size", experts ? 2048 : 4096, "model.hidden", model_.hidden, &ModelSpec::hidden);
        number("num_attention_heads", 32, "model.heads", model_.heads, &ModelSpec::heads);
        const Json keys = mistral          ? Json(8)
                          : experts        ? Json(4)
                          : qwen2 || qwen3 ? Json(32)
                                           : value("num_attention_heads", 32);
        number("num_key_value_heads", keys, "model.kv_heads", keyHeads(model_), &BlockSpec::kvHeads);
        headWidths(qwen3 && !experts);
        number("vocab_size", qwen2 || qwen3 ? 151936 : 32000, "model.vocabulary", model_.vocabulary,
               &ModelSpec::vocabulary);
        if (experts) width("moe_intermediate_size", 768);
        else width("intermediate_size", mistral ? 14336 : qwen2 || qwen3 ? 22016 : 11008);
        if (mixtral || experts) topKExperts(type);
        activation("hidden_act", llamaActivations);
        epsilon("rms_norm_eps", mixtral ? 1e-5 : 1e-6);
        biases(qwen2, qwen3);
        part("model_type", type, parts_.queryKeyNorms == qwen3, "model.qk_norm",
             parts_.queryKeyNorms ? "true" : "false", qwen3 ? "true" : "false",
             [qwen3](ModelSpec& model, const Json&) { model.block.queryKeyNorms = qwen3; });
        ties();
        // Positions are turned, not learned: there is one for any sequence.
        window("max_position_embeddings", mistral ? 4096 * 32 : qwen2 || qwen3 ? 32768 : 2048, positions);
        made_.rows.back().fits = true;
        const bool slides = value("use_sliding_window", !(qwen2 || qwen3)) != false;
        made_.names.insert("max_window_layers");  // of those that slide
        if (mistral) slidingWindow(mixtral ? Json() : Json(4096));
        else if (slides) window("sliding_window", qwen2 || qwen3 ? Json(4096) : Json(), shorter);
        else made_.names.insert("sliding_window");
        rotary(mixtral ? 1e6 : 1e4);
    }

    void ties() {
        const Json theirs = value("tie_word_embeddings", false);
        part("tie_word_embeddings", theirs, theirs == parts_.tied, "model.output", parts_.tied ? "tied" : "separate",
             theirs == true ? "tied" : "separate", [](ModelSpec& model, const Json& taken) {
                 model.block.output = taken == true ? OutputKind::Tied : OutputKind::Default;
             });
        made_.rows.back().ours = parts_.tied;
    }

    /// A DeepSeek-V3 has latent attention, and experts in all but its lowest layers. The turned numbers of its heads
    /// are pairs of neighbours.
    void deepseek() {
        latent_ = true;
        number("num_hidden_layers", 61, "model.layers", model_.layers, &ModelSpec::layers);
        number("hidden_size", 7168, "model.hidden", model_.hidden, &ModelSpec::hidden);
        number("num_attention_heads", 128, "model.heads", model_.heads, &ModelSpec::heads);
        const Json heads = value("num_attention_heads", 128);
        is("num_key_value_heads", 128, std::vector<Json>(1, heads));
        made_.rows.back().ours = model_.heads;
        number("vocab_size", 129280, "model.vocabulary", model_.vocabulary, &ModelSpec::vocabulary);
        if (!hasExperts(model_) || value("first_k_dense_replace", 3) != 0) width("intermediate_size", 18432);
        made_.names.insert("intermediate_size");
        activation("hidden_act", llamaActivations);
        epsilon("rms_norm_eps", 1e-6);
        const Json ofFile = value("rms_norm_eps", 1e-6);
        made_.rows.push_back({"rms_norm_eps", sameValue(ofFile, 1e-6),
                              say("{}, and the norms of its latents have 1e-06 all the same, but the layout's "
                                  "norms all have one",
                                  stated("rms_norm_eps", ofFile)),
                              say("weights whose {} is {}", "rms_norm_eps", "1e-06"), nullptr});
        is("attention_bias", false, {false});
        part("model_type", "deepseek_v3", !parts_.biases, "model.biases", "all", "none",
             [](ModelSpec&, const Json&) {});
        ranks();
        sharedExperts();
        ties();
        window("max_position_embeddings", 4096, positions);
        made_.rows.back().fits = true;
        is("rope_interleave", true, {true});
        rotary(1e4);
    }

    void ranks() {
        const BlockSpec& block = model_.block;
        number("kv_lora_rank", 512, "model.kv_rank", parts_.latent ? block.kvRank : 0, &BlockSpec::kvRank);
        number("qk_nope_head_dim", 128, "model.head_width", headWidth(model_), &BlockSpec::headWidth);
        number("qk_rope_head_dim", 64, "model.rope_width", block.ropeWidth, &BlockSpec::ropeWidth);
        number("v_head_dim", 128, "model.value_width", valueWidth(model_), &BlockSpec::valueWidth);
        const bool straight = config_.contains("q_lora_rank") && config_["q_lora_rank"].is_null();
        const Json theirs = straight ? Json(0) : value("q_lora_rank", 1536);
        made_.names.insert("q_lora_rank");
        add("q_lora_rank", theirs, "model.q_rank", block.queryRank,
            [](ModelSpec& model, const Json& taken) { model.block.queryRank = positiveInteger(taken).value_or(0); });
        ConfigField& row = made_.rows.back();
        if (block.queryRank == 0) row.ours = nullptr;
        row.writesNull = block.queryRank == 0;
        const Json plain = value("qk_nope_head_dim", 128), turned = value("qk_rope_head_dim", 64);
        if (!plain.is_number() || !turned.is_number()) return;
        is("head_dim", nullptr, std::vector<Json>(1, turned));
        is("qk_head_dim", nullptr, std::vector<Json>(1, plain.get<double>() + turned.get<double>()));
    }

    /// Where the file says nothing, heads divide the hidden width, but in a Qwen3.
    void headWidths(bool qwen3) {
        if (model_.heads < 1) return;
        const Json theirs = value("head_dim", qwen3 ? Json(128) : Json());
        add("head_dim", theirs.is_null() ? Json(model_.hidden / model_.heads) : theirs, "model.head_width",
            headWidth(model_), nullptr);
        made_.rows.back().take = [theirs](ModelSpec& model) {
            const auto width = positiveInteger(theirs);
            model.block.headWidth = width && std::int64_t{*width} * model.heads != model.hidden ? *width : 0;
        };
    }

    /// A Qwen2 has biases for queries, keys and values whatever its file says; others say so of all products of an
    /// attention and of a feed-forward block.
    void biases(bool qwen2, bool qwen3) {
        const std::string_view ours = !parts_.qkvBias ? "none" : parts_.biases ? "all" : "qkv";
        if (qwen2) {
            part("model_type", "qwen2", ours == "qkv", "model.biases", ours, "qkv",
                 [](ModelSpec& model, const Json&) { model.block.biases = BiasKind::Qkv; });
            return is("attention_bias", nullptr, {false});
        }
        if (qwen3 || ours == "qkv") is("attention_bias", false, {false});
        if (ours == "qkv")
            return part("model_type", config_.value("model_type", Json()), false, "model.biases", ours, "none",
                        [](ModelSpec&, const Json&) {});
        for (const char* name : {"attention_bias", "mlp_bias"}) {
            if (qwen3) continue;
            const Json theirs = value(name, false);
            part(name, theirs, theirs == parts_.biases, "model.biases", ours, theirs == true ? "all" : "none",
                 [](ModelSpec& model, const Json& taken) {
                     model.block.biases = taken == true ? BiasKind::All : BiasKind::Default;
                 });
            if (name == std::string_view("mlp_bias")) made_.rows.back().take = {};  // both or none
            made_.rows.back().ours = parts_.biases;
        }
    }

    /// A Mistral's window, which is that of all layers; one as long as the sequence hides nothing.
    void slidingWindow(const Json& fallback) {
        const bool said = config_.contains("sliding_window");
        const Json theirs = said ? config_["sliding_window"] : fallback;
        made_.names.insert("sliding_window");
        const int ours = attendedTokens(model_, 0);
        const auto taken = positiveInteger(theirs);
        const int seen = taken ? std::min(*taken, model_.sequence) : model_.sequence;
        part("sliding_window", theirs, seen == ours, "model.window", std::to_string(model_.block.window),
             taken ? std::to_string(*taken) : "0",
             [](ModelSpec& model, const Json& window) { model.block.window = positiveInteger(window).value_or(0); });
        made_.rows.back().ours = model_.block.window > 0 ? Json(model_.block.window) : Json();
    }

    /// The angles of queries and keys, which older files keep in rope_theta and rope_scaling, newer ones in
    /// rope_parameters.
    /// `usual`: what transformers takes where a file says nothing of them; null: they are not scaled.
    void rotary(double usualBase, const Json& usual = {}) {
        bool named = config_.contains("rope_theta");
        Json scaling = "default";
        const bool said = config_.empty() || !config_.value("rope_scaling", Json()).is_null();
        for (const char* name : {"rope_scaling", "rope_parameters"}) {
            const Json rope = value(name, said || name == std::string_view("rope_scaling") ? Json() : usual);
            if (rope.is_null()) continue;
            if (!rope.is_object()) {
                differ(name, say("{} is {}, which is no object", name, shownValue(rope)), say("no {}", name));
                continue;
            }
            const Json type = rope.contains("rope_type") ? rope["rope_type"] : rope.value("type", Json("default"));
            if (type != "default") scaling = type;
            if (rope.contains("rope_theta")) {
                named = true;
                base(fmt::format("{}.rope_theta", name), rope["rope_theta"]);
            }
            if (type == "llama3" || type == "yarn") scaled(name, rope, type == "yarn");
            else if (type == "default") unscaled(name, rope);
            else
                differ(name,
                       say("{} is {}: their rotary embedding is scaled as no layout's is", name, shownValue(rope)),
                       say("weights without {}", name));
        }
        const RotarySpec& ours = model_.block.rotary;
        const std::string_view word = ours.scaling == RotaryScaling::None ? "default" : wordOf(ours.scaling);
        if (scaling == "default" || scaling == "llama3" || scaling == "yarn")
            part("rope_scaling", scaling, scaling == word, "model.rope_scaling", wordOf(ours.scaling),
                 scaling == "default" ? "none" : scaling.get<std::string>(), [](ModelSpec& model, const Json& theirs) {
                     model.block.rotary.scaling = theirs == "llama3" ? RotaryScaling::Llama3
                                                  : theirs == "yarn" ? RotaryScaling::Yarn
                                                                     : RotaryScaling::None;
                 });
        if (ours.scaling != RotaryScaling::None) made_.rows.back().ours = scalingOf(ours, parts_.latent);
        else if (!usual.is_null()) made_.rows.back().ours = {{"rope_type", "default"}};
        if (config_.contains("rope_theta") || !named) base("rope_theta", value("rope_theta", usualBase));
    }

    static Json scalingOf(const RotarySpec& rotary, bool latent) {
        const bool yarn = rotary.scaling == RotaryScaling::Yarn;
        Json made = {{"rope_type", wordOf(rotary.scaling)},
                     {"factor", rotary.factor},
                     {yarn ? "beta_slow" : "low_freq_factor", rotary.low},
                     {yarn ? "beta_fast" : "high_freq_factor", rotaryHigh(rotary)},
                     {"original_max_position_embeddings", rotary.original}};
        if (yarn && !rotary.truncate) made["truncate"] = false;
        if (yarn && latent) made["mscale"] = made["mscale_all_dim"] = 1.0;
        return made;
    }

    void unscaled(const std::string& name, const Json& rope) {
        for (const auto& [key, inner] : rope.items()) {
            const std::string place = fmt::format("{}.{}", name, key);
            if (key == "partial_rotary_factor") isOne(place, inner, {1});
            else if (key != "rope_theta" && key != "rope_type" && key != "type" && !inner.is_null())
                unknown(name, place, key, inner);
        }
    }

    /// The numbers of a scaled rotary embedding, each held against the layout's.
    void scaled(const std::string& name, const Json& rope, bool yarn) {
        const RotarySpec& ours = model_.block.rotary;
        const auto said = [&](const char* key, const Json& fallback) {
            return rope.contains(key) && !rope[key].is_null() ? rope[key] : fallback;
        };
        const auto place = [&](const char* key) { return fmt::format("{}.{}", name, key); };
        const char *low = yarn ? "beta_slow" : "low_freq_factor", *high = yarn ? "beta_fast" : "high_freq_factor";
        const char* original = "original_max_position_embeddings";
        add(place("factor"), said("factor", nullptr), "model.rope_factor", ours.factor, into(&RotarySpec::factor));
        add(place(low), said(low, 1), "model.rope_low", ours.low, into(&RotarySpec::low));
        add(place(high), said(high, yarn ? 32 : 4), "model.rope_high",
            rotaryHigh({.scaling = yarn ? RotaryScaling::Yarn : RotaryScaling::Llama3, .high = ours.high}),
            [usual = yarn ? 32 : 4, least = said(low, 1)](ModelSpec& model, const Json& theirs) {
                // A Kimi K2 has one number for both ends, between which a layout's pairs lie.
                if (!theirs.is_number() || (least.is_number() && theirs <= least)) return;
                model.block.rotary.high = theirs == usual ? 0 : theirs.get<double>();
            });
        add(place(original), said(original, value("max_position_embeddings", nullptr)), "model.rope_original",
            ours.original, into(&RotarySpec::original));
        if (yarn)
            add(place("truncate"), said("truncate", true), "model.rope_truncate", ours.truncate,
                [](ModelSpec& model, const Json& theirs) {
                    if (theirs.is_boolean()) model.block.rotary.truncate = theirs.get<bool>();
                });
        // A latent attention has all columns of its scores larger, not those alone that are turned.
        const bool scores = yarn && latent_;
        if (scores)
            for (const char* key : {"mscale", "mscale_all_dim"}) isOne(place(key), said(key, 0), {1});
        const Json factor = said("factor", nullptr);
        for (const auto& [key, inner] : rope.items()) {
            if (scores && key.starts_with("mscale")) continue;
            if (key == "attention_factor" && scores) isOne(place("attention_factor"), said("attention_factor", 1), {1});
            else if (key == "attention_factor" && yarn && factor.is_number())
                isOne(place("attention_factor"), said("attention_factor", 0.1 * std::log(factor.get<double>()) + 1),
                      {0.1 * std::log(factor.get<double>()) + 1});
            else if (key == "truncate" && yarn) continue;
            else if (key == "partial_rotary_factor") isOne(place("partial_rotary_factor"), inner, {1});
            else if (key != "rope_theta" && key != "rope_type" && key != "type" && key != "factor" && key != low &&
                     key != high && key != original && !inner.is_null())
                unknown(name, fmt::format("{}.{}", name, key), key, inner);
        }
    }

    void unknown(const std::string& name, const std::string& place, const std::string& key, const Json& inner) {
        differ(place, say("{} is {}, which is not known and may change the rotary embedding", place, shownValue(inner)),
               say("{} without {}, where it changes nothing", name, key));
    }

    /// What other models of transformers multiply, clip or leave out, at the value that changes nothing.
    void others() {
        const double ownScale = headWidth(model_) > 0 ? 1 / std::sqrt(double(headWidth(model_))) : 1;
        for (const char* factor :
             {"embedding_multiplier", "residual_multiplier", "logits_scaling", "logit_scale", "partial_rotary_factor"})
            is(factor, nullptr, {1});
        is("attention_multiplier", nullptr, {ownScale});
        is("n_special", nullptr, {0});
        for (const char* off : {"is_encoder_decoder", "tie_encoder_decoder", "cross_attention_hidden_size",
                                "use_qk_norm", "qkv_bias", "rope_interleaved", "use_mrope"})
            is(off, nullptr, {false});
        is("pruned_heads", nullptr, {Json::object()});
        if (config_.value("model_type", Json(configFamily(model_).type)) == "gpt_oss") return;
        const Json layers = value("layer_types", Json::array());
        for (const Json& layer : layers)
            if (layer != "full_attention")
                return differ("layer_types",
                              say("layer_types has {}, each layer of the {} model attends to all before",
                                  shownValue(layer), wordOf(model_.kind)),
                              say("weights whose layer_types are full_attention"));
    }

    void modelType() {
        std::vector<std::string_view> types, known;
        for (const ConfigFamily& family : configFamilies()) {
            if (family.kind != model_.kind) continue;
            known.push_back(family.type);
            if (family.weights) types.push_back(family.type);
        }
        if (types.empty()) return;
        const Json type = value("model_type", types.front());
        if (std::ranges::none_of(known, [&](std::string_view each) { return type == each; }))
            differ("model_type", say("model_type is {}, model.kind is {}", shownValue(type), wordOf(model_.kind)),
                   say("weights of model_type {}", anyOf(types)));
    }

    bool latent_ = false;  ///< the file's model has latent attention
};

}  // namespace

const std::vector<ConfigFamily>& configFamilies() {
    static const std::vector<ConfigFamily> families{{"gpt2", ModelKind::Gpt, "GPT2LMHeadModel"},
                                                    {"bloom", ModelKind::Gpt, "BloomForCausalLM", false},
                                                    {"mpt", ModelKind::Gpt, "MptForCausalLM", false},
                                                    {"llama", ModelKind::Llama, "LlamaForCausalLM"},
                                                    {"mistral", ModelKind::Llama, "MistralForCausalLM"},
                                                    {"qwen2", ModelKind::Llama, "Qwen2ForCausalLM"},
                                                    {"qwen3", ModelKind::Llama, "Qwen3ForCausalLM"},
                                                    {"mixtral", ModelKind::LlamaMoe, "MixtralForCausalLM"},
                                                    {"qwen3_moe", ModelKind::LlamaMoe, "Qwen3MoeForCausalLM"},
                                                    {"gpt_oss", ModelKind::LlamaMoe, "GptOssForCausalLM"},
                                                    {"deepseek_v3", ModelKind::LlamaMoe, "DeepseekV3ForCausalLM"},
                                                    {"deepseek_v3", ModelKind::Llama, "DeepseekV3ForCausalLM"},
                                                    {"kimi_k2", ModelKind::LlamaMoe, "DeepseekV3ForCausalLM", false}};
    return families;
}

const ConfigFamily& configFamily(const ModelSpec& model) {
    const BlockParts parts = blockParts(model);
    const bool llama = traits(model.kind).weights == WeightsFormat::Llama;
    const std::string_view type = isGptOss(model)                  ? "gpt_oss"
                                  : llama && parts.latent          ? "deepseek_v3"
                                  : hasExperts(model)              ? (parts.queryKeyNorms ? "qwen3_moe" : "mixtral")
                                  : !llama                         ? "gpt2"
                                  : parts.queryKeyNorms            ? "qwen3"
                                  : parts.qkvBias && !parts.biases ? "qwen2"
                                  : attendedTokens(model, 0) < model.sequence ? "mistral"
                                                                              : "llama";
    return *std::ranges::find(configFamilies(), type, &ConfigFamily::type);
}

ConfigFields configFields(const Json& config, const ModelSpec& model) { return Rows(config, model).all(); }

}  // namespace shardlab::trace
