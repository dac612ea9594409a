// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/weights_config.h"

#include "engine/base/file.h"
#include "engine/layout/json_text.h"
#include "engine/layout/model_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <set>
#include <string_view>

namespace shardlab::trace {
namespace {

using Json = nlohmann::json;

/// The norms of our models add it to a variance (kernels/layer_norm.h, kernels/rms_norm.h).
constexpr double normEpsilon = 1e-5;

/// Fields of transformers' files that change nothing of what a forward or a backward computes: names, tokens, what is
/// generated or returned and how, how weights were drawn and stored, and dropout, which is the layout's own choice.
constexpr std::array harmless{"_name_or_path",
                              "architectures",
                              "transformers_version",
                              "torch_dtype",
                              "dtype",
                              "torchscript",
                              "use_bfloat16",
                              "bos_token_id",
                              "eos_token_id",
                              "pad_token_id",
                              "sep_token_id",
                              "decoder_start_token_id",
                              "tokenizer_class",
                              "prefix",
                              "id2label",
                              "label2id",
                              "problem_type",
                              "finetuning_task",
                              "num_labels",
                              "task_specific_params",
                              "initializer_range",
                              "_num_labels",
                              "predict_special_tokens",
                              "output_past",
                              "max_sequence_length",
                              "use_cache",
                              "return_dict",
                              "output_attentions",
                              "output_hidden_states",
                              "output_scores",
                              "return_dict_in_generate",
                              "attn_pdrop",
                              "embd_pdrop",
                              "resid_pdrop",
                              "attention_dropout",
                              "hidden_dropout",
                              "summary_type",
                              "summary_use_proj",
                              "summary_activation",
                              "summary_proj_to_labels",
                              "summary_first_dropout",
                              "gradient_checkpointing",
                              "pretraining_tp",
                              "chunk_size_feed_forward",
                              "is_decoder",
                              "attn_implementation",
                              "_attn_implementation",
                              "_attn_implementation_autoset",
                              "_commit_hash",
                              "max_length",
                              "min_length",
                              "do_sample",
                              "early_stopping",
                              "num_beams",
                              "num_beam_groups",
                              "diversity_penalty",
                              "temperature",
                              "top_k",
                              "top_p",
                              "typical_p",
                              "repetition_penalty",
                              "length_penalty",
                              "no_repeat_ngram_size",
                              "encoder_no_repeat_ngram_size",
                              "bad_words_ids",
                              "num_return_sequences",
                              "forced_bos_token_id",
                              "forced_eos_token_id",
                              "remove_invalid_values",
                              "suppress_tokens",
                              "begin_suppress_tokens",
                              "exponential_decay_length_penalty",
                              "unsloth_version",
                              "unsloth_fixed"};

/// A value as the file has it, cut where it is long.
std::string shown(const Json& value) {
    constexpr std::size_t most = 60;
    std::string text = value.dump(-1, ' ', true);
    if (text.size() > most) text.replace(most, std::string::npos, " …");
    return text;
}

bool equal(const Json& a, const Json& b) {
    if (!a.is_number() || !b.is_number()) return a == b;
    const double x = a.get<double>(), y = b.get<double>();
    return std::abs(x - y) <= 1e-9 * std::abs(y);
}

/// Compares one file with one model and collects what differs.
class ConfigComparison {
public:
    ConfigComparison(const Json& config, const ModelSpec& model) : config_(config), model_(model) {}

    std::vector<WeightMismatch> differences() {
        if (isLlama(model_)) compareLlama();
        else compareGpt2();
        compareBoth();
        std::vector<std::string> unknown;
        for (const auto& [name, value] : config_.items())
            if (!value.is_null() && !compared_.contains(name) && std::ranges::find(harmless, name) == harmless.end())
                unknown.push_back(fmt::format("{} {}", name, shown(value)));
        if (!unknown.empty())
            differ(fmt::format("there are fields that are not known and may change what the model computes: {}",
                               fmt::join(unknown, ", ")),
                   "a config.json without the fields that are not known, where they change nothing");
        return std::move(differences_);
    }

private:
    void compareGpt2() {
        typeIs({"gpt2"});
        size("n_layer", 12, model_.layers, "model.layers");
        size("n_embd", 768, model_.hidden, "model.hidden");
        size("n_head", 12, model_.heads, "model.heads");
        size("vocab_size", 50257, model_.vocabulary, "model.vocabulary");
        width("n_inner", 4 * model_.hidden);
        window("n_positions", 1024);
        window("n_ctx", nullptr);
        is("activation_function", "gelu_new", {"gelu_new", "gelu_pytorch_tanh", "gelu_fast"});
        is("layer_norm_epsilon", 1e-5, {normEpsilon});
        is("scale_attn_weights", true, {true});
        is("scale_attn_by_inverse_layer_idx", false, {false});
        is("reorder_and_upcast_attn", false, {false});
        is("add_cross_attention", false, {false});
        is("tie_word_embeddings", true, {true});
    }

