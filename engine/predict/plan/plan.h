// SPDX-License-Identifier: Apache-2.0
// Everything that can be said of a layout before it runs.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/memory_limit.h"
#include "engine/layout/fault.h"
#include "engine/layout/utilisation.h"
#include "engine/predict/plan/host_traffic.h"
#include "engine/predict/plan/ledger.h"
#include "engine/predict/plan/simulate.h"
#include "engine/predict/plan/step_plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardlab::predict {

/// Bytes that cross one axis in a step, summed over all ranks.
struct AxisTraffic {
    Axis axis = Axis::Data;
    Sentence what;           ///< "gradients, all-reduce"
    std::int64_t bytes = 0;  ///< the same for all algorithms of an all-reduce: each member's share reaches all others
    Sentence how = {};       ///< "hierarchical, 1.9 ms on the slowest stage"; empty for what goes from one to one
};

struct Plan : StepPlan {
    Simulation simulation;   ///< on the clock of a run: where that is paced, costs.stretch × as long
    double stepSeconds = 0;  ///< of the modelled devices, as every time and rate below (engine/base/device_time.h)
    double tokensPerSecond = 0;
    double bubble = 0;
    double bubbleTheory = 0;  ///< of equal stages and free transfers
    double flopsPerStep = 0;  ///< forward and backward, all ranks
    DevicePeak
        peak;        ///< of the modelled devices, or of this machine's as measured; not known where a preset is a guess
    double mfu = 0;  ///< modelUtilisation(), of that peak or of the preset's; in [0, 1]
    double exposedCommunication = 0;  ///< share of the step that would go if transfers and reductions took no time
    std::int64_t parameters = 0;
    MemoryLimit device;              ///< what a rank has, and may take
    std::vector<RankMemory> memory;  ///< per rank of the mesh
    std::vector<AxisTraffic> traffic;
    std::int64_t sentBytes = 0;      ///< the sum of all of these: what all ranks together send in a step (SentBytes)
    std::vector<HostTraffic> hosts;  ///< per rank of the mesh; empty where nothing lies on a host
    bool fits = true;                ///< the device holds what each rank needs
    std::vector<Sentence> notes;     ///< what a reader should know: "slowed 2.4 k × to watch: …"
};

/// The memory of one rank: the device's; of this machine's memory its share, where ranks run at full speed on it.
MemoryLimit memoryLimit(const Layout& layout, const Mesh& mesh);
/// What a rank's tensors need of it: their peak; where ranks run at full speed on processors, what lies on the host is
/// in the same memory.
std::int64_t neededBytes(const Layout& layout, const RankMemory& rank);
/// The rank that needs most of it.
const RankMemory& neediest(const Layout& layout, const std::vector<RankMemory>& ranks);

/// A plan, or every fault of the layout. Times are measured ones where `measurements` has them, else the preset's.
/// `stretch`: of a paced layout, in place of the one that makes its step last cluster.pace.step_seconds.
tl::expected<Plan, std::vector<Fault>> makePlan(const Layout& layout, const Measurements& measurements = {},
                                                std::optional<double> stretch = {});
/// The plan of a layout in which check() has found no fault.
Plan legalPlan(const Layout& layout, const Measurements& measurements, std::optional<double> stretch = {});
/// The simulated step alone, on the clock that the costs are stretched to.
Simulation simulationOf(const StepPlan& plan);

}  // namespace shardlab::predict
