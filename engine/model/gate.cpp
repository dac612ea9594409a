// SPDX-License-Identifier: Apache-2.0
#include "engine/model/gate.h"

#include "engine/base/random.h"
#include "engine/model/product_weight.h"
#include "engine/model/token_buffer.h"

namespace shardlab {

namespace {

std::size_t scoresOf(const GateShape& shape) {
    return static_cast<std::size_t>(shape.tokens()) * static_cast<std::size_t>(shape.experts);
}

std::size_t choicesOf(const GateShape& shape) {
    return static_cast<std::size_t>(shape.tokens()) * static_cast<std::size_t>(shape.choices);
}

std::int32_t* numbers(const Buffer& buffer) { return static_cast<std::int32_t*>(buffer.data().data); }

}  // namespace

GateState::GateState(const LayerContext& context, const GateSpec& spec) {
    const GateShape& shape = spec.shape;
    const auto allocate = [&](std::size_t elements, DType type) {
        return context.arena.allocate(MemoryCategory::Activations, elements, type);
    };
    scores = allocate(scoresOf(shape), DType::F32);
    if (spec.noisy()) noise = allocate(scoresOf(shape), DType::F32);
    weights = allocate(choicesOf(shape), DType::F32);
    rows = allocate(choicesOf(shape), DType::I32);
    places = allocate(static_cast<std::size_t>(shape.rows()), DType::I32);
    counts = allocate(2 * static_cast<std::size_t>(shape.samples) * static_cast<std::size_t>(shape.experts), DType::F32);
}

Routes GateState::routes() const {
    return {weights.floats(), numbers(rows), numbers(places), counts.floats(), counts.floats() + counts.size() / 2};
}

Gate::Gate(const LayerContext& context, const std::string& block, const GateSpec& spec)
    : context_(context),
      spec_(spec),
      weight_(context.set.declare(block + ".moe.gate.weight", {context.hidden, spec.shape.experts}, spec.start, true)),
      key_(RandomStream(context.seed, block + ".moe.noise").bitsAt(0)) {
    if (spec.noisy())
        noise_ = context.set.declare(block + ".moe.noise.weight", {context.hidden, spec.shape.experts}, spec.start, true);
}

Buffer Gate::inFloats(ConstArray x) const {
    if (x.type == DType::F32) return {};
    Buffer floats = context_.arena.allocate(MemoryCategory::Temporary, context_.allSize(), DType::F32);
    context_.device().convert(static_cast<std::int64_t>(floats.size()), x, floats.data());
    return floats;
}

void Gate::forward(const LayerState& state, GateState& held, ConstArray x) const {
    const GateShape& shape = spec_.shape;
    const int tokens = shape.tokens(), hidden = context_.hidden, experts = shape.experts;
    Device& device = context_.device();
    {
        const Buffer copy = inFloats(x);
        const ConstArray floats = copy.empty() ? x : copy.data();
        const auto score = [&](const Weight& weight, Array scores) {
            const ProductWeight factor(context_.arena, DType::F32, weight);
            device.gemm(tokens, experts, hidden, floats, false, factor.data(), false, 0, scores);
        };
        score(weight_, held.scores.data());
        if (noise_ && state.firstSample) score(*noise_, held.noise.data());
    }
    if (noise_ && !state.firstSample) device.clear(held.noise.data().data, held.noise.span().bytes().size());
    if (noise_ && state.firstSample)
        device.gateNoise(tokens, experts, key_, *state.firstSample * shape.sequence, held.noise.floats(), held.scores.floats());
    device.route(shape, spec_.kind, held.scores.floats(), held.routes());
}

void Gate::inputGrad(const LayerState& state, GateState& held, const float* weightGradient, Array xGradient) const {
    const GateShape& shape = spec_.shape;
    const int tokens = shape.tokens(), hidden = context_.hidden, experts = shape.experts;
    Device& device = context_.device();
    const Balance balance{spec_.kind, spec_.kind == GateKind::ExpertChoice
                                          ? 0.0f
                                          : static_cast<float>(spec_.balance) * state.lossScale};
    device.routeGrad(shape, balance, held.routes(), weightGradient, held.scores.floats(),
                     noise_ ? held.noise.floats() : nullptr);
    const bool floats = xGradient.type == DType::F32;
    Buffer apart;
    if (!floats) apart = context_.arena.allocate(MemoryCategory::Temporary, context_.allSize(), DType::F32);
    const Array sum = floats ? xGradient : apart.data();
    const auto add = [&](const Weight& weight, const Buffer& scores, bool accumulates) {
        const ProductWeight factor(context_.arena, DType::F32, weight);
        device.gemm(tokens, hidden, experts, scores.data(), false, factor.data(), true, accumulates ? 1 : 0, sum);
    };
    add(weight_, held.scores, floats);
    if (noise_) add(*noise_, held.noise, true);
    if (!floats) device.add(static_cast<std::int64_t>(apart.size()), apart.data(), xGradient);
}

void Gate::addGradient(const Weight& weight, ConstArray x, const Buffer& scores) const {
    const int tokens = spec_.shape.tokens(), hidden = context_.hidden, experts = spec_.shape.experts;
    Device& device = context_.device();
    if (weight.gradient().type == DType::F32) {
        device.gemm(hidden, experts, tokens, x, true, scores.data(), false, 1, weight.gradient());
        return;
    }
    const Buffer part = context_.arena.allocate(
        MemoryCategory::Temporary, static_cast<std::size_t>(hidden) * static_cast<std::size_t>(experts), DType::F32);
    device.gemm(hidden, experts, tokens, x, true, scores.data(), false, 0, part.data());
    device.add(static_cast<std::int64_t>(part.size()), part.data(), weight.gradient());
}

void Gate::weightGrad(const GateState& held, ConstArray x) const {
    const Buffer copy = inFloats(x);
    const ConstArray floats = copy.empty() ? x : copy.data();
    addGradient(weight_, floats, held.scores);
    if (noise_) addGradient(*noise_, floats, held.noise);
}

}  // namespace shardlab
