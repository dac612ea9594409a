// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/config_fields.h"

#include "engine/layout/model_shape.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>

namespace shardlab::trace {
namespace {

using Json = nlohmann::json;

/// The norms of our models add it to a variance (kernels/layer_norm.h, kernels/rms_norm.h).
constexpr double normEpsilon = 1e-5;

/// Tokens of a sample, where a layout is made for a model that could have more: what comes after costs memory and time.
constexpr int longestTaken = 4096;

bool equal(const Json& a, const Json& b) {
    if (!a.is_number() || !b.is_number()) return a == b;
    const double x = a.get<double>(), y = b.get<double>();
    return std::abs(x - y) <= 1e-9 * std::abs(y);
}

std::optional<int> positiveInteger(const Json& value) {
    if (!value.is_number_integer() || value < 1 || value > std::numeric_limits<int>::max()) return std::nullopt;
    return value.get<int>();
}

/// Makes the rows of one file and one model.
class Rows {
public:
    Rows(const Json& config, const ModelSpec& model) : config_(config), model_(model) {}

    ConfigFields all() {
        modelType();
        if (model_.kind == ModelKind::Llama) llama();
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
        is("activation_function", "gelu_new", {"gelu_new", "gelu_pytorch_tanh", "gelu_fast"});
        is("layer_norm_epsilon", 1e-5, {normEpsilon});
        is("scale_attn_weights", true, {true});
        is("scale_attn_by_inverse_layer_idx", false, {false});
        is("reorder_and_upcast_attn", false, {false});
        is("add_cross_attention", false, {false});
        is("tie_word_embeddings", true, {true});
    }

    /// A Mistral is a Llama that may look back no further than its window.
    void llama() {
        const bool mistral = config_.value("model_type", Json()) == "mistral";
        number("num_hidden_layers", 32, "model.layers", model_.layers, &ModelSpec::layers);
        number("hidden_size", 4096, "model.hidden", model_.hidden, &ModelSpec::hidden);
        number("num_attention_heads", 32, "model.heads", model_.heads, &ModelSpec::heads);
        const Json keys = mistral ? Json(8) : value("num_attention_heads", 32);
        row("num_key_value_heads", keys, "model.kv_heads", keyHeads(model_), [](ModelSpec& model, const Json& theirs) {
            if (const auto heads = positiveInteger(theirs)) model.block.kvHeads = *heads;
        });
        if (model_.heads > 0) {
            is("head_dim", nullptr, {model_.hidden / model_.heads});
            made_.rows.back().ours = model_.hidden / model_.heads;
        }
        number("vocab_size", 32000, "model.vocabulary", model_.vocabulary, &ModelSpec::vocabulary);
        width("intermediate_size", mistral ? 14336 : 11008);
        is("hidden_act", "silu", {"silu", "swish"});
        is("rms_norm_eps", 1e-6, {normEpsilon});
        is("attention_bias", false, {false});
        is("mlp_bias", false, {false});
        is("tie_word_embeddings", false, {false});
        // Positions are turned, not learned: there is one for any sequence.
        window("max_position_embeddings", mistral ? 4096 * 32 : 2048, positions);
        made_.rows.back().fits = true;
        const bool slides = value("use_sliding_window", true) != false;
        if (slides) window("sliding_window", mistral ? Json(4096) : Json(), shorter);
        else made_.names.insert("sliding_window");
        rotary();
    }

