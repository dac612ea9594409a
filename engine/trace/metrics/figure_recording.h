// SPDX-License-Identifier: Apache-2.0
// Figures of steps made from a run's events as these arrive, and kept on a shelf block by block. Memory holds only the
// blocks that change, those of the last steps, and for a while others of which something came late.
#pragma once

#include "engine/trace/event/restarts.h"
#include "engine/trace/metrics/metric_store.h"
#include "engine/trace/metrics/step_figures.h"

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace shardlab::trace {

class FigureRecording {
public:
    /// Blocks that stay in memory unchanged, a quarter of a megabyte each. Ranks whose events arrive further apart than
    /// that cost a block read back at every turn.
    static constexpr std::size_t mostBlocks = 64;

    /// The shelf must outlive it. `flushes`: as a Summarizer's.
    FigureRecording(int ranks, bool flushes, SentBytes sent, MetricStore& shelf);
    /// Measured events; of a lane in the order they ended, and a restart before what is done after it.
    /// Error: the shelf could not be read; nothing of the events is then missing but what belongs to that block.
    Status add(std::span<const Event> events);
    /// Puts what changed onto the shelf. It counts as changed until settle().
    Status store();
    /// What was stored is safe there.
    void settle();
    /// Largest step that every rank has ended; -1: none.
    int lastComplete() const { return lastComplete_; }

private:
    struct Block {
        std::vector<StepFigures> steps;  ///< ascending
        bool changed = false;
        std::uint64_t used = 0;
    };
    struct OverviewBlock {
        std::vector<StepOverview> steps;
        bool changed = false;
        std::uint64_t used = 0;
    };
    int keyOf(int step) const { return step < 0 ? -1 : step - step % stepsPerBlock_; }
    Result<Block*> block(int key);
    Result<OverviewBlock*> overviews(int key);
    Result<StepFigures*> figures(int step);
    Status forgetFrom(int step);
    Status overview(const Block& block);

    int ranks_;
    bool flushes_;
    SentBytes sent_;
    int stepsPerBlock_;
    MetricStore& shelf_;
    Restarts restarts_;
    std::map<int, Block> blocks_;
    std::map<int, OverviewBlock> overviews_;
    StepFigures* last_ = nullptr;  ///< added to last
    std::uint64_t clock_ = 0;
    int droppedFrom_ = std::numeric_limits<int>::max();  ///< what the shelf has from here on is to go
    int lastComplete_ = -1;
};

}  // namespace shardlab::trace
