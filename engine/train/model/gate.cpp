// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/gate.h"

#include "engine/base/random.h"
#include "engine/layout/context_split.h"
#include "engine/train/model/product_weight.h"

namespace shardlab::train {

namespace {

std::size_t scoresOf(const GateShape& shape, int columns) {
    return static_cast<std::size_t>(shape.tokens()) * static_cast<std::size_t>(columns);
}

std::size_t choicesOf(const GateShape& shape) {
    return static_cast<std::size_t>(shape.tokens()) * static_cast<std::size_t>(shape.choices);
}

std::int32_t* integers(const Buffer& buffer) { return static_cast<std::int32_t*>(buffer.data().data); }

/// The kernels number runs as the layout does.
constexpr bool runsAreThoseOf(int sequence, int members) {
    for (int member = 0; member < members; ++member) {
        const RowPositions positions =
            GateShape{.sequence = sequence / members, .members = members, .member = member}.positions();
        const auto runs = contextRuns(sequence, members, member);
        if (positions.first != runs[0].first || positions.split != runs[0].count || positions.second != runs[1].first)
            return false;
    }
    return true;
}
static_assert(runsAreThoseOf(12, 2) && runsAreThoseOf(12, 3) && runsAreThoseOf(48, 8));

}  // namespace

GateState::GateState(const LayerContext& context, const GateSpec& spec) {
    const GateShape& shape = spec.shape;
    const auto allocate = [&](std::size_t elements, DType type) {
        return context.arena.allocate(MemoryCategory::Activations, elements, type);
    };
    const auto allocateScores = [&](int columns, Buffer& ofScores, Buffer& ofNoise) {
        ofScores = allocate(scoresOf(shape, columns), DType::F32);
        if (spec.noisy()) ofNoise = allocate(scoresOf(shape, columns), DType::F32);
    };
    allocateScores(shape.experts, scores, noise);
    if (spec.inGroups()) allocateScores(shape.groups, groupScores, groupNoise);
    weights = allocate(choicesOf(shape), DType::F32);
    rows = allocate(choicesOf(shape), DType::I32);
    places = allocate(static_cast<std::size_t>(shape.rows()), DType::I32);
    counts =
        allocate(2 * static_cast<std::size_t>(shape.samples) * static_cast<std::size_t>(shape.experts), DType::F32);
    if (shape.packed()) begins = allocate(static_cast<std::size_t>(shape.experts) + 1, DType::I32);
    if (spec.keepsNumbers()) numbers = allocate(static_cast<std::size_t>(shape.rows()), DType::I32);
    if (spec.capped()) rounds = allocate(static_cast<std::size_t>(shape.samples), DType::I32);
}

Routes GateState::routes() const {
    Routes routes{weights.floats(), integers(rows), integers(places), counts.floats(),
                  counts.floats() + counts.size() / 2};
    if (!begins.empty()) routes.begins = integers(begins);
    if (!numbers.empty()) routes.numbers = integers(numbers);
    if (!rounds.empty()) routes.rounds = integers(rounds);
    return routes;
}

Gate::Scorer::Scorer(const LayerContext& context, const std::string& gate, const std::string& noiseName, int width,
                     const GateSpec& spec)
    : columns(width), weight(context.set.declare(gate + ".weight", {context.hidden, width}, spec.start, true)),
      key(RandomStream(context.seed, noiseName).bitsAt(0)) {
    if (spec.noisy()) noise = context.set.declare(noiseName + ".weight", {context.hidden, width}, spec.start, true);
}

Gate::Gate(const LayerContext& context, const std::string& block, const GateSpec& spec)
    : context_(context), spec_(spec),
      experts_(context, block + ".moe.gate", block + ".moe.noise", spec.shape.experts, spec),
      draws_(RandomStream(context.seed, block + ".moe.draws").bitsAt(0)) {
    if (spec.biased)
        bias_ = context.arena.allocateZeroed(MemoryCategory::Buffers, static_cast<std::size_t>(spec.shape.experts),
                                             DType::F32);
    if (spec.inGroups())
        groups_.emplace(context, block + ".moe.group_gate", block + ".moe.group_noise", spec.shape.groups, spec);
    if (spec.scoreBias)
        scoreBias_ = context.set.declare(block + ".moe.scores.bias", {spec.shape.experts}, Initial{}, false);
}

Buffer Gate::inFloats(ConstArray x) const {
    if (x.type == DType::F32) return {};
    Buffer floats = context_.arena.allocate(MemoryCategory::Temporary, context_.allSize(), DType::F32);
    context_.device().convert(static_cast<std::int64_t>(floats.size()), x, floats.data());
    return floats;
}

void Gate::score(const LayerState& state, const Scorer& scorer, ConstArray floats, const Buffer& scores,
                 const Buffer& noise) const {
    const int tokens = spec_.shape.tokens(), hidden = context_.hidden;
    Device& device = context_.device();
    const auto multiply = [&](const Weight& weight, Array product) {
        const ProductWeight factor(context_.arena, DType::F32, weight);
        device.gemm(tokens, scorer.columns, hidden, floats, false, factor.data(), false, 0, product);
    };
    multiply(scorer.weight, scores.data());
    if (!scorer.noise) return;
    if (!state.firstSample) {
        device.clear(noise.data().data, noise.span().bytes().size());
        return;
    }
    multiply(*scorer.noise, noise.data());
    addNoise(*state.firstSample, scorer, scores, noise);
}

/// Noise follows the place of a token in its sample, whoever has the token.
void Gate::addNoise(std::int64_t firstSample, const Scorer& scorer, const Buffer& scores, const Buffer& noise) const {
    const GateShape& shape = spec_.shape;
    Device& device = context_.device();
    ContextGroup* const group = context_.context;
    if (!group) {
        device.gateNoise(shape.tokens(), scorer.columns, scorer.key, firstSample * shape.sequence, noise.floats(),
                         scores.floats());
        return;
    }
    const std::int64_t sequence = std::int64_t{shape.sequence} * group->size();
    std::ptrdiff_t at = 0;
    for (int sample = 0; sample < shape.samples; ++sample)
        for (const TokenRun& run : contextRuns(static_cast<int>(sequence), group->size(), group->member())) {
            device.gateNoise(run.count, scorer.columns, scorer.key, (firstSample + sample) * sequence + run.first,
                             noise.floats() + at, scores.floats() + at);
            at += std::ptrdiff_t{run.count} * scorer.columns;
        }
}

ToldChoices Gate::Told::choices() const {
    return {asks.empty() ? nullptr : integers(asks), probabilities.empty() ? nullptr : probabilities.floats()};
}

/// What members have of each sample, one member behind the other, becomes whole samples.
Buffer Gate::inOrder(const Buffer& gathered) const {
    const GateShape& shape = spec_.shape;
    Buffer ordered = context_.arena.allocate(MemoryCategory::Temporary, gathered.size(), DType::F32);
    const std::ptrdiff_t piece = std::ptrdiff_t{shape.runTokens()} * shape.experts;
    const std::size_t bytes = static_cast<std::size_t>(piece) * sizeof(float);
    for (int sample = 0; sample < shape.samples; ++sample)
        for (int i = 0; i < shape.pieces(); ++i) {
            const std::ptrdiff_t from = (shape.memberOf(i) * shape.samples + sample) * 2 + shape.runOf(i);
            const std::ptrdiff_t to = std::ptrdiff_t{sample} * shape.pieces() + i;
            context_.device().copy(gathered.floats() + from * piece, ordered.floats() + to * piece, bytes);
        }
    return ordered;
}

/// Gathers what has to be known of the tokens of all members before places are given out.
Gate::Told Gate::told(const GateState& held, const Buffer& asks) const {
    Told told;
    if (!spec_.shape.competes()) return told;
    const Buffer& own = spec_.expertsChoose() ? held.scores : asks;
    const auto members = static_cast<std::size_t>(spec_.shape.members);
    Buffer all = context_.arena.allocate(MemoryCategory::Temporary, members * own.size(), own.type());
    context_.context->gatherChoices(own.span(), all.span());
    if (spec_.expertsChoose()) told.probabilities = inOrder(all);
    else told.asks = std::move(all);
    return told;
}

void Gate::forward(const LayerState& state, GateState& held, ConstArray x) const {
    const GateShape& shape = spec_.shape;
    {
        const Buffer copy = inFloats(x);
        const ConstArray floats = copy.empty() ? x : copy.data();
        score(state, experts_, floats, held.scores, held.noise);
        if (scoreBias_) {
            const ProductWeight bias(context_.arena, DType::F32, *scoreBias_);
            context_.device().addBias(shape.tokens(), shape.experts, bias.data(), held.scores.data());
        }
        if (groups_) score(state, *groups_, floats, held.groupScores, held.groupNoise);
    }
    GateRule rule{spec_.kind};
    rule.scale = static_cast<float>(spec_.scale);
    if (!bias_.empty()) rule.bias = bias_.floats();
    if (state.firstSample) {
        rule.draws = true;
        rule.key = draws_;
        rule.firstRow = *state.firstSample * shape.wholeSequence();
    }
    Routes routes = held.routes();
    Buffer asks, assigned;
    if (shape.competes() && !spec_.expertsChoose()) {
        asks = context_.arena.allocate(MemoryCategory::Temporary, static_cast<std::size_t>(shape.asks()), DType::I32);
        routes.asks = integers(asks);
    }
    context_.device().chooseExperts(shape, rule, held.scoresOfAll(), routes);
    const Told others = told(held, asks);
    if (spec_.capped()) {
        rule.tokenExperts = spec_.tokenExperts;
        rule.entropy = static_cast<float>(spec_.entropy);
        assigned =
            context_.arena.allocate(MemoryCategory::Temporary, scoresOf(shape.whole(), shape.experts), DType::F32);
        routes.assigned = assigned.floats();
    }
    context_.device().placeTokens(shape, rule, held.scores.floats(), others.choices(), routes);
}

void Gate::inputGrad(const LayerState& state, GateState& held, const float* weightGradient, Array xGradient) const {
    const GateShape& shape = spec_.shape;
    const int tokens = context_.ownTokens(), first = context_.tensor.firstOwnToken(shape.tokens());
    const int hidden = context_.hidden;
    Device& device = context_.device();
    Balance balance{spec_.kind, spec_.expertsChoose() ? 0.0f : static_cast<float>(spec_.balance) * state.lossScale};
    if (ContextGroup* const group = context_.context) {
        // A whole sample has c times as many tokens, the statistic is the sum over the members, and each
        // member's gradient is c times its summand of the mean over replicas: c ÷ c² of the factor.
        group->sumOverMembers(held.counts.span());
        balance.weight /= static_cast<float>(group->size());
    }
    device.routeGrad(shape, balance, held.routes(), weightGradient, held.scoresOfAll(), held.noiseOfAll());
    const bool floats = xGradient.type == DType::F32;
    Buffer apart;
    if (!floats) apart = context_.arena.allocate(MemoryCategory::Temporary, context_.ownSize(), DType::F32);
    const Array sum = floats ? xGradient : apart.data();
    bool accumulates = floats;
    const auto add = [&](const Weight& weight, const Buffer& scores, int columns) {
        const ProductWeight factor(context_.arena, DType::F32, weight);
        const ConstArray own = scores.data() + std::ptrdiff_t{first} * columns;
        device.gemm(tokens, hidden, columns, own, false, factor.data(), true, accumulates ? 1 : 0, sum);
        accumulates = true;
    };
    const auto addBoth = [&](const Scorer& scorer, const Buffer& scores, const Buffer& noise) {
        add(scorer.weight, scores, scorer.columns);
        if (scorer.noise) add(*scorer.noise, noise, scorer.columns);
    };
    addBoth(experts_, held.scores, held.noise);
    if (groups_) addBoth(*groups_, held.groupScores, held.groupNoise);
    if (!floats) device.add(static_cast<std::int64_t>(apart.size()), apart.data(), xGradient);
}

void Gate::addGradient(const Weight& weight, ConstArray x, const Buffer& scores, int columns) const {
    const int tokens = spec_.shape.tokens(), hidden = context_.hidden;
    Device& device = context_.device();
    if (weight.gradient().type == DType::F32) {
        device.gemm(hidden, columns, tokens, x, true, scores.data(), false, 1, weight.gradient());
        return;
    }
    const Buffer part = context_.arena.allocate(
        MemoryCategory::Temporary, static_cast<std::size_t>(hidden) * static_cast<std::size_t>(columns), DType::F32);
    device.gemm(hidden, columns, tokens, x, true, scores.data(), false, 0, part.data());
    device.add(static_cast<std::int64_t>(part.size()), part.data(), weight.gradient());
}

void Gate::addBiasGradient(const Buffer& scores) const {
    const GateShape& shape = spec_.shape;
    const Array gradient = scoreBias_->gradient();
    Device& device = context_.device();
    if (gradient.type == DType::F32)
        return device.addColumnSums(shape.tokens(), shape.experts, scores.data(), gradient);
    const Buffer part =
        context_.arena.allocateZeroed(MemoryCategory::Temporary, static_cast<std::size_t>(shape.experts), DType::F32);
    device.addColumnSums(shape.tokens(), shape.experts, scores.data(), part.data());
    device.add(shape.experts, part.data(), gradient);
}

void Gate::weightGrad(const GateState& held, ConstArray x) const {
    const Buffer copy = inFloats(x);
    const ConstArray floats = copy.empty() ? x : copy.data();
    const auto addBoth = [&](const Scorer& scorer, const Buffer& scores, const Buffer& noise) {
        addGradient(scorer.weight, floats, scores, scorer.columns);
        if (scorer.noise) addGradient(*scorer.noise, floats, noise, scorer.columns);
    };
    addBoth(experts_, held.scores, held.noise);
    if (groups_) addBoth(*groups_, held.groupScores, held.groupNoise);
    if (scoreBias_) addBiasGradient(held.scores);
}

}  // namespace shardlab::train
