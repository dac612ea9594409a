// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/block_parts.h"

namespace shardlab::layout {
namespace {

constexpr BlockParts gptParts{};
constexpr BlockParts llamaParts{.rmsNorm = true,
                                .rotary = true,
                                .qkvBias = false,
                                .biases = false,
                                .activation = ActivationKind::SwiGlu,
                                .tied = false};

}  // namespace

bool choosesParts(const ModelSpec& model) { return traits(model.kind).choosesParts; }

BlockParts blockParts(const ModelSpec& model) {
    BlockParts parts = traits(model.kind).llamaParts ? llamaParts : gptParts;
    if (!choosesParts(model)) return parts;
    const BlockSpec& chosen = model.block;
    if (chosen.norm != NormKind::Default) parts.rmsNorm = chosen.norm == NormKind::Rms;
    parts.normEpsilon = chosen.normEpsilon;
    if (chosen.positions != PositionKind::Default) parts.rotary = chosen.positions == PositionKind::Rotary;
    parts.alibi = chosen.positions == PositionKind::Alibi;
    parts.latent = parts.rotary && chosen.kvRank > 0;
    parts.queryKeyNorms = parts.rotary && !parts.latent && chosen.queryKeyNorms;
    if (chosen.biases != BiasKind::Default) {
        parts.qkvBias = chosen.biases != BiasKind::None;
        parts.biases = chosen.biases == BiasKind::All;
    }
    if (parts.latent) parts.qkvBias = false;
    parts.sinks = chosen.sinks;
    parts.attentionCap = chosen.attentionCap;
    parts.logitCap = chosen.logitCap;
    if (chosen.activation != ActivationKind::Default) parts.activation = chosen.activation;
    if (parts.activation == ActivationKind::ClampedSwiGlu) {
        parts.gluLimit = chosen.gluLimit;
        parts.gluAlpha = chosen.gluAlpha;
    }
    if (chosen.output != OutputKind::Default) parts.tied = chosen.output == OutputKind::Tied;
    return parts;
}

namespace {

/// Every block has experts, none of them shared, and none drops a token.
bool allRouted(const ModelSpec& model) {
    const MoeSpec& experts = model.experts;
    return hasExperts(model) && experts.every <= 1 && experts.denseLayers == 0 && experts.shared == 0 &&
           dropless(model);
}

/// A Mixtral and a Qwen3-MoE have experts in all blocks, a DeepSeek-V3 in all but the lowest, with shared ones among
/// them; none drops a token.
bool hasPublishedExperts(const ModelSpec& model) {
    const BlockParts parts = blockParts(model);
    const MoeSpec& experts = model.experts;
    if (experts.every > 1 || parts.biases || parts.qkvBias || experts.scoreBias || !dropless(model)) return false;
    if (parts.latent) return biasesChoice(model) && experts.shared > 0;
    const bool topK =
        experts.gate == GateMethod::TopKSoftmax || (experts.gate == GateMethod::SoftmaxTopK && parts.queryKeyNorms);
    return topK && allRouted(model);
}

}  // namespace

bool isGptOss(const ModelSpec& model) {
    const BlockParts parts = blockParts(model);
    return traits(model.kind).weights == WeightsFormat::Llama && allRouted(model) && model.experts.scoreBias &&
           model.experts.gate == GateMethod::TopKSoftmax && parts.activation == ActivationKind::ClampedSwiGlu &&
           parts.rmsNorm && parts.rotary && parts.biases && parts.qkvBias && parts.sinks && !parts.queryKeyNorms &&
           parts.attentionCap == 0 && parts.logitCap == 0;
}

bool hasPublishedBlocks(const ModelSpec& model) {
    const BlockParts parts = blockParts(model);
    const WeightsFormat format = traits(model.kind).weights;
    if (isGptOss(model)) return predictionModules(model) == 0;
    if (parts.activation == ActivationKind::ClampedSwiGlu) return false;
    if (predictionModules(model) > 0 && !parts.latent) return false;  // a DeepSeek-V3 alone has modules
    if (parts.alibi || parts.sinks || parts.attentionCap > 0 || parts.logitCap > 0) return false;
    // The windows that others have are those of a Mistral: in all layers.
    int seen = 0;
    for (int layer = 0; layer < model.layers; ++layer) seen += attendedTokens(model, layer) < model.sequence;
    const bool mistral = seen == model.layers && format == WeightsFormat::Llama && !parts.qkvBias &&
                         !parts.queryKeyNorms && !parts.latent;
    if (seen > 0 && !mistral) return false;
    if (hasExperts(model) && !hasPublishedExperts(model)) return false;
    // Transformers has that epsilon in the norms of latents, whatever the others have.
    if (parts.latent && (parts.biases || parts.normEpsilon != 1e-6)) return false;
    if (format == WeightsFormat::Llama)
        return parts.rmsNorm && parts.rotary && parts.gated() && !(parts.queryKeyNorms && parts.qkvBias);
    const bool gelu = parts.activation == ActivationKind::Gelu || parts.activation == ActivationKind::GeluTanh;
    return format == WeightsFormat::Gpt2 && !parts.rmsNorm && !parts.rotary && parts.biases && gelu && parts.tied &&
           model.heads * headWidth(model) == model.hidden;
}

}  // namespace shardlab::layout
