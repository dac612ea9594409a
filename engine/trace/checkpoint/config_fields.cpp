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

const std::vector<ConfigActivation> plainActivations{
    {ActivationKind::GeluTanh, {"gelu_pytorch_tanh", "gelu_new", "gelu_fast"}},
    {ActivationKind::Gelu, {"gelu"}},
    {ActivationKind::SquaredRelu, {"relu2"}}};
const std::vector<ConfigActivation> gptActivations{
    {ActivationKind::GeluTanh, {"gelu_new", "gelu_pytorch_tanh", "gelu_fast"}}, {ActivationKind::Gelu, {"gelu"}}};
const std::vector<ConfigActivation> gatedActivations{{ActivationKind::SwiGlu, {"silu", "swish"}},
                                                     {ActivationKind::GeGlu, {"gelu"}},
                                                     {ActivationKind::GeGluTanh, {"gelu_pytorch_tanh", "gelu_new"}}};

/// Makes the rows of one file and one model.
class Rows : GptOssRows {
public:
    Rows(const Json& config, const ModelSpec& model) : GptOssRows(config, model) {}

    ConfigFields all() {
        modelType();
        if (traits(model_.kind).weights == WeightsFormat::Llama) llama();
        else if (family_.type == "bloom") bloom();
        else if (family_.type == "mpt") mpt();
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
        activation("activation_function", gptActivations, ActivationKind::GeluTanh);
        epsilon("layer_norm_epsilon", 1e-5);
        is("scale_attn_weights", true, {true});
        is("scale_attn_by_inverse_layer_idx", false, {false});
        is("reorder_and_upcast_attn", false, {false});
        is("add_cross_attention", false, {false});
        is("tie_word_embeddings", true, {true});
    }

    /// What families with a Llama's names have, as their row of config_families.h says.
    void llama() {
        if (family_.latent) return deepseek();
        if (family_.activation == ActivationKind::ClampedSwiGlu) {
            gptOss();
            ties();
            return rotary(family_.base, family_.scaling);
        }
        sizes();
        always(!parts_.latent, "model.kv_rank", std::to_string(model_.block.kvRank), "0",
               [](ModelSpec& model) { model.block.kvRank = 0; });
        number("num_key_value_heads",
               family_.keyHeads > 0 ? Json(family_.keyHeads) : value("num_attention_heads", family_.heads),
               "model.kv_heads", keyHeads(model_), &BlockSpec::kvHeads);
        headWidths();
        const ConfigExperts& experts = family_.experts;
        const bool mixture = traits(family_.kind).expertsEvery > 0,
                   shared = experts.gate == ConfigExperts::Gate::Sigmoid;
        if (mixture && experts.width > 0 && !shared) width("moe_intermediate_size", experts.width);
        else denseWidth();
        if (mixture && !shared) topKExperts();
        if (mixture && shared) sharedExperts();
        norms();
        activation("hidden_act", activations(), family_.activation);
        biases();
        ties();
        windows();
        rotary(family_.base, family_.scaling);
    }

    const std::vector<ConfigActivation>& activations() const {
        const auto is = [&](const ConfigActivation& each) { return each.kind == family_.activation; };
        return std::ranges::any_of(gatedActivations, is) ? gatedActivations : plainActivations;
    }

    void norms() {
        const auto word = [](bool rms) { return wordOf(rms ? NormKind::Rms : NormKind::Layer); };
        const bool rms = family_.norm == NormKind::Rms, norms = family_.queryKeyNorms;
        always(parts_.rmsNorm == rms, "model.norm", word(parts_.rmsNorm), word(rms),
               [rms](ModelSpec& model) { model.block.norm = rms ? NormKind::Default : NormKind::Layer; });
        always(parts_.queryKeyNorms == norms, "model.qk_norm", parts_.queryKeyNorms ? "true" : "false",
               norms ? "true" : "false", [norms](ModelSpec& model) { model.block.queryKeyNorms = norms; });
    }

    void windows() {
        const Json length = family_.windowLength > 0 ? Json(family_.windowLength) : Json();
        made_.names.insert("max_window_layers");  // of those that slide
        if (family_.window == ConfigFamily::Window::All) return slidingWindow(length);
        if (family_.window == ConfigFamily::Window::Types) return layerTypes();
        const bool slides = value("use_sliding_window", family_.window == ConfigFamily::Window::None) != false;
        if (slides) window("sliding_window", length, shorter);
        else made_.names.insert("sliding_window");
    }

    void ties() {
        const Json theirs = value("tie_word_embeddings", family_.tied);
        part("tie_word_embeddings", theirs, theirs == parts_.tied, "model.output", parts_.tied ? "tied" : "separate",
             theirs == true ? "tied" : "separate", [](ModelSpec& model, const Json& taken) {
                 model.block.output = taken == true ? OutputKind::Tied : OutputKind::Default;
             });
        made_.rows.back().ours = parts_.tied;
    }