    /// The angles of queries and keys, which older files keep in rope_theta and rope_scaling, newer ones in
    /// rope_parameters.
    void rotary() {
        bool named = config_.contains("rope_theta");
        for (const char* name : {"rope_scaling", "rope_parameters"}) {
            const Json rope = value(name, nullptr);
            if (rope.is_null()) continue;
            if (!rope.is_object()) {
                differ(name, fmt::format("{} is {}, which is no object", name, shownValue(rope)),
                       fmt::format("no {}", name));
                continue;
            }
            const Json type = rope.contains("rope_type") ? rope["rope_type"] : rope.value("type", Json("default"));
            if (type != "default")
                differ(name,
                       fmt::format("{} is {}: their rotary embedding is scaled, that of the llama model is not", name,
                                   shownValue(rope)),
                       fmt::format("weights without {}", name));
            for (const auto& [key, inner] : rope.items()) {
                const std::string place = fmt::format("{}.{}", name, key);
                if (key == "rope_theta") {
                    named = true;
                    base(place, inner);
                } else if (type != "default") {
                    continue;
                } else if (key == "partial_rotary_factor") {
                    isOne(place, inner, {1});
                } else if (key != "rope_type" && key != "type" && !inner.is_null()) {
                    differ(place,
                           fmt::format("{} is {}, which is not known and may change the rotary embedding", place,
                                       shownValue(inner)),
                           fmt::format("{} without {}, where it changes nothing", name, key));
                }
            }
        }
        if (config_.contains("rope_theta") || !named) base("rope_theta", value("rope_theta", 10000));
    }

    /// What other models of transformers multiply, clip or leave out, at the value that changes nothing.
    void others() {
        const double ownScale =
            model_.heads > 0 && model_.hidden > 0 ? std::sqrt(double(model_.heads) / model_.hidden) : 1;
        for (const char* factor :
             {"embedding_multiplier", "residual_multiplier", "logits_scaling", "logit_scale", "partial_rotary_factor"})
            is(factor, nullptr, {1});
        is("attention_multiplier", nullptr, {ownScale});
        is("n_special", nullptr, {0});
        for (const char* off :
             {"is_encoder_decoder", "tie_encoder_decoder", "cross_attention_hidden_size", "use_qk_norm", "qkv_bias"})
            is(off, nullptr, {false});
        is("pruned_heads", nullptr, {Json::object()});
        const Json layers = value("layer_types", Json::array());
        for (const Json& layer : layers)
            if (layer != "full_attention")
                return differ("layer_types",
                              fmt::format("layer_types has {}, each layer of the {} model attends to all before",
                                          shownValue(layer), wordOf(model_.kind)),
                              "weights whose layer_types are full_attention");
    }

    void modelType() {
        std::vector<std::string_view> types;
        for (const ConfigFamily& family : configFamilies())
            if (family.kind == model_.kind) types.push_back(family.type);
        if (types.empty()) return;
        const Json type = value("model_type", types.front());
        if (std::ranges::none_of(types, [&](std::string_view each) { return type == each; }))
            differ("model_type",
                   fmt::format("model_type is {}, model.kind is {}", shownValue(type), wordOf(model_.kind)),
                   fmt::format("weights of model_type {}", fmt::join(types, " or ")));
    }

    Json value(const std::string& name, const Json& fallback) {
        made_.names.insert(name);
        const auto found = config_.find(name);
        return found == config_.end() || found->is_null() ? fallback : *found;
    }

    /// "n_head is 12", or what it is where the file does not say.
    std::string stated(const std::string& name, const Json& effective) const {
        const bool inner = name.find('.') != std::string::npos;  // one of rope_parameters, say, which is there
        const bool said = inner || (config_.contains(name) && !config_[name].is_null());
        return fmt::format("{} is {}{}", name, shownValue(effective), said ? "" : " where it is not given");
    }

    void differ(const std::string& name, std::string what, std::string legal) {
        made_.rows.push_back({name, false, std::move(what), std::move(legal), nullptr});
    }

    /// Sets a field to what the file says.
    using Take = void (*)(ModelSpec& model, const Json& theirs);

    void row(const std::string& name, const Json& fallback, std::string_view field, const Json& ours, Take take) {
        add(name, value(name, fallback), field, ours, take);
    }

    void add(const std::string& name, const Json& theirs, std::string_view field, const Json& ours, Take take) {
        made_.rows.push_back({name, equal(theirs, ours),
                              fmt::format("{}, {} is {}", stated(name, theirs), field, shownValue(ours)),
                              fmt::format("{} {}", field, shownValue(theirs)), ours,
                              [theirs, take](ModelSpec& model) { take(model, theirs); }});
    }

    void number(const std::string& name, const Json& fallback, std::string_view field, int ours,
                int ModelSpec::*member) {
        row(name, fallback, field, ours, nullptr);
        made_.rows.back().take = [member, theirs = value(name, fallback)](ModelSpec& model) {
            if (const auto taken = positiveInteger(theirs)) model.*member = *taken;
        };
    }

