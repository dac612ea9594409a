// SPDX-License-Identifier: Apache-2.0
// Why is this slow? Where the time of a predicted step goes besides useful work, and which layout near by is faster.
#pragma once

#include "engine/predict/plan/plan.h"
#include "engine/predict/search/search_axes.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::predict {

enum class StepOverheadKind : std::uint8_t {
    Overload,       ///< more ranks than cores
    Communication,  ///< transfers and reductions that nothing hides
    Imbalance,      ///< stages that take longer than the others
    Bubble,         ///< filling and draining the pipeline
    Recompute,      ///< activations computed again
    Kernels,        ///< starting kernels
};
std::string_view name(StepOverheadKind kind);  ///< "exposed communication"

/// A layout one change away whose predicted step is shorter, and which fits where the present one does.
struct BetterLayout {
    Choice choice;           ///< apply() it to the plan's layout
    Sentence change;         ///< "micro 1 instead of 2"
    double stepSeconds = 0;  ///< of the modelled devices
    double gain = 0;         ///< share of the plan's step that is saved, in (0, 1)
};

struct StepOverhead {
    StepOverheadKind kind = StepOverheadKind::Bubble;
    double seconds = 0;  ///< of the modelled devices
    double share = 0;    ///< of the step
    Sentence why;        ///< one sentence with its figures
    std::optional<BetterLayout> better;
};

/// The largest overheads of the step, largest first, those of at least a thousandth of it. The step is simulated again
/// and again, each time with one more of its overheads taken out, in the order of StepOverheadKind: what it becomes
/// shorter by is the overhead. So they do not overlap, and together with computation and optimizer they are the whole
/// step. `better` is the quickest of the neighbours (neighbours.h) that change what the overhead comes from; each kind
/// of change is told once, with the largest overhead that it serves, so that the advice differs from one to the next.
std::vector<StepOverhead> largestOverheads(const Plan& plan, std::size_t most = 3);

/// "micro 1 instead of 2 would take 370 ms, 18 % less"
Sentence toText(const BetterLayout& better);

}  // namespace shardlab::predict
