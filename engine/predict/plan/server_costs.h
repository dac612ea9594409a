// SPDX-License-Identifier: Apache-2.0
// A parameter server, or a centre (layout/exchange.h), in a prediction: what its link takes, and what the other
// replicas do meanwhile.
#pragma once

#include "engine/trace/event/event.h"
#include "engine/layout/devices.h"
#include "engine/layout/layout.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/predict/plan/costs.h"

#include <functional>
#include <span>
#include <vector>

namespace shardlab::predict {

/// Sets push and pull of a server, or elastic of a centre, before stretching. A message of B bytes takes α + B/β on the
/// link of its pipeline rank. A synchronous server: α + (n−1)·B/β each way, as all of it goes over the server's one
/// link, one worker after another. An asynchronous one: one worker's. Hogwild: pull is a copy within memory. A centre:
/// both ways at once, and seven passes through memory.
void addServerCosts(StepCosts& costs, const Layout& layout, const std::vector<int>& rankOfStage,
                    const std::function<Link(int pipelineRank)>& link, double memoryBandwidth);

/// One step as simulated, of which every replica is a copy, made into that of replicas which do not all do the same;
/// bytes become those that leave a rank. With a server the others do not update, but wait for the weights. With a
/// centre it is the step in which replica 1 has its turn. Of Hogwild nothing leaves a rank.
std::vector<Event> withOwnParts(std::span<const Event> events, const Layout& layout, const Mesh& mesh);

}  // namespace shardlab::predict