    void width(const std::string& name, int fallback) {
        const bool said = config_.contains(name) && !config_[name].is_null();
        const Json theirs = value(name, fallback);
        ConfigField made{name, true, {}, {}, feedForwardWidth(model_, 0), [theirs, said](ModelSpec& model) {
                             const auto taken = positiveInteger(theirs);
                             if (taken && (said || model.kind == ModelKind::Llama)) model.feedForward = {*taken};
                         }};
        const int widths = std::max(1, static_cast<int>(model_.feedForward.size()));
        for (int layer = 0; layer < std::min(widths, model_.layers) && made.fits; ++layer) {
            const int ours = feedForwardWidth(model_, layer);
            if (equal(theirs, ours)) continue;
            made.fits = false;
            made.what = fmt::format("{}, the width of the layout's layer {} is {}", stated(name, theirs), layer, ours);
            made.legal = fmt::format("model.feed_forward [{}]", shownValue(theirs));
        }
        made_.rows.push_back(std::move(made));
    }

    static void positions(ModelSpec& model, const Json& theirs) {
        if (const auto taken = positiveInteger(theirs)) model.sequence = std::min(*taken, longestTaken);
    }
    static void shorter(ModelSpec& model, const Json& theirs) {
        if (const auto taken = positiveInteger(theirs)) model.sequence = std::min(*taken, model.sequence);
    }

    /// Tokens that are learned or attended to: more than the layout's sequence has change nothing.
    void window(const std::string& name, const Json& fallback, Take take) {
        const Json theirs = value(name, fallback);
        const bool fits = theirs.is_null() || (theirs.is_number() && theirs.get<double>() >= model_.sequence);
        made_.rows.push_back({name, fits,
                              fmt::format("{}, model.sequence is {}", stated(name, theirs), model_.sequence),
                              fmt::format("model.sequence of at most {}", shownValue(theirs)),
                              fallback.is_null() ? Json() : Json(model_.sequence),
                              [theirs, take](ModelSpec& model) { take(model, theirs); }});
    }

    /// One of these values, of which the first is named and written. Without a fallback one that is left out is not
    /// compared, and none is written.
    void is(const std::string& name, const Json& fallback, const std::vector<Json>& legal) {
        const Json theirs = value(name, fallback);
        isOne(name, theirs.is_null() ? legal.front() : theirs, legal);
        made_.rows.back().ours = fallback.is_null() ? Json() : legal.front();
    }

    void isOne(const std::string& name, const Json& theirs, const std::vector<Json>& legal) {
        const bool fits = std::ranges::any_of(legal, [&](const Json& each) { return equal(theirs, each); });
        made_.rows.push_back({name, fits,
                              fmt::format("{}, the {} model has {}", stated(name, theirs), wordOf(model_.kind),
                                          shownValue(legal.front())),
                              fmt::format("weights whose {} is {}", name, shownValue(legal.front())), nullptr});
    }

    void base(const std::string& name, const Json& theirs) {
        add(name, theirs, "model.rope_base", model_.block.rotary.base, [](ModelSpec& model, const Json& taken) {
            if (taken.is_number()) model.block.rotary.base = taken.get<double>();
        });
    }

    const Json& config_;
    const ModelSpec& model_;
    ConfigFields made_;
};

}  // namespace

const std::vector<ConfigFamily>& configFamilies() {
    static const std::vector<ConfigFamily> families{{"gpt2", ModelKind::Gpt, "GPT2LMHeadModel"},
                                                    {"llama", ModelKind::Llama, "LlamaForCausalLM"},
                                                    {"mistral", ModelKind::Llama, "MistralForCausalLM"}};
    return families;
}

std::string shownValue(const Json& value) {
    constexpr std::size_t most = 60;
    std::string text = value.dump(-1, ' ', true);
    if (text.size() > most) text.replace(most, std::string::npos, " …");
    return text;
}

ConfigFields configFields(const Json& config, const ModelSpec& model) { return Rows(config, model).all(); }

}  // namespace shardlab::trace
