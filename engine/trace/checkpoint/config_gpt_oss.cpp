// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/config_gpt_oss.h"

#include "engine/base/json_fields.h"

#include <algorithm>

namespace shardlab::trace {
namespace {

constexpr const char* windowed = "sliding_attention";
constexpr const char* full = "full_attention";
constexpr int mostLayers = 10000;  // a layout has no more

/// The model.full_every with which these layers see all tokens, where 1 stands for all layers; empty: there is none.
std::optional<int> fullEvery(const std::vector<bool>& seesAll) {
    const auto first = std::ranges::find(seesAll, true);
    const int every = first == seesAll.end() ? 0 : static_cast<int>(first - seesAll.begin()) + 1;
    for (int layer = 0; layer < static_cast<int>(seesAll.size()); ++layer)
        if (seesAll[static_cast<std::size_t>(layer)] != (every > 0 && (layer + 1) % every == 0)) return std::nullopt;
    return every;
}

}  // namespace

void GptOssRows::gptOss() {
    const BlockSpec& block = model_.block;
    const MoeSpec& experts = model_.experts;
    sizes();
    number("num_key_value_heads", family_.keyHeads, "model.kv_heads", keyHeads(model_), &BlockSpec::kvHeads);
    number("head_dim", family_.headWidth, "model.head_width", headWidth(model_), &BlockSpec::headWidth);
    width("intermediate_size", family_.width);
    number(config_.contains("num_experts") ? "num_experts" : "num_local_experts", family_.experts.count,
           "model.experts", experts.count, &MoeSpec::count);
    number("num_experts_per_tok", family_.experts.topK, "model.top_k", expertsPerToken(model_), &MoeSpec::topK);
    made_.names.insert({"num_local_experts", "experts_per_token"});  // older files have both names of each
    is("hidden_act", "silu", {"silu"});
    number("swiglu_limit", 7.0, "model.swiglu_limit", block.gluLimit, &BlockSpec::gluLimit);
    number("swiglu_alpha", 1.702, "model.swiglu_alpha", block.gluAlpha, &BlockSpec::gluAlpha);
    always(parts_.activation == ActivationKind::ClampedSwiGlu, "model.activation", wordOf(parts_.activation),
           wordOf(ActivationKind::ClampedSwiGlu),
           [](ModelSpec& model) { model.block.activation = ActivationKind::ClampedSwiGlu; });
    always(parts_.sinks, "model.sinks", "false", "true", [](ModelSpec& model) { model.block.sinks = true; });
    always(parts_.biases, "model.biases", parts_.qkvBias ? "qkv" : "none", "all",
           [](ModelSpec& model) { model.block.biases = BiasKind::All; });
    is("attention_bias", true, {true});
    always(!parts_.queryKeyNorms, "model.qk_norm", "true", "false",
           [](ModelSpec& model) { model.block.queryKeyNorms = false; });
    always(experts.scoreBias, "model.score_bias", "false", "true",
           [](ModelSpec& model) { model.experts.scoreBias = true; });
    always(experts.gate == GateMethod::TopKSoftmax, "model.gate", wordOf(experts.gate), wordOf(GateMethod::TopKSoftmax),
           [](ModelSpec& model) {
               model.experts.gate = GateMethod::TopKSoftmax;
               model.experts.capacity = 0;
           });
    made_.names.insert("initial_context_length");  // that of rope_scaling too
    layerTypes();
    // Experts of four bits are unpacked as they are read (mxfp4.h).
    if (const Json coded = value("quantization_config", Json()); coded.is_object())
        isOne("quantization_config.quant_method", coded.value("quant_method", Json()), {"mxfp4"});
}

void GptOssRows::layerTypes() {
    const BlockSpec& block = model_.block;
    const bool none = config_.contains("sliding_window") && config_["sliding_window"].is_null();
    const Json length = none ? Json() : value("sliding_window", family_.windowLength);
    made_.names.insert("sliding_window");
    const int layers = std::min(positiveInteger(value("num_hidden_layers", family_.layers)).value_or(0), mostLayers);
    const Json types = value("layer_types", Json::array());
    std::vector<bool> seesAll;
    for (int layer = 0; types.empty() && layer < layers; ++layer)
        seesAll.push_back(none || family_.seesAll(config_, layer));
    for (const Json& type : types) {
        if (type != windowed && type != full)
            return differ("layer_types",
                          say("layer_types has {}, which is no attention of a {}", shownValue(type), family_.type),
                          say("layer_types {} and {}", windowed, full));
        seesAll.push_back(type == full);
    }
    const std::optional<int> every = fullEvery(seesAll), seen = positiveInteger(length);
    const int window = every == 1 ? 0 : seen.value_or(0), fullEvery = every == 1 ? 0 : every.value_or(0);
    const auto hides = [](const BlockSpec& spec, int layer) {
        return spec.window > 0 && (spec.fullEvery == 0 || (layer + 1) % spec.fullEvery != 0);
    };
    bool fits = true;
    for (int layer = 0; layer < std::min(static_cast<int>(seesAll.size()), model_.layers); ++layer)
        fits = fits && attendedTokens(model_, layer) == (seen && !seesAll[static_cast<std::size_t>(layer)]
                                                             ? std::min(*seen, model_.sequence)
                                                             : model_.sequence);
    made_.rows.push_back(
        {"layer_types", fits,
         types.empty()
             ? say("{} and layer_types, where they are not given, say which tokens a layer sees, model.window is {} "
                   "and "
                   "model.full_every is {}",
                   stated("sliding_window", length), block.window, block.fullEvery)
             : say("{} and layer_types say which tokens a layer sees, model.window is {} and model.full_every is {}",
                   stated("sliding_window", length), block.window, block.fullEvery),
         every ? say("model.window {} and model.full_every {}", window, fullEvery)
               : say("weights whose layers without a window come every so many layers")});
    ConfigField& row = made_.rows.back();
    row.take = [every, window, fullEvery](ModelSpec& model) {
        if (!every) return;
        model.block.window = window;
        model.block.fullEvery = fullEvery;
    };
    row.ours = Json::array();
    for (int layer = 0; layer < std::min(model_.layers, mostLayers); ++layer)
        row.ours.push_back(hides(block, layer) ? windowed : full);
    // Transformers makes the mask of a window whether a layer has one or not.
    made_.rows.push_back({"sliding_window", true, {}, {}, block.window > 0 ? block.window : family_.windowLength});
}

}  // namespace shardlab::trace