    /// A Mistral is a Llama that may look back no further than its window.
    void compareLlama() {
        typeIs({"llama", "mistral"});
        const bool mistral = config_.value("model_type", Json()) == "mistral";
        size("num_hidden_layers", 32, model_.layers, "model.layers");
        size("hidden_size", 4096, model_.hidden, "model.hidden");
        size("num_attention_heads", 32, model_.heads, "model.heads");
        const Json keys = mistral ? Json(8) : value("num_attention_heads", 32);
        size("num_key_value_heads", keys, keyHeads(model_), "model.kv_heads");
        if (model_.heads > 0) is("head_dim", nullptr, {model_.hidden / model_.heads});
        size("vocab_size", 32000, model_.vocabulary, "model.vocabulary");
        width("intermediate_size", mistral ? 14336 : 11008);
        is("hidden_act", "silu", {"silu", "swish"});
        is("rms_norm_eps", 1e-6, {normEpsilon});
        is("attention_bias", false, {false});
        is("mlp_bias", false, {false});
        is("tie_word_embeddings", false, {false});
        compared_.insert(
            "max_position_embeddings");  // positions are turned, not learned: there is one for any sequence
        compared_.insert("use_sliding_window");
        if (value("use_sliding_window", true) != false) window("sliding_window", mistral ? Json(4096) : Json());
        else compared_.insert("sliding_window");
        compareRotary();
    }

    /// The angles of queries and keys, which older files keep in rope_theta and rope_scaling, newer ones in
    /// rope_parameters.
    void compareRotary() {
        bool named = config_.contains("rope_theta");
        for (const char* name : {"rope_scaling", "rope_parameters"}) {
            const Json rope = value(name, nullptr);
            if (rope.is_null()) continue;
            if (!rope.is_object()) {
                differ(fmt::format("{} is {}, which is no object", name, shown(rope)), fmt::format("no {}", name));
                continue;
            }
            const Json type = rope.contains("rope_type") ? rope["rope_type"] : rope.value("type", Json("default"));
            if (type != "default") {
                differ(fmt::format("{} is {}: their rotary embedding is scaled, that of the llama model is not", name,
                                   shown(rope)),
                       fmt::format("weights without {}", name));
                continue;
            }
            for (const auto& [key, inner] : rope.items()) {
                if (key == "rope_theta") named = true;
                if (key == "rope_theta") base(fmt::format("{}.rope_theta", name), inner);
                else if (key == "partial_rotary_factor") isOne(fmt::format("{}.{}", name, key), inner, {1});
                else if (key != "rope_type" && key != "type" && !inner.is_null())
                    differ(fmt::format("{}.{} is {}, which is not known and may change the rotary embedding", name, key,
                                       shown(inner)),
                           fmt::format("{} without {}, where it changes nothing", name, key));
            }
        }
        if (config_.contains("rope_theta") || !named) base("rope_theta", value("rope_theta", 10000));
    }

    /// What other models of transformers multiply, clip or leave out, at the value that changes nothing.
    void compareBoth() {
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
            if (layer != "full_attention") {
                differ(fmt::format("layer_types has {}, each layer of the {} model attends to all before", shown(layer),
                                   wordOf(model_.kind)),
                       "weights whose layer_types are full_attention");
                break;
            }
    }

    Json value(const std::string& name, const Json& fallback) {
        compared_.insert(name);
        const auto found = config_.find(name);
        return found == config_.end() || found->is_null() ? fallback : *found;
    }

