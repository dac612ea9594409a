// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/gradient_check.h"

#include "engine/train/optim/gradient_norm.h"

#include <cmath>

namespace shardlab::train {

namespace {

constexpr int exponentsEvery = 10;  ///< steps between two histograms of gradients

}  // namespace

GradientCheck::GradientCheck(RankStages& stages, Arena& arena, const RankGroups& groups, RankTrace& trace,
                             const LossScale& scale, bool atServer, double clip)
    : stages_(stages), device_(arena.device()), groups_(groups), trace_(trace), scale_(scale), atServer_(atServer),
      clip_(clip) {
    if (!scale_.active()) return;
    overflow_ = arena.allocateZeroed(MemoryCategory::Buffers, 1, DType::I32);
    for (auto& [index, rankStage] : stages_)
        rankStage.stage->watchOverflow(static_cast<std::int32_t*>(overflow_.data().data));
}

CheckedGradients GradientCheck::check(int step) {
    if (scale_.watched() && step % exponentsEvery == 0) recordExponents();
    const double scale = scale_.value();
    const double squares = squaredNorm() / (scale * scale);
    CheckedGradients checked{std::sqrt(squares), scale_.active() && !std::isfinite(squares)};
    checked.factor = checked.overflow ? 0 : clipScale(squares, clip_) / scale_.value();
    // With a server the others wait for what comes of it, and know not even that there is an overflow.
    const bool asks = scale_.active() && (checked.overflow || atServer_);
    const std::int32_t mark = asks ? takeMark() : 0;
    const bool marked = asks && anyMark(mark);
    if (asks && atServer_) sum(groups_.data, checked.overflow ? 1.0 : 0.0);
    if (checked.overflow && mark != 0) recordOverflow(mark);
    // Where no replica had a gradient that is not finite, the sum over the replicas is too large.
    if (checked.overflow && !marked) recordOverflowOfSum();
    return checked;
}

CheckedGradients GradientCheck::learnOfCheck() {
    if (!scale_.active()) return unchecked();
    const std::int32_t mark = takeMark();
    anyMark(mark);
    CheckedGradients checked = unchecked();
    checked.overflow = sum(groups_.data, 0.0) > 0;
    if (checked.overflow && mark != 0) recordOverflow(mark);
    return checked;
}

double GradientCheck::squaredNorm() {
    const bool sharded = stages_.begin()->second.shards != nullptr;
    const bool spread = groups_.experts.size() > 1 && !sharded;  // all shards differ anyway
    double squares = 0, ofExperts = 0;
    for (auto& [index, rankStage] : stages_) {
        squares += squaredGradientNorm(rankStage.owned(), device_, spread ? GradientPart::Dense : GradientPart::All);
        if (spread) ofExperts += squaredGradientNorm(rankStage.owned(), device_, GradientPart::Experts);
    }
    // Each expert counts once, and all members come to the same bits.
    if (spread) squares += sum(groups_.experts, ofExperts);
    if (sharded) squares = sum(groups_.copy, squares);  // over all shards
    return sum(groups_.replica, squares);
}

std::int32_t GradientCheck::takeMark() {
    std::int32_t mark = 0;
    device_.download(overflow_.data().data, &mark, sizeof mark);
    device_.clear(overflow_.data().data, sizeof mark);
    return mark;
}

/// Records where on this rank the first gradient was that is not finite.
void GradientCheck::recordOverflow(std::int32_t mark) {
    const OverflowPlace place = overflowPlace(mark);
    Action action{ActionKind::Backward, stages_.begin()->first, place.microbatch};
    for (const auto& [index, rankStage] : stages_)
        if (rankStage.stage->hasLayer(place.layer)) action.stage = index;
    trace_.overflow(action, place.layer);
}

void GradientCheck::recordOverflowOfSum() {
    for (auto& [index, rankStage] : stages_)
        for (const Parameter& parameter : rankStage.owned()) {
            if (std::isfinite(squaredGradientNorm(std::span(&parameter, 1), device_))) continue;
            const int layer = rankStage.stage->layerOfModel(parameter.lowestLayer);
            return trace_.overflow({ActionKind::ReduceGradients, index}, layer);
        }
}

/// Records the histogram of the gradients that this rank updates with.
void GradientCheck::recordExponents() {
    ExponentHistogram histogram;
    for (auto& [index, rankStage] : stages_)
        for (const Parameter& parameter : rankStage.owned())
            if (parameter.owner && !parameter.gradient.empty())
                device_.addExponents(static_cast<std::int64_t>(parameter.gradient.size()), parameter.gradient.data(),
                                     histogram);
    trace_.exponents(histogram);
}

}  // namespace shardlab::train
