// SPDX-License-Identifier: Apache-2.0
// What a step copies between each rank's device and its host.
#pragma once

#include "engine/layout/mesh/mesh.h"
#include "engine/predict/plan/simulation.h"
#include "engine/trace/event/event.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardlab::predict {

/// What one rank copies to and from its host. Both directions of the link are used at the same time.
struct HostTraffic {
    std::int64_t toHost = 0;  ///< bytes
    std::int64_t fromHost = 0;
    double toHostSeconds = 0;  ///< on the link
    double fromHostSeconds = 0;
    double exposedSeconds = 0;  ///< that the rank waits for copies
    bool operator==(const HostTraffic&) const = default;
};

/// The host traffic of each rank, from the predicted or measured events of one step of all ranks.
std::vector<HostTraffic> hostTraffic(std::span<const Event> events, int ranks);
/// The host traffic of a simulated step, whose folded ranks do as the first of their pipeline rank.
std::vector<HostTraffic> hostTraffic(const Simulation& step, const Mesh& mesh);

}  // namespace shardlab::predict