    /// "n_head is 12", or what it is where the file does not say.
    std::string stated(const std::string& name, const Json& effective) const {
        const bool inner = name.find('.') != std::string::npos;  // one of rope_parameters, say, which is there
        const bool said = inner || (config_.contains(name) && !config_[name].is_null());
        return fmt::format("{} is {}{}", name, shown(effective), said ? "" : " where it is not given");
    }

    void differ(std::string what, std::string legal) {
        differences_.push_back({"config.json: " + std::move(what), std::move(legal)});
    }

    void typeIs(const std::vector<std::string>& legal) {
        const Json type = value("model_type", legal.front());
        if (std::ranges::none_of(legal, [&](const std::string& each) { return type == each; }))
            differ(fmt::format("model_type is {}, model.kind is {}", shown(type), wordOf(model_.kind)),
                   fmt::format("weights of model_type {}", fmt::join(legal, " or ")));
    }

    void size(const std::string& name, const Json& fallback, int ours, const std::string& field) {
        const Json theirs = value(name, fallback);
        if (!equal(theirs, ours))
            differ(fmt::format("{}, {} is {}", stated(name, theirs), field, ours),
                   fmt::format("{} {}", field, shown(theirs)));
    }

    void width(const std::string& name, int fallback) {
        const Json theirs = value(name, fallback);
        for (int layer = 0; layer < model_.layers; ++layer) {
            const int ours = feedForwardWidth(model_, layer);
            if (equal(theirs, ours)) continue;
            return differ(
                fmt::format("{}, the width of the layout's layer {} is {}", stated(name, theirs), layer, ours),
                fmt::format("model.feed_forward [{}]", shown(theirs)));
        }
    }

    /// Tokens that are learned or attended to: more than the layout's sequence has change nothing.
    void window(const std::string& name, const Json& fallback) {
        const Json theirs = value(name, fallback);
        if (theirs.is_null() || (theirs.is_number() && theirs.get<double>() >= model_.sequence)) return;
        differ(fmt::format("{}, model.sequence is {}", stated(name, theirs), model_.sequence),
               fmt::format("model.sequence of at most {}", shown(theirs)));
    }

    /// One of these values, of which the first is named. Without a fallback one that is left out is not compared.
    void is(const std::string& name, const Json& fallback, const std::vector<Json>& legal) {
        const Json theirs = value(name, fallback);
        if (!theirs.is_null()) isOne(name, theirs, legal);
    }

    void isOne(const std::string& name, const Json& theirs, const std::vector<Json>& legal) {
        if (std::ranges::any_of(legal, [&](const Json& each) { return equal(theirs, each); })) return;
        differ(fmt::format("{}, the {} model has {}", stated(name, theirs), wordOf(model_.kind), shown(legal.front())),
               fmt::format("weights whose {} is {}", name, shown(legal.front())));
    }

    void base(const std::string& name, const Json& theirs) {
        if (!equal(theirs, model_.llama.ropeBase))
            differ(fmt::format("{}, model.rope_base is {}", stated(name, theirs), model_.llama.ropeBase),
                   fmt::format("model.rope_base {}", shown(theirs)));
    }

    const Json& config_;
    const ModelSpec& model_;
    std::vector<WeightMismatch> differences_;
    std::set<std::string, std::less<>> compared_;
};

}  // namespace

std::filesystem::path weightsConfig(const std::filesystem::path& weights) {
    std::error_code ignored;
    return (std::filesystem::is_directory(weights, ignored) ? weights : weights.parent_path()) / "config.json";
}

Result<std::vector<WeightMismatch>> compareConfig(const std::filesystem::path& config, const ModelSpec& model) {
    const Result<std::string> text = readFile(config, largestJson);
    if (!text) return fail(text.error());
    const auto unreadable = [&](std::string why) {
        return fail(Error{"cannot compare the weights with the layout's model", config.string(), std::move(why),
                          "a config.json as transformers writes it"});
    };
    const Result<JsonText> json = parseJsonText(*text);
    if (!json) return unreadable(json.error().text());
    if (!json->root.is_object()) return unreadable("it is no JSON object");
    if (!json->duplicates.empty()) return unreadable(toText(json->duplicates.front()));
    return ConfigComparison(json->root, model).differences();
}

}  // namespace shardlab::trace
