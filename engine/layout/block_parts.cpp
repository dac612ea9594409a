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

/// A Mixtral and a Qwen3-MoE have experts in all blocks, a DeepSeek-V2, a DeepSeek-V3 and a Dots1 in all but the
/// lowest, with shared ones among them; none drops a token.
bool hasPublishedExperts(const ModelSpec& model) {
    const BlockParts parts = blockParts(model);
    const MoeSpec& experts = model.experts;
    if (experts.every > 1 || parts.biases || parts.qkvBias || experts.scoreBias || !dropless(model)) return false;
    const bool deepSeekV2 = experts.gate == GateMethod::SoftmaxTopK && predictionModules(model) == 0;
    if (parts.latent || biasesChoice(model))
        return experts.shared > 0 && (parts.latent ? biasesChoice(model) || deepSeekV2 : parts.queryKeyNorms);
    const bool topK =
        experts.gate == GateMethod::TopKSoftmax || (experts.gate == GateMethod::SoftmaxTopK && parts.queryKeyNorms);
    return topK && allRouted(model);
}

/// The windows that others have are those of a Mistral, in all layers, or of a Ministral, in some; and in all layers of
/// a Starcoder2, and of a Dots1 in some.
bool hasPublishedWindows(const ModelSpec& model, bool all) {
    const BlockParts parts = blockParts(model);
    if (parts.latent) return false;
    if (hasExperts(model)) return all ? !parts.queryKeyNorms : biasesChoice(model);
    if (!parts.rmsNorm) return !parts.gated() && all;
    return parts.gated() && !parts.qkvBias && !parts.queryKeyNorms;
}

}  // namespace

bool isGptOss(const ModelSpec& model) {
    const BlockParts parts = blockParts(model);
    return traits(model.kind).weights == WeightsFormat::Llama && allRouted(model) && model.experts.scoreBias &&
           model.experts.gate == GateMethod::TopKSoftmax && parts.activation == ActivationKind::ClampedSwiGlu &&
           parts.rmsNorm && parts.rotary && parts.biases && parts.qkvBias && parts.sinks && !parts.queryKeyNorms &&
           parts.attentionCap == 0 && parts.logitCap == 0;
}

// A Starcoder2, an Arcee, a StableLM, a DeepSeek-V2 and a Dots1 are relatives too.
bool hasPublishedBlocks(const ModelSpec& model) {
    const BlockParts parts = blockParts(model);
    const WeightsFormat format = traits(model.kind).weights;
    if (isGptOss(model)) return predictionModules(model) == 0;
    if (parts.activation == ActivationKind::ClampedSwiGlu) return false;
    if (predictionModules(model) > 0 && !parts.latent) return false;  // a DeepSeek-V3 alone has modules
    if (parts.alibi || parts.sinks || parts.attentionCap > 0 || parts.logitCap > 0) return false;
    int seen = 0;
    for (int layer = 0; layer < model.layers; ++layer) seen += attendedTokens(model, layer) < model.sequence;
    if (seen > 0 && (format != WeightsFormat::Llama || !hasPublishedWindows(model, seen == model.layers))) return false;
    if (hasExperts(model) && !hasPublishedExperts(model)) return false;
    // Transformers has that epsilon in the norms of latents, whatever the others have.
    if (parts.latent && (parts.biases || parts.normEpsilon != 1e-6)) return false;
    if (format == WeightsFormat::Llama) {
        const bool own = parts.rmsNorm && parts.gated(), qkv = parts.qkvBias && !parts.biases;
        const bool square = model.heads * headWidth(model) == model.hidden;
        if (!parts.rotary || (!own && (parts.latent || parts.queryKeyNorms || hasExperts(model)))) return false;
        if (!parts.gated()) return !qkv;                     // an Arcee, or with layer norms a Starcoder2
        if (!parts.rmsNorm) return !parts.biases && square;  // a StableLM
        return !(parts.queryKeyNorms && parts.qkvBias);
    }
    const bool gelu = parts.activation == ActivationKind::Gelu || parts.activation == ActivationKind::GeluTanh;
    return format == WeightsFormat::Gpt2 && !parts.rmsNorm && !parts.rotary && parts.biases && gelu && parts.tied &&
           model.heads * headWidth(model) == model.hidden;
}

}  // namespace shardlab::layout
