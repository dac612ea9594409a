// SPDX-License-Identifier: Apache-2.0
// Random layouts of all that Megatron-LM, and what stands on Megatron-Core, can do.
#pragma once

#include "engine/layout/recompute.h"
#include "tests/support/trainer_draws.h"

#include <algorithm>

namespace shardlab::test {

inline void megatronParts(TrainerDraw& draw, Layout& l) {
    ModelSpec& m = l.model;
    BlockSpec& b = m.block;
    b.norm = draw.pick({NormKind::Default, NormKind::Layer, NormKind::Rms});
    b.positions = draw.pick({PositionKind::Default, PositionKind::Learned, PositionKind::Rotary});
    b.biases = draw.pick({BiasKind::Default, BiasKind::None, BiasKind::Qkv, BiasKind::All});
    b.activation = draw.pick({ActivationKind::Default, ActivationKind::Gelu, ActivationKind::SwiGlu,
                              ActivationKind::SquaredRelu, ActivationKind::GeluTanh});
    b.output = draw.pick({OutputKind::Default, OutputKind::Tied, OutputKind::Separate});
    const BlockParts parts = blockParts(m);
    if (parts.activation == ActivationKind::GeluTanh && !parts.biases) b.activation = ActivationKind::Gelu;
    if (parts.rotary) {
        if (draw.coin()) b.kvHeads = m.heads / draw.pick({1, 2, 4});
        b.rotary.base = draw.among(1000, 1'000'000);
        if (draw.coin()) b.rotary = {b.rotary.base, RotaryScaling::Llama3, draw.number(1, 40)};
        b.queryKeyNorms = parts.rmsNorm && draw.coin();
        if (draw.coin(3)) m.predictedTokens = draw.among(1, 2), m.predictionWeight = draw.number(0.01, 1);
    }
    if (draw.coin()) b.headWidth = 2 * draw.among(4, 40);
    if (draw.coin(3)) b.window = draw.among(1, m.sequence);
    if (b.window > 0 && draw.coin()) b.fullEvery = draw.among(1, 4);
    m.dropout = draw.coin() ? draw.number(0, 0.5) : 0;
}

inline void megatronMemory(TrainerDraw& draw, Layout& l) {
    MemorySpec& m = l.memory;
    m.recompute = draw.pick(
        {RecomputeKind::None, RecomputeKind::Selective, RecomputeKind::Mlp, RecomputeKind::Full, RecomputeKind::Every});
    if (m.recompute == RecomputeKind::Every) m.recomputeEvery = draw.among(2, 5);
    if (m.recompute == RecomputeKind::Full && draw.coin()) m.recomputeBlocks = draw.among(1, 4);
    if (draw.coin(3)) {
        WordSet<RecomputePart> parts{RecomputePart::Core};
        parts.set(RecomputePart::Norms, draw.coin());
        parts.set(RecomputePart::FeedForward, !hasExperts(l.model) && draw.coin());
        recomputeParts(l.model, parts, m);
        m.recomputeBlocks = 0;
    }
    const bool whole =
        m.recompute == RecomputeKind::Every || (m.recompute == RecomputeKind::Full && m.recomputeBlocks == 0);
    m.partitionActivations = whole && l.parallel.tensor > 1 && !l.parallel.sequence && draw.coin();
    if (l.parallel.zero > 0 && l.optimizer.kind == OptimizerKind::AdamW && draw.coin())
        m.offload = OffloadKind::Optimizer;
}

inline void megatronFormats(TrainerDraw& draw, Layout& l) {
    PrecisionSpec& p = l.precision;
    p.compute = draw.pick({NumberFormat::Fp32, NumberFormat::Bf16, NumberFormat::Fp16});
    if (l.parallel.expert > 1 && p.compute == NumberFormat::Fp16) p.compute = NumberFormat::Bf16;
    p.gradients = draw.pick({GradientFormat::Compute, GradientFormat::Fp32});
    if (p.compute == NumberFormat::Fp32) p.gradients = GradientFormat::Compute;
    if (p.compute == NumberFormat::Fp16) p.lossScale = draw.pick({LossScaling::Static, LossScaling::Dynamic});
    if (p.compute == NumberFormat::Bf16 && draw.coin(3)) p.lossScale = LossScaling::Static;
    if (p.lossScale != LossScaling::None) p.scale = draw.number(1, 70'000);
    if (p.lossScale == LossScaling::Dynamic) p.scaleWindow = draw.among(1, 5000);
    if (p.compute == NumberFormat::Fp32 || !draw.coin(3)) return;
    p.products = draw.pick({ProductFormat::Fp8, ProductFormat::MxFp8, ProductFormat::NvFp4});
    l.cluster.pace =
        PaceSpec{.device = p.products == ProductFormat::Fp8 ? "h100-sxm" : "b200", .stack = "megatron-core"};
}

/// A width inside experts, or 0 where it is that of the other blocks.
inline int expertWidth(TrainerDraw& draw, const ModelSpec& m) {
    const int width = draw.coin() ? 8 * draw.among(1, 60) : 0, usual = evenWidth(m).value_or(0);
    return width == usual ? 0 : width;
}

/// The latent attention of DeepSeek.
inline void latentParts(TrainerDraw& draw, BlockSpec& b) {
    b.kvHeads = 0;
    b.queryKeyNorms = false;
    b.norm = NormKind::Default;
    b.positions = PositionKind::Default;
    b.kvRank = draw.among(4, 64);
    b.queryRank = draw.coin() ? draw.among(4, 64) : 0;
    b.headWidth = draw.among(4, 40);
    b.ropeWidth = 2 * draw.among(1, 20);
    b.valueWidth = draw.coin() ? draw.among(4, 40) : 0;
    if (b.valueWidth == b.headWidth) b.valueWidth = 0;
    b.rotary = {.base = b.rotary.base};
    if (draw.coin()) b.rotary = {b.rotary.base, RotaryScaling::Yarn, draw.number(2, 40)};
    if (b.rotary.scaling == RotaryScaling::Yarn) b.rotary.original = 4096;
}

/// Experts of today in any blocks, with the gates that Megatron-Core has.
inline void expertParts(TrainerDraw& draw, Layout& l) {
    ModelSpec& m = l.model;
    MoeSpec& e = m.experts;
    m.kind = ModelKind::LlamaMoe;
    e = {};
    l.parallel.expert = l.parallel.data % 2 == 0 && draw.coin() ? 2 : 1;
    e.count = 8 * draw.among(1, 4);
    e.gate = draw.pick({GateMethod::Switch, GateMethod::SoftmaxTopK, GateMethod::TopKSoftmax, GateMethod::SigmoidTopK,
                        GateMethod::SigmoidInGroups});
    e.topK = draw.among(2, 4);
    const bool sigmoid = e.gate == GateMethod::SigmoidTopK || e.gate == GateMethod::SigmoidInGroups;
    if (e.gate == GateMethod::SigmoidInGroups) e.groups = 4, e.topGroups = draw.among(1, 2), e.topK = 2 * e.topGroups;
    if (sigmoid && draw.coin()) e.scale = draw.number(0.5, 3);
    if (sigmoid && draw.coin()) e.biasRate = draw.number(1e-4, 1e-2);
    e.capacity = draw.coin() ? 0 : draw.number(0.5, 3);
    e.balance = draw.number(0, 1);
    // Switch in every second block may be a gpt-moe; a single block with experts lies in every so many-th.
    if (draw.coin(3) && m.layers > 5) e.every = e.gate == GateMethod::Switch ? 3 : draw.among(2, 3);
    if (draw.coin(3) && m.layers > 2 && e.every == 0) e.denseLayers = draw.among(1, m.layers - 2);
    e.width = expertWidth(draw, m);
    e.shared = draw.coin(3) ? draw.among(1, 2) : 0;
}

/// A layout that Megatron-LM can train; the draw knows not every rule of a layout. `latents`: it may have a latent
/// attention.
inline Layout forMegatron(TrainerDraw& draw, bool latents = true) {
    Layout l = draw.layout();
    ParallelSpec& p = l.parallel;
    if (draw.coin(4)) {
        p.tensor = p.context = 1;
        l.model.kind = ModelKind::GptMoe;
        l.model.block = BlockSpec{};
        l.model.experts = {};
        p.expert = p.data % 2 == 0 && draw.coin() ? 2 : 1;
        l.model.experts.count = 2 * draw.among(1, 8);
        l.model.experts.capacity = draw.number(0.5, 3);
        l.model.experts.balance = draw.number(0, 1);
        l.model.layers = std::max(2, l.model.layers);
        l.model.experts.width = expertWidth(draw, l.model);
        l.cluster.hosts = evenHosts(1, rankCount(l));
    } else {
        if (draw.coin(3)) expertParts(draw, l);
        megatronParts(draw, l);
        if (latents && draw.coin(4) && l.model.kind != ModelKind::Gpt) latentParts(draw, l.model.block);
        if (hasExperts(l.model)) l.model.experts.scoreBias = blockParts(l.model).biases;
        p.sequence = p.tensor > 1 && draw.coin();
        if (keyHeads(l.model) % (p.context * p.tensor) == 0 && draw.coin()) p.contextKind = ContextKind::Ulysses;
    }
    p.zero = p.data * p.context > 1 && p.expert == 1 ? draw.among(0, 3) : 0;
    draw.copies(p);
    p.bucket = p.expert == 1 && draw.coin(3) ? 0 : draw.among(1, 200);
    if (draw.coin(4)) {
        l.optimizer.kind = OptimizerKind::Sgd;
        l.optimizer.momentum = draw.coin() ? draw.number(0, 0.99) : 0;
        if (l.optimizer.momentum > 0) l.optimizer.weightDecay = 0;
    }
    megatronFormats(draw, l);
    megatronMemory(draw, l);
    l.run.maxRestarts = 0;
    l.run.validateEvery = draw.coin(4) ? 0 : draw.among(1, l.run.steps - 1);
    l.run.validationBatches = draw.among(1, 20);
    l.data.validation = draw.coin(4) ? 0 : draw.among(1, 500) / 1000.0;
    if (draw.coin()) {
        l.data.kind = DataKind::Tokens;
        l.data.path = "some tokens.bin";
    }
    if (draw.coin()) {
        l.checkpoint.every = draw.among(1, 1000);
        l.checkpoint.path = "check points";
        l.run.maxRestarts = draw.among(0, 3);
    }
    return l;
}

}  // namespace shardlab::test
