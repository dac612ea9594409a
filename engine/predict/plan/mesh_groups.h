// SPDX-License-Identifier: Apache-2.0
// Which ranks of a mesh communicate with each other, as groups whose size and hosts decide what that costs.
#pragma once

#include "engine/layout/mesh/mesh.h"
#include "engine/predict/plan/collectives.h"

#include <vector>

namespace shardlab::predict {

/// Groups that exchange over the data axis, each the slowest of its kind.
struct DataGroups {
    Group copy;     ///< replicas that share a copy of what ZeRO divides; all where there is one copy
    Group holders;  ///< of them, those that hold the same experts
    Group parts;    ///< replicas that hold the same part of each copy
    bool operator==(const DataGroups&) const = default;
};

/// The replicas of one pipeline rank.
struct Replicas {
    Group group;
    DataGroups exchanging;
    std::vector<int> hosts;  ///< of each
};

/// The groups of a mesh, found once for all schedules that are tried on it. A mesh is its groups wherever a function
/// asks for these. `mesh` must live as long.
struct MeshGroups {
    MeshGroups(const Mesh& mesh);  // NOLINT(google-explicit-constructor)

    const Mesh& mesh;
    std::vector<Replicas> replicas;  ///< by pipeline rank
    // Those of rank 0, which all others resemble:
    Group replica, tensor, context;
    Group expert;                 ///< the whole expert axis, folds of a tensor group included
    Group expertExchange;         ///< replicas between which rows travel to experts
    bool rowsCrossHosts = false;  ///< whether any of the groups between which rows travel spans several hosts
};

}  // namespace shardlab::predict
