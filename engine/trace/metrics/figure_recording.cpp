// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/metrics/figure_recording.h"

#include "engine/trace/metrics/figure_codec.h"

#include <algorithm>

namespace shardlab::trace {
namespace {

/// Leaves those of `blocks` that changed, and the others used last.
template <class Blocks>
void keepFew(Blocks& blocks) {
    while (blocks.size() > FigureRecording::mostBlocks) {
        auto oldest = blocks.end();
        for (auto block = blocks.begin(); block != blocks.end(); ++block)
            if (!block->second.changed && (oldest == blocks.end() || block->second.used < oldest->second.used))
                oldest = block;
        if (oldest == blocks.end()) return;
        blocks.erase(oldest);
    }
}

int stepOf(const StepFigures& figures) { return figures.times.step; }

}  // namespace

FigureRecording::FigureRecording(int ranks, bool flushes, SentBytes sent, MetricStore& shelf)
    : ranks_(std::max(ranks, 0)), flushes_(flushes), sent_(std::move(sent)), stepsPerBlock_(stepsPerBlock(ranks)),
      shelf_(shelf) {}

Status FigureRecording::add(std::span<const Event> events) {
    Status status;
    for (const Event& event : events) {
        if (isRestart(event)) {
            if (!restarts_.add(event)) continue;
            if (const Status forgotten = forgetFrom(event.step); !forgotten && status) status = forgotten;
            continue;
        }
        if (restarts_.superseded(event) || !countsIn(event, ranks_)) continue;
        const int step = std::max(event.step, -1);
        if (!last_ || stepOf(*last_) != step) {
            const auto found = figures(step);
            if (!found) {
                if (status) status = fail(found.error());
                continue;
            }
            last_ = *found;
        }
        last_->add(event, flushes_, sent_);
        if (last_->times.complete) lastComplete_ = std::max(lastComplete_, step);
    }
    return status;
}

Result<FigureRecording::Block*> FigureRecording::block(int key) {
    const auto known = blocks_.find(key);
    if (known != blocks_.end()) return &known->second;
    Block block;
    if (key < droppedFrom_) {
        const auto stored = shelf_.from(FigureTable::RankSteps, key);
        if (!stored) return fail(stored.error());
        if (*stored && (*stored)->first == key) {
            auto steps = unpackFigures((*stored)->data, ranks_, flushes_, restarts_);
            if (!steps) return fail(steps.error());
            block.steps = std::move(*steps);
        }
    }
    return &blocks_.emplace(key, std::move(block)).first->second;
}

Result<FigureRecording::OverviewBlock*> FigureRecording::overviews(int key) {
    const auto known = overviews_.find(key);
    if (known != overviews_.end()) return &known->second;
    OverviewBlock block;
    if (key < droppedFrom_) {
        const auto stored = shelf_.from(FigureTable::Steps, key);
        if (!stored) return fail(stored.error());
        if (*stored && (*stored)->first == key) {
            auto steps = unpackOverviews((*stored)->data);
            if (!steps) return fail(steps.error());
            block.steps = std::move(*steps);
        }
    }
    return &overviews_.emplace(key, std::move(block)).first->second;
}

Result<StepFigures*> FigureRecording::figures(int step) {
    const auto found = block(keyOf(step));
    if (!found) return fail(found.error());
    Block& block = **found;
    block.changed = true;
    block.used = ++clock_;
    auto place = std::ranges::lower_bound(block.steps, step, {}, stepOf);
    if (place == block.steps.end() || stepOf(*place) != step)
        place = block.steps.insert(place, StepFigures::of(step, ranks_, restarts_.ranksOf(step, ranks_)));
    return &*place;
}

Status FigureRecording::forgetFrom(int step) {
    last_ = nullptr;
    lastComplete_ = std::min(lastComplete_, step - 1);
    const auto cut = block(keyOf(step));
    const auto cutOverview = overviews(step - step % stepsPerOverview);
    droppedFrom_ = std::min(droppedFrom_, step);
    if (!cut) return fail(cut.error());
    if (!cutOverview) return fail(cutOverview.error());
    const auto gone = [step](const auto& each) {
        if constexpr (requires { each.times; }) return stepOf(each) >= step;
        else return each.step >= step;
    };
    std::erase_if((*cut)->steps, gone);
    (*cut)->changed = true;
    std::erase_if((*cutOverview)->steps, gone);
    (*cutOverview)->changed = true;
    blocks_.erase(blocks_.upper_bound(keyOf(step)), blocks_.end());
    overviews_.erase(overviews_.upper_bound(step - step % stepsPerOverview), overviews_.end());
    return {};
}

Status FigureRecording::overview(const Block& block) {
    for (const StepFigures& figures : block.steps) {
        const int step = stepOf(figures);
        if (step < 0) continue;
        const auto found = overviews(step - step % stepsPerOverview);
        if (!found) return fail(found.error());
        auto& steps = (*found)->steps;
        auto place = std::ranges::lower_bound(steps, step, {}, &StepOverview::step);
        if (place == steps.end() || place->step != step) place = steps.insert(place, StepOverview{});
        *place = overviewOf(figures.times);
        (*found)->changed = true;
        (*found)->used = ++clock_;
    }
    return {};
}

Status FigureRecording::store() {
    if (droppedFrom_ != std::numeric_limits<int>::max()) {
        for (const FigureTable table : {FigureTable::Steps, FigureTable::RankSteps})
            if (const Status dropped = shelf_.dropFrom(table, droppedFrom_); !dropped) return dropped;
    }
    for (const auto& [key, block] : blocks_) {
        if (!block.changed) continue;
        if (const Status made = overview(block); !made) return made;
        const Bytes data = block.steps.empty() ? Bytes{} : packFigures(block.steps);
        if (const Status put = shelf_.put(FigureTable::RankSteps, key, data); !put) return put;
    }
    for (const auto& [key, block] : overviews_) {
        if (!block.changed) continue;
        const Bytes data = block.steps.empty() ? Bytes{} : packOverviews(block.steps);
        if (const Status put = shelf_.put(FigureTable::Steps, key, data); !put) return put;
    }
    return {};
}

void FigureRecording::settle() {
    for (auto& [key, block] : blocks_) block.changed = false;
    for (auto& [key, block] : overviews_) block.changed = false;
    droppedFrom_ = std::numeric_limits<int>::max();
    last_ = nullptr;
    keepFew(blocks_);
    keepFew(overviews_);
}

}  // namespace shardlab::trace
