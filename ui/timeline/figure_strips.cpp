// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/figure_strips.h"

#include <algorithm>
#include <utility>

namespace shardlab::ui {
namespace {

constexpr double leastDrawnStep = 4;    ///< pixels of a step within which something can be seen
constexpr std::size_t mostOfPixel = 8;  ///< steps whose mean one pixel shows

/// They are there and were seen; those of a thinned step were taken away, of others they were never recorded.
bool hasEvents(const RunModel& model, int rank, std::size_t index) {
    const StepExtent& step = model.steps().extents()[index];
    return model.steps().all()[index].detailed() && !model.steps().thinning().thinned(step.step) &&
           model.store().lane(rank, Lane::Compute).known(step.begin, step.end);
}

template <class Shares>
void stack(GanttScene::Strip& strip, int x, const Shares& shares) {
    const QRect area = strip.area;
    int below = 0;
    int bottom = area.top() + area.height();
    for (std::size_t i = 0; i < shares.size(); ++i) {
        below = std::min(255, below + shares[i]);
        const int top = area.top() + area.height() - below * area.height() / 255;
        strip.fill(x, top, bottom, GanttScene::colour(paintOf(shownKinds[i]), false));
        bottom = top;
    }
}

}  // namespace

FigureStrips::FigureStrips(const RunModel& model, const TimeScale& scale) : model_(model), scale_(scale) {
    if (model.ranks() == 0 || !model.steps().shares(0, 0)) return;
    const auto& extents = model.steps().extents();
    const StepRange all = stepsWithin(model, scale.begin, scale.end);
    if (all.first == all.last) return;
    const std::int64_t begin = std::max(scale.begin, extents[all.first].begin);
    const std::int64_t end = std::min(scale.end, extents[all.last - 1].end);
    coarse_ = static_cast<double>(end - begin) / scale.perPixel() <
              leastDrawnStep * static_cast<double>(all.last - all.first);
    StepRange steps{all.first, all.first};
    const auto at = [&](std::size_t step) { return extents.begin() + static_cast<std::ptrdiff_t>(step); };
    for (int column = 0; column < scale.width; ++column) {
        const auto first = std::partition_point(at(steps.first), at(all.last), [&](const StepExtent& step) {
            return step.end <= scale.columnBegin(column);
        });
        steps.first = static_cast<std::size_t>(first - extents.begin());
        const auto last =
            std::partition_point(at(std::max(steps.last, steps.first)), at(all.last),
                                 [&](const StepExtent& step) { return step.begin < scale.columnBegin(column + 1); });
        steps.last = static_cast<std::size_t>(last - extents.begin());
        steps_.push_back(steps);
    }
}

FigureStrips::Shares FigureStrips::mean(const StepRange& steps, int rank) const {
    const std::size_t stride = (steps.last - steps.first + mostOfPixel - 1) / mostOfPixel;
    Shares sum{};
    int count = 0;
    for (std::size_t step = steps.first; step < steps.last; step += stride) {
        const StepShares* shares = model_.steps().shares(step, rank);
        if (!shares) break;
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += (*shares)[i];
        ++count;
    }
    for (int& share : sum) share /= std::max(count, 1);
    return sum;
}

void FigureStrips::draw(GanttScene& scene, const Row& row) {
    std::optional<GanttScene::Strip> faint, full;
    const auto stripOf = [&](std::optional<GanttScene::Strip>& strip) -> GanttScene::Strip& {
        if (!strip) strip.emplace(QRect(scale_.left, row.barTop, scale_.width, row.barHeight));
        return *strip;
    };
    std::size_t known = model_.steps().extents().size();
    bool without = false;
    for (std::size_t column = 0; column < steps_.size(); ++column) {
        const StepRange& steps = steps_[column];
        if (steps.first == steps.last) continue;
        const StepExtent& extent = model_.steps().extents()[steps.first];
        if (coarse_) without = model_.steps().thinning().thinned(extent.step);
        else if (std::exchange(known, steps.first) != steps.first) without = !hasEvents(model_, row.rank, steps.first);
        if (without || coarse_)
            stack(stripOf(without ? faint : full), scale_.left + static_cast<int>(column), mean(steps, row.rank));
    }
    if (faint) scene.figures.push_back(std::move(*faint));
    if (full) scene.strips.push_back(std::move(*full));
}

std::optional<std::size_t> stepWithoutEvents(const RunModel& model, int rank, std::int64_t time) {
    const int step = time < 0 || model.empty() ? -1 : model.steps().indexAt(time);
    if (step < 0 || rank < 0 || rank >= model.ranks()) return {};
    const StepExtent& extent = model.steps().extents()[static_cast<std::size_t>(step)];
    if (time >= extent.end || !model.steps().shares(static_cast<std::size_t>(step), rank)) return {};
    if (hasEvents(model, rank, static_cast<std::size_t>(step))) return {};
    return static_cast<std::size_t>(step);
}

}  // namespace shardlab::ui
