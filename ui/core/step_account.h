// SPDX-License-Identifier: GPL-3.0-or-later
// What can be said of a predicted step beyond its events: each rank's memory over it, and which chain of actions
// decides how long it takes.
#pragma once

#include "engine/base/device_time.h"
#include "engine/trace/metrics/memory_curve.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/predict/plan/critical_path.h"

#include <map>
#include <memory>
#include <vector>

namespace shardlab::ui {

struct StepAccount {
    Mesh mesh;
    std::vector<MemoryCurve> memory;         ///< by pipeline rank; times as those of the predicted events
    std::vector<MemoryCurve> memoryOfFirst;  ///< of the first replicas, where they are not like the others; else empty
    int first = 1;                           ///< how many these are
    StepGraph graph;                         ///< in device time, and the path too
    CriticalPath path;
    /// Nodes of the graph by pipeline rank and action.
    std::map<std::pair<int, ActionId>, int> nodes;

    int pipelineRank(int rank) const { return mesh.coordinate(rank, Axis::Pipeline); }
    const MemoryCurve& memoryOf(int rank) const {
        const bool among = !memoryOfFirst.empty() && replicaNumber(mesh, rank) < first;
        return (among ? memoryOfFirst : memory)[static_cast<std::size_t>(pipelineRank(rank))];
    }
    /// The node of an event of any replica; -1 where it is none (waits, receives).
    int nodeOf(const Event& event) const;
};

/// `events`: the step of all ranks as it was predicted, on the clock of `device`; empty: it is simulated. None where
/// the layout cannot be planned.
std::shared_ptr<const StepAccount> accountOf(const Layout& layout, std::vector<Event> events, DeviceTime device);

}  // namespace shardlab::ui