    /// A DeepSeek-V3 has latent attention, and experts in all but its lowest layers. The turned numbers of its heads
    /// are pairs of neighbours.
    void deepseek() {
        sizes();
        const Json heads = value("num_attention_heads", family_.heads);
        is("num_key_value_heads", family_.keyHeads > 0 ? Json(family_.keyHeads) : heads, std::vector<Json>(1, heads));
        made_.rows.back().ours = model_.heads;
        denseWidth();
        activation("hidden_act", activations(), family_.activation);
        const Json ofFile = value("rms_norm_eps", family_.epsilon);
        made_.rows.push_back({"rms_norm_eps", sameValue(ofFile, 1e-6),
                              say("{}, and the norms of its latents have 1e-06 all the same, but the layout's "
                                  "norms all have one",
                                  stated("rms_norm_eps", ofFile)),
                              say("weights whose {} is {}", "rms_norm_eps", "1e-06"), nullptr});
        biases();
        ranks();
        sharedExperts();
        ties();
        is("rope_interleave", true, {true});
        rotary(family_.base);
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

    /// That of blocks without experts, where there may be any.
    void denseWidth() {
        const bool lowest = family_.experts.shared > 0 || family_.experts.gate == ConfigExperts::Gate::Sigmoid;
        const Json dense =
            config_.empty() ? Json(model_.experts.denseLayers) : value("first_k_dense_replace", family_.experts.dense);
        const bool none = lowest && hasExperts(model_) && dense == 0;
        if (!none) width("intermediate_size", family_.width);
        made_.names.insert("intermediate_size");
    }

    /// Where neither file nor family says one, heads divide the hidden width.
    void headWidths() {
        if (model_.heads < 1) return;
        const Json theirs = value("head_dim", family_.headWidth > 0 ? Json(family_.headWidth) : Json());
        add("head_dim", theirs.is_null() ? Json(model_.hidden / model_.heads) : theirs, "model.head_width",
            headWidth(model_), nullptr);
        made_.rows.back().take = [theirs](ModelSpec& model) {
            const auto width = positiveInteger(theirs);
            model.block.headWidth = width && std::int64_t{*width} * model.heads != model.hidden ? *width : 0;
        };
    }

    /// Which products add biases, by the fields that the family has for that.
    void biases() {
        const BiasKind ours = parts_.biases ? BiasKind::All : parts_.qkvBias ? BiasKind::Qkv : BiasKind::None;
        bool said = ours == BiasKind::None, taken = false;
        for (const ConfigBias& each : family_.biases) {
            said = said || each.gives == ours;
            if (each.gives == BiasKind::None) {
                is(each.name, each.usual ? Json(true) : Json(), {false});
                continue;
            }
            const bool field = each.name != std::string_view("model_type");
            const Json theirs = field ? value(each.name, each.usual) : Json(true);
            const bool fits = (theirs == true) == (each.gives == ours);
            part(each.name, field ? theirs : Json(family_.type), fits, "model.biases", wordOf(ours),
                 wordOf(theirs == true ? each.gives : BiasKind::None),
                 [gives = each.gives, field](ModelSpec& model, const Json& value) {
                     model.block.biases = !field || value == true ? gives : BiasKind::Default;
                 });
            if (taken) made_.rows.back().take = {};  // all of them or none
            taken = true;
            if (field) made_.rows.back().ours = each.gives == ours;
        }
        if (!said) always(false, "model.biases", wordOf(ours), wordOf(BiasKind::None), [](ModelSpec&) {});
        for (const char* none : {"attention_bias", "mlp_bias"})
            if (!made_.names.contains(none)) is(none, nullptr, {false});
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
        made_.names.insert("original_max_position_embeddings");  // of those that are scaled
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
        add(place(original), said(original, value(original, value("max_position_embeddings", nullptr))),
            "model.rope_original", ours.original, into(&RotarySpec::original));
        if (yarn)
            add(place("truncate"), said("truncate", true), "model.rope_truncate", ours.truncate,
                [](ModelSpec& model, const Json& theirs) {
                    if (theirs.is_boolean()) model.block.rotary.truncate = theirs.get<bool>();
                });
        // A latent attention has all columns of its scores larger, not those alone that are turned.
        const bool scores = yarn && family_.latent;
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
        const Json rope = config_.value("rope_parameters", Json());
        const auto only = [&](const char* name, const Json& legal) {
            const bool within = rope.is_object() && rope.contains(name);  // where rotary() looks at it
            is(name, within ? Json() : usual(name), {legal});
        };
        for (const char* factor :
             {"embedding_multiplier", "residual_multiplier", "logits_scaling", "logit_scale", "partial_rotary_factor"})
            only(factor, 1);
        only("attention_multiplier", ownScale);
        only("n_special", 0);
        for (const char* off :
             {"is_encoder_decoder", "tie_encoder_decoder", "cross_attention_hidden_size", "use_qk_norm", "qkv_bias",
              "rope_interleaved", "use_mrope", "use_parallel_residual", "qk_layernorm"})
            only(off, false);
        only("pruned_heads", Json::object());
        turnedLayers();
        if (family_.window == ConfigFamily::Window::Types) return;
        const Json layers = value("layer_types", Json::array());
        for (const Json& layer : layers)
            if (layer != "full_attention")
                return differ("layer_types",
                              say("layer_types has {}, each layer of the {} model attends to all before",
                                  shownValue(layer), wordOf(model_.kind)),
                              say("weights whose layer_types are full_attention"));
    }

    /// What the family takes for a field that no layout has.
    Json usual(const char* name) const {
        return family_.usual.is_object() ? family_.usual.value(name, Json()) : Json();
    }

    /// Layers of a family that turns positions in some alone.
    void turnedLayers() {
        made_.names.insert("no_rope_layer_interval");
        const Json layers = value("no_rope_layers", usual("no_rope_layers"));
        if (std::ranges::any_of(layers, [](const Json& turns) { return turns != 1; }))
            differ("no_rope_layers",
                   say("{}, a layout's model turns positions in all its layers", stated("no_rope_layers", layers)),
                   say("weights whose {} is {}", "no_rope_layers", "1"));
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
};

}  // namespace

ConfigFields configFields(const Json& config, const ModelSpec& model) { return Rows(config, model).all(); }

}  // namespace shardlab::trace
