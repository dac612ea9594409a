// SPDX-License-Identifier: Apache-2.0
// A run whose file has a size limit: of which steps all events are kept, and what was taken away. Every step keeps its
// figures (step_figures.h) and what happens once a step or more rarely: losses and the like, commands, faults,
// checkpoints.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/event/event.h"
#include "engine/layout/layout.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace shardlab::trace {

struct Thinning {
    std::int64_t sizeLimit = 0;  ///< bytes of the run file; 0: none
    // What was asked for, and what is in force: where it did not fit, `every` was doubled and then `last` halved.
    int askedLast = 0;
    int askedEvery = 0;
    int last = 0;
    int every = 0;            ///< 0: of the steps before the last ones none is whole
    int first = 0;            ///< first step recorded; -1: none yet
    int before = 0;           ///< steps before this one were thinned, but every `every`-th
    std::int64_t events = 0;  ///< taken away

    static Thinning of(const RunSpec& run);
    /// "keep-all" without a limit, else "last-and-every".
    std::string_view policy() const { return sizeLimit > 0 ? "last-and-every" : "keep-all"; }
    bool thinned(int step) const { return step >= 0 && step < before && (every == 0 || step % every != 0); }
    std::int64_t steps() const;  ///< of which events were taken away
    /// Keeps less from now on. False where nothing is left that could go.
    bool keepLess();
    /// What is done again is whole once more.
    void restarted(int step);
    bool operator==(const Thinning&) const = default;
};

/// Events that go when a step is thinned: spans, memory between actions, histograms.
bool isDetail(const Event& event);

/// "every step's figures, all events of the last 50 steps and of every 100th"
std::string keptText(const Thinning& thinning);
/// "412 steps (1.2 M events)"; empty where nothing was taken away.
std::string thinnedText(const Thinning& thinning);

std::string writeThinning(const Thinning& thinning);
Status readThinning(std::string_view json, Thinning& thinning);

}  // namespace shardlab::trace
