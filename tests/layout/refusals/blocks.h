// SPDX-License-Identifier: Apache-2.0
// What is refused of the parts of a transformer's blocks.
#pragma once

#include "tests/layout/refusals/premises.h"

#include <cmath>

namespace shardlab::test {

/// Heads of the default layout's 32 columns, 8 more of which are turned.
inline BlockSpec& latent(Layout& l) {
    l.model.kind = ModelKind::Llama;
    l.model.block.kvRank = 16;
    l.model.block.ropeWidth = 8;
    return l.model.block;
}
inline bool sharesKeys(const Layout& l) {
    return l.model.block.kvHeads == 0 || l.model.heads % l.model.block.kvHeads == 0;
}
inline bool turnsPairs(const Layout& l) {
    const int width = l.model.block.headWidth;
    return width > 0 ? width % 2 == 0 : l.model.hidden % l.model.heads == 0 && l.model.hidden / l.model.heads % 2 == 0;
}
/// The CUDA kernels keep a head's columns in shared memory.
inline bool fitsCudaHead(const Layout& l) { return l.cluster.device != DeviceKind::Cuda || queryWidth(l.model) <= 256; }
/// A softmax of scores between −cap and cap can give one of them 2 % more than another.
inline bool prefers(double cap) { return cap == 0 || std::exp(2 * cap) >= 1.02; }

inline constexpr Refusal blockRefusals[]{
    {"heads", [](Layout& l) { l.model.heads = 3; }, "/model/heads", "1, 2, 4, 8, 16, 32",
     contradiction("hidden ÷ heads is whole", [](const Layout& l) { return l.model.hidden % l.model.heads == 0; })},
    {"widths of too few layers",
     [](Layout& l) {
         l.model.feedForward = {64, 512, 64};
     },
     "/model/feed_forward", "4 numbers; or [] for 4 × hidden = 512",
     contradiction("a width for each layer, or one for all",
                   [](const Layout& l) {
                       const std::size_t widths = l.model.feedForward.size();
                       return widths < 2 || widths == static_cast<std::size_t>(l.model.layers);
                   })},
    {"heads made again where there are no latents", [](Layout& l) { l.memory.recompute = RecomputeKind::Latent; },
     "/memory/recompute", "model.kind llama with model.kv_rank above 0", withoutGain()},
    {"heads made again in a list where there are no latents",
     [](Layout& l) {
         l.memory.recompute = RecomputeKind::Parts;
         l.memory.recomputeParts.set(RecomputePart::Heads, true);
         l.memory.recomputeParts.set(RecomputePart::Core, true);
     },
     "/memory/recompute_parts", "a list without heads", withoutGain()},
    {"no part that is made again", [](Layout& l) { l.memory.recompute = RecomputeKind::Parts; },
     "/memory/recompute_parts", "core, norms, activations or feed-forward; or memory.recompute none",
     pointless([](Layout& l) { l.memory.recompute = RecomputeKind::None; })},
    {"no part of a cnn that is made again",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.memory.recompute = RecomputeKind::Parts;
     },
     "/memory/recompute_parts", "memory.recompute none, full, sqrt or every", pointless()},
    {"heads made again of a llama without latents",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.memory.recompute = RecomputeKind::Latent;
     },
     "/memory/recompute", "another word; or model.kv_rank above 0", withoutGain()},
    {"experts made again where there are none",
     [](Layout& l) {
         l.memory.recompute = RecomputeKind::Parts;
         l.memory.recomputeParts.set(RecomputePart::Experts, true);
         l.memory.recomputeParts.set(RecomputePart::Core, true);
     },
     "/memory/recompute_parts", "a list without experts", pointless()},
    {"feed-forward blocks made again where all have experts",
     [](Layout& l) {
         l.model.kind = ModelKind::LlamaMoe;
         l.memory.recompute = RecomputeKind::Parts;
         l.memory.recomputeParts.set(RecomputePart::FeedForward, true);
         l.memory.recomputeParts.set(RecomputePart::Core, true);
     },
     "/memory/recompute_parts", "a list without feed-forward", pointless()},
    {"activations made again with the blocks that hold them",
     [](Layout& l) {
         l.memory.recompute = RecomputeKind::Parts;
         l.memory.recomputeParts.set(RecomputePart::FeedForward, true);
         l.memory.recomputeParts.set(RecomputePart::Activations, true);
     },
     "/memory/recompute_parts", "a list without activations", pointless()},
    {"pieces of the loss with ZeRO 3",
     [](Layout& l) {
         l.parallel.data = 2;
         l.parallel.zero = 3;
         l.cluster.hosts = {{"localhost", 2 * l.parallel.pipeline}};
         l.batch.global *= 2;
         l.memory.lossPieces = 2;
     },
     "/memory/loss_pieces", "1; or parallel.zero 0, 1 or 2",
     notBuilt("the projection's weights gathered once more, for its gradient")},
    {"more pieces of the loss than tokens",
     [](Layout& l) { l.memory.lossPieces = l.batch.micro * l.model.sequence + 1; }, "/memory/loss_pieces", "1 to",
     contradiction("a piece has a token",
                   [](const Layout& l) { return l.memory.lossPieces <= l.batch.micro * l.model.sequence; })},
    {"heads of keys that divide no heads",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.block.kvHeads = 3;
     },
     "/model/kv_heads", "1, 2 or 4; or 0 for as many as heads", contradiction("heads ÷ kv_heads is whole", sharesKeys)},
    {"more heads of keys than heads",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.block.kvHeads = 8;
     },
     "/model/kv_heads", "1, 2 or 4; or 0 for as many as heads", contradiction("heads ÷ kv_heads is whole", sharesKeys)},
    {"heads whose numbers are no pairs",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.hidden = 12;
     },
     "/model/heads", "1, 2, 3 or 6", contradiction("hidden ÷ heads ÷ 2 is whole", turnsPairs)},
    {"a head of one number",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.heads = 128;
     },
     "/model/heads", "64", contradiction("hidden ÷ heads ÷ 2 is whole", turnsPairs)},
    {"an odd width that no heads pair up",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.hidden = 15;
         l.model.heads = 3;
     },
     "/model/heads", "an even model.hidden", contradiction("hidden ÷ heads ÷ 2 is whole", turnsPairs)},
    {"a head that cannot be turned in pairs",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.block.headWidth = 7;
     },
     "/model/head_width", "an even number; or 0 for hidden ÷ heads",
     contradiction("head_width ÷ 2 is whole", turnsPairs)},
    {"a head too wide for CUDA",
     [](Layout& l) {
         l.model.block.headWidth = 320;
         l.cluster.device = DeviceKind::Cuda;
     },
     "/model/head_width", "at most 256",
     absent("an attention kernel for heads of more than 256 columns", fitsCudaHead)},
    {"wide heads on a GPU",
     [](Layout& l) {
         l.cluster.device = DeviceKind::Cuda;
         l.model.hidden = 2048;
     },
     "/model/heads", "8, heads of 256", absent("an attention kernel for heads of more than 256 columns", fitsCudaHead)},
    {"a latent attention too wide for CUDA",
     [](Layout& l) {
         latent(l).headWidth = 250;
         l.cluster.device = DeviceKind::Cuda;
     },
     "/model/head_width", "at most 256 with model.rope_width",
     absent("an attention kernel for heads of more than 256 columns", fitsCudaHead)},
    {"pairs that are slowed down and are not",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.block.rotary.scaling = RotaryScaling::Llama3;
         l.model.block.rotary.low = 5;
     },
     "/model/rope_high", "more than 5; or a smaller model.rope_low",
     contradiction("rope_low < rope_high, which is 4 with llama3",
                   [](const Layout& l) {
                       const RotarySpec& rotary = l.model.block.rotary;
                       return rotary.low < (rotary.high > 0 ? rotary.high : 4);
                   })},
    {"pairs that yarn cannot tell apart",
     [](Layout& l) {
         l.model.block.positions = PositionKind::Rotary;
         l.model.block.rotary.scaling = RotaryScaling::Yarn;
         l.model.block.rotary.base = 1;
     },
     "/model/rope_base", "more than 1; or model.rope_scaling none",
     contradiction("the first pair turns faster than the last: base^(−2 ÷ width) < 1",
                   [](const Layout& l) {
                       const RotarySpec& rotary = l.model.block.rotary;
                       return rotary.scaling == RotaryScaling::None || std::pow(rotary.base, -2.0 / 32) < 1;
                   })},
    {"turned columns of a latent attention that are no pairs", [](Layout& l) { latent(l).ropeWidth = 5; },
     "/model/rope_width", "an even number",
     contradiction("rope_width ÷ 2 is whole", [](const Layout& l) { return l.model.block.ropeWidth % 2 == 0; })},
    {"values wider than the queries of a latent attention", [](Layout& l) { latent(l).valueWidth = 41; },
     "/model/value_width", "at most 40; or 0 for as many as model.head_width",
     notBuilt("queries and keys that are filled up with zeros to the width of a value")},
    {"norms of queries and keys in a latent attention", [](Layout& l) { latent(l).queryKeyNorms = true; },
     "/model/qk_norm", "false; or a model.kv_rank of 0",
     notBuilt("norms of the heads that a latent attention makes of its latents")},
    {"a cap that no score outgrows", [](Layout& l) { l.model.block.attentionCap = 1e-9; }, "/model/attention_cap",
     "0.01 to 1000000; or 0 for no cap",
     contradiction("e^(2 · cap) ≥ 1.02", [](const Layout& l) { return prefers(l.model.block.attentionCap); })},
    {"a cap that no logit outgrows", [](Layout& l) { l.model.block.logitCap = 0.001; }, "/model/logit_cap",
     "0.01 to 1000000; or 0 for no cap",
     contradiction("e^(2 · cap) ≥ 1.02", [](const Layout& l) { return prefers(l.model.block.logitCap); })},
    {"more tokens predicted ahead than a sample has",
     [](Layout& l) {
         l.model.sequence = 4;
         l.model.predictedTokens = 4;
     },
     "/model/predicted_tokens", "0 to 3",
     contradiction("predicted_tokens < sequence",
                   [](const Layout& l) { return l.model.predictedTokens < l.model.sequence; })},
    {"tokens predicted ahead of samples of one",
     [](Layout& l) {
         l.model.sequence = 1;
         l.model.predictedTokens = 1;
     },
     "/model/predicted_tokens", "0; or a longer model.sequence",
     contradiction("predicted_tokens < sequence",
                   [](const Layout& l) { return l.model.predictedTokens < l.model.sequence; })},
    {"tokens predicted ahead where nothing is flushed",
     [](Layout& l) {
         l.model.predictedTokens = 1;
         withoutFlush(l);
     },
     "/model/predicted_tokens", "0; or a schedule with a flush, 1f1b",
     wrong("PipeDream (1806.03377): no stage waits for another one's gradient, and two copies of the embedding would",
           [](const Layout& l) { return l.model.predictedTokens == 0 || updatesBetweenSteps(l); })},
};

}  // namespace shardlab::test
