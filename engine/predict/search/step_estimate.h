// SPDX-License-Identifier: Apache-2.0
// What makePlan() says of a step, without its events: for comparing many layouts.
#pragma once

#include "engine/layout/memory_limit.h"
#include "engine/layout/layout.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/layout/schedule_method.h"
#include "engine/predict/plan/costs.h"
#include "engine/predict/plan/device_peak.h"
#include "engine/predict/plan/ledger.h"
#include "engine/predict/plan/measurements.h"
#include "engine/predict/plan/stage_kinds.h"
#include "engine/layout/schedule/passes.h"
#include "engine/predict/search/search_axes.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace shardlab::predict {

struct MemoryEstimate {
    RankMemory worst;              ///< of the pipeline rank that needs most
    std::int64_t neededBytes = 0;  ///< of its device by that rank (plan.h)
    MemoryLimit device;
    /// That a stack's allocator takes of the device (stack_memory.h), on that rank and on the first; 0 for Shardlab's
    /// own.
    std::int64_t reservedBytes = 0, firstReservedBytes = 0;
    bool fits() const { return device.holds(neededBytes); }
};

/// On the modelled device, as Plan's stepSeconds.
struct StepEstimate {
    double stepSeconds = 0;
    double bubble = 0;
    double mfu = 0;  ///< as Plan's
    MemoryEstimate memory;
    bool exact = true;  ///< false where a long step was estimated from two shorter ones
};

/// Remembers mesh, costs and lists of actions from one choice to the next: quickest where neighbours differ in the
/// schedule only.
///
/// A step of many microbatches repeats itself between its fill and its drain. Where it has more than 12 p of them and
/// more than about 2048 forwards, two shorter steps of m₁ and m₂ = about 2 m₁ microbatches are simulated, both with m's
/// remainder by 2 p; the step, the busy time, the time between first forward and last backward, and the memory are
/// continued as f(m) = f(m₂) + (m − m₂)·(f(m₂) − f(m₁))/(m₂ − m₁). The bubble follows from them.
class StepEstimator {
public:
    explicit StepEstimator(Layout base, Measurements measurements = {})
        : layout_(std::move(base)), measurements_(std::move(measurements)) {}
    /// `choice` is legal for the base layout.
    StepEstimate estimate(const Choice& choice);
    /// Estimates the step where the memory is known already.
    StepEstimate estimate(const Choice& choice, const MemoryEstimate& memory);
    MemoryEstimate memory(const Choice& choice);

private:
    struct Measured {
        double step = 0;  ///< seconds, as the others
        double busy = 0;  ///< of a compute lane, mean over ranks
        double span = 0;  ///< first forward to last backward
    };
    /// How a step is measured: whole, or as two shorter ones.
    struct Extent {
        ScheduleShape whole, shorter, longer;
        bool continues = false;
    };
    struct Costed {
        Choice choice;  ///< all but its schedule's kind and limit decide the costs
        std::vector<int> rankOfStage;
        StepCosts costs;
        double modelFlops = 0;  ///< of a step
    };

    /// Lists of actions: by schedule, microbatches of the list, limit, and what LowerOptions add.
    struct Lists {
        using Key = std::tuple<std::string, int, int>;
        std::array<int, 3> of{};  ///< ranks, chunks, microbatches of the step
        std::map<Key, Schedule> transferred;
        std::map<std::tuple<Key, std::array<bool, 5>, int>, Schedule> lowered;
    };

    struct Stages {
        Choice choice;  ///< all but its schedule's kind and limit decide what stages hold and move
        StageKinds kinds;
    };

    /// What actions move, which is the same with each ZeRO stage.
    struct Moves {
        Choice choice;
        std::vector<RankMemory> memory;
    };

    void turnTo(const Choice& choice);
    Extent extent() const;
    Measured measure(const ScheduleShape& shape);
    const std::vector<RankMemory>& moves(const Choice& choice, const Extent& extent);
    StageKinds& stageKinds(const Choice& choice);
    const Schedule& loweredFor(const ScheduleShape& shape, const LowerOptions& options);
    const StepCosts& costsFor(const std::vector<int>& rankOfStage);

    Layout layout_;
    Measurements measurements_;
    std::optional<Mesh> mesh_;
    std::optional<MeshGroups> groups_;
    MemoryLimit device_;
    DevicePeak peak_;
    std::optional<Costed> costed_;
    std::optional<Stages> stages_;
    std::vector<Moves> moves_;
    Lists lists_;
};

}  // namespace shardlab::predict
