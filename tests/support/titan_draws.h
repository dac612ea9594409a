// SPDX-License-Identifier: Apache-2.0
// Random layouts of all that torchtitan can do, with each of its families of models.
#pragma once

#include "engine/layout/attention_shape.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/folding.h"
#include "engine/layout/mesh/replicas.h"
#include "tests/support/trainer_draws.h"

#include <numeric>

namespace shardlab::test {

inline void titanExperts(TrainerDraw& draw, ModelSpec& m) {
    m.kind = ModelKind::LlamaMoe;
    MoeSpec& e = m.experts;
    e.count = 4 * draw.among(1, 4);
    e.capacity = e.balance = 0;
    e.gate = draw.pick({GateMethod::Switch, GateMethod::SoftmaxTopK, GateMethod::TopKSoftmax, GateMethod::SigmoidTopK,
                        GateMethod::SigmoidInGroups});
    e.topK = draw.among(2, 4);
    if (e.gate == GateMethod::SigmoidInGroups) e.groups = 2, e.topGroups = draw.among(1, 2), e.topK = 2;
    if (isSigmoid(e.gate)) e.scale = draw.number(0.5, 3);
    e.scoreBias = draw.coin(3);
    e.shared = draw.among(0, 2);
    if (draw.coin()) e.width = 4 * draw.among(1, 300);
}

/// Which blocks have experts, and how wide these are beside the others, as the family has it.
inline void titanPlaces(TrainerDraw& draw, Layout& l, int family) {
    ModelSpec& m = l.model;
    MoeSpec& e = m.experts;
    if (family != 0 && isSigmoid(e.gate) && draw.coin()) e.biasRate = draw.number(1e-4, 1e-2);
    if (family == 2) e.denseLayers = draw.among(0, m.layers - 1);
    if (family != 1 || m.layers < 2 || draw.coin()) return;
    e.every = draw.among(2, m.layers);
    const int dense = m.feedForward.empty() ? 4 * m.hidden : m.feedForward.front();
    e.width = draw.coin() ? 0 : dense / ((e.gate == GateMethod::Switch ? 1 : e.topK) + e.shared);
}

inline void titanLatent(TrainerDraw& draw, ModelSpec& m) {
    BlockSpec& b = m.block;
    b.kvHeads = 0;
    b.kvRank = draw.among(4, 64);
    if (draw.coin()) b.queryRank = draw.among(4, 64);
    b.ropeWidth = 2 * draw.among(1, 32);
    b.headWidth = draw.among(4, 64);
    if (draw.coin()) b.valueWidth = b.headWidth + draw.among(1, 9);
    if (draw.coin())
        b.rotary = {b.rotary.base,       RotaryScaling::Yarn, draw.number(1.5, 40),
                    draw.number(0.5, 2), draw.number(20, 40), draw.among(1, m.sequence - 1)};
}

inline void titanGptOss(TrainerDraw& draw, Layout& l) {
    ModelSpec& m = l.model;
    BlockSpec& b = m.block;
    titanExperts(draw, m);
    m.experts.shared = 0;
    m.experts.width = 0;
    b.sinks = true;
    b.biases = BiasKind::All;
    b.activation = ActivationKind::ClampedSwiGlu;
    b.gluLimit = draw.number(1, 10);
    b.headWidth = 64;
    if (draw.coin()) b.window = draw.among(1, m.sequence - 1), b.fullEvery = 2;
    if (draw.coin()) b.rotary = {150000, RotaryScaling::Yarn, draw.number(1.5, 40), 1, 32, 4096, false};
}

/// Experts over a part of the ranks among which FSDP divides the weights, cut like all else or whole.
inline void titanSpread(TrainerDraw& draw, Layout& l) {
    ParallelSpec& p = l.parallel;
    const int sharing = p.data / (p.zero >= 2 ? copyCount(p) : p.data) * p.context;
    p.expertTensor = p.tensor > 1 && draw.coin() ? 1 : 0;
    p.expert = draw.among(1, sharing) * (p.expertTensor > 0 ? p.tensor : 1);
    if (p.expertTensor > 0 && p.expert == 1) p.expertTensor = 0;
    while (sharing % expertSpread(p) != 0) --p.expert;
    if (p.expert < 2) p.expertTensor = 0;
}

inline Layout forTorchtitan(TrainerDraw& draw) {
    Layout l = draw.layout();
    ModelSpec& m = l.model;
    ParallelSpec& p = l.parallel;
    BlockSpec& b = m.block;
    m.kind = ModelKind::Llama;
    if (draw.coin()) b.kvHeads = m.heads / draw.pick({1, 2, 4});
    b.rotary.base = draw.number(1000, 1e6);
    const int family = draw.among(0, 5);  // qwen3, llama4, deepseek_v3, gpt_oss, llama3
    if (family == 3 || family == 0) {
        p.pipeline = 1;
        l.schedule = {};
        l.batch.global = p.data * l.batch.micro * draw.among(1, 4);
        m.layers = draw.among(2, 6);
    }
    if (family == 0) {
        b.queryKeyNorms = draw.coin();
        if (draw.coin()) b.output = OutputKind::Tied;
        b.headWidth = 2 * draw.among(4, 60);
    }
    if (family == 2) titanLatent(draw, m);
    if (family == 3) titanGptOss(draw, l);
    if (family < 3 && draw.coin()) titanExperts(draw, m);
    if (family == 1) titanExperts(draw, m);
    if ((family == 1 || family > 3) && draw.coin())
        b.rotary = {b.rotary.base,       RotaryScaling::Llama3, draw.number(1.5, 40),
                    draw.number(0.5, 2), draw.number(2.5, 6),   draw.among(1000, 9000)};
    if (family == 5) {
        m.layers = 32, m.hidden = 4096, m.heads = 32, m.vocabulary = 128256, m.feedForward = {14336};
        b = {.kvHeads = 8, .rotary = {.base = 500000, .scaling = RotaryScaling::Llama3}};
        l.schedule = {};
        p.pipeline = draw.pick({1, 2, 4});
        l.batch.global = p.data * l.batch.micro * p.pipeline * 2;
    }
    if (hasExperts(m)) titanPlaces(draw, l, family);
    p.sequence = p.tensor > 1;
    if (family == 3) p.context = 1;
    p.zero = p.context > 1 ? draw.pick({2, 3}) : p.data > 1 ? draw.pick({0, 2, 3}) : 0;
    draw.copies(p);
    if (hasExperts(m)) titanSpread(draw, l);
    if (p.pipeline > 1) {
        const int stages = p.pipeline * l.schedule.chunks;
        l.schedule.kind =
            l.schedule.chunks == 1   ? draw.pick<std::string>({"1f1b", "gpipe", "zb-h1", "naive", "zb-greedy"})
            : l.schedule.chunks == 2 ? draw.pick<std::string>({"interleaved-1f1b", "looped-bfs", "zb-v", "dualpipe-v"})
                                     : draw.pick<std::string>({"interleaved-1f1b", "looped-bfs"});
        if (l.schedule.kind == "dualpipe-v") l.batch.global = p.data * l.batch.micro * stages * 2;
    }
    l.cluster.hosts = evenHosts(1, rankCount(l));
    PrecisionSpec& f = l.precision;
    if (family == 3 || draw.coin()) {
        f.compute = NumberFormat::Bf16;
        if (family == 3) f.weights = WeightStorage::Alone;
        else if (p.zero >= 2) f.gradients = GradientFormat::Fp32;
        else f.weights = WeightStorage::Fp32;
        if (!hasExperts(m) && !(family == 2 && p.tensor > 1) && draw.coin(3)) {
            f.products = draw.pick({ProductFormat::Fp8, ProductFormat::Fp8Rows, ProductFormat::MxFp8});
            l.cluster.pace =
                PaceSpec{.device = f.products == ProductFormat::MxFp8 ? "b200" : "h100-sxm", .stack = "torchtitan"};
        }
    }
    l.memory.recompute = draw.pick({RecomputeKind::None, RecomputeKind::Full, RecomputeKind::Operations});
    if (p.zero == 3 && draw.coin()) l.memory.offload = OffloadKind::Parameters;
    const std::vector<int> stages = stageLayers(l);
    if (const int blocks = stages.front(); l.memory.recompute == RecomputeKind::Full && draw.coin() &&
                                           std::ranges::all_of(stages, [&](int of) { return of == blocks; }))
        for (const int every : {2, 3})
            if (blocks % every == 0) l.memory.recomputeBlocks = blocks / every;
    if (draw.coin()) l.checkpoint = {draw.among(1, 1000), draw.among(2, 9), draw.coin(), "check points"};
    return l;
}

/// What torchtitan 0.3 can do too.
inline Layout forTorchtitan03(TrainerDraw& draw) {
    Layout l = forTorchtitan(draw);
    ParallelSpec& p = l.parallel;
    BlockSpec& b = l.model.block;
    const bool experts = hasExperts(l.model);
    if (b.rotary.scaling == RotaryScaling::Llama3 && experts) b.rotary.scaling = RotaryScaling::None;
    if (b.rotary.scaling == RotaryScaling::Yarn) b.rotary.truncate = draw.coin();
    if (b.sinks && b.window > 0) b.fullEvery = draw.among(0, 3);
    if (b.sinks && p.zero >= 2 && draw.coin()) p.context = 2;
    if (p.expert > 1 && p.tensor > 1 && p.expertTensor == 0) p.expert *= p.tensor, p.expertTensor = 1;
    if (p.tensor > 1) p.sequence = draw.coin();
    PrecisionSpec& f = l.precision;
    if (experts) f.compute = NumberFormat::Bf16;
    while (experts && l.model.experts.count < rankCount(l)) l.model.experts.count *= 2;
    if (f.compute == NumberFormat::Bf16) f.weights = WeightStorage::Master, f.gradients = GradientFormat::Fp32;
    if (f.products == ProductFormat::Fp8) f.products = ProductFormat::Fp8Rows;
    l.memory.recomputeBlocks = 0;
    return l;
}

}  // namespace shardlab::test
