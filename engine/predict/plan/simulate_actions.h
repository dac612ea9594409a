// SPDX-License-Identifier: Apache-2.0
// Discrete-event simulation of one step in which every rank goes through its list of actions.
#pragma once

#include "engine/layout/mesh/mesh.h"
#include "engine/layout/schedule/schedule.h"
#include "engine/predict/plan/costs.h"
#include "engine/predict/plan/simulation.h"

#include <functional>
#include <vector>

namespace shardlab::predict {

/// The rules, which the training executor follows too when it is paced:
/// - A rank goes through its list in order. Compute takes its cost in the compute lane.
/// - A send starts when it is reached, or when the message before it to the same rank has gone; it keeps the link busy,
///   not the compute lane. Messages to different ranks do not disturb each other.
/// - A receive is posted when it is reached and holds nothing up. A compute action whose input comes from another rank
///   starts when its rank is free and the message has arrived: what lies between is a Wait span with the receive's
///   action.
/// - A reduction starts when the last of its members has reached it, and takes each member its cost from then; what a
///   member waits for the others is a Wait span with the reduction's action. Members of a data group are alike and
///   reach it together.
/// - What goes to a server and comes from it, or to a centre, takes all replicas the same time, as a reduction does:
///   they reach it together. The rank that is simulated is the server's; what the others do meanwhile: server_costs.h.
/// - The members of a tensor group are alike and go through their lists together. Their collectives are a part of the
///   compute action: spans in the comm lane at StepCosts::tensorSpans; where a step has more than half a million of
///   them, one for all of an action.
/// - A copy between a device and its host starts when it is reached, or when the one before it in its direction has
///   gone; gradients go when the reductions of their stage are over besides. It keeps the host's link busy, not the
///   compute lane. STEP waits for the gradients of its stage, GATHER_PARAM for the weights, and the end of the step for
///   all. What SWAP_OUT sends is waited for by SWAP_FREE, and what SWAP_IN brings by its backward.
/// - The optimizer, and the stash of a weight version, take their cost in the compute lane; to free one takes no time.
/// - What runs beside compute over the data axis is announced when it is reached and holds nothing up. Its pieces keep
///   the data axis's link busy one after another, in the order in which they are ready. A compute action with such
///   pieces goes layer by layer, each taking its share (DataCosts::layerShare); a segment that is computed again goes
///   from its bottom before the backward of its layers (againShare). A bucket, or a layer's gradients to be scattered,
///   is ready when its lowest layer's gradient is; what copies sum of it (REDUCE_PARTS) when it is scattered;
///   parameters of the first layer that is used are ready to be gathered at the announcement, those of another when the
///   layer that is gathered before it begins for the first time, and a layer begins when its own have come. Where
///   parameters lie on the host, each piece comes over the host's link first, and is then ready to be gathered. Where
///   gradients of layers take turns in two slots, a layer waits for the scatter of the last but one; before copies are
///   summed, a stage of one layer waits for that of the last. REDUCE_TIED, REDUCE_NORM and STEP wait for all
///   reductions. All that a rank waits for is a Wait span with the action whose piece it waits for; compute spans are
///   cut by them.
/// - Where ranks share cores (StepCosts::cores; never paced), those that compute at one time get equal shares of them:
///   n ranks on c < n cores take n/c times their costs. Messages and reductions take theirs.
/// `lowered` is valid (validate.h).
Simulation simulateActions(const Schedule& lowered, const StepCosts& costs, const Mesh& mesh);

/// Simulates without making events, several times faster than simulateActions().
Simulation simulateActionsWithoutEvents(const Schedule& lowered, const StepCosts& costs);

/// The seconds of each action, for simulations that ask: what if this action were faster?
using ActionSeconds = std::function<double(const Action&)>;
double simulatedSeconds(const Schedule& lowered, const StepCosts& costs, const ActionSeconds& seconds);

/// One replica's step as actions and what each of them had to wait for.
struct StepGraph {
    struct Node {
        int rank = 0;      ///< in the pipeline
        Action action;     ///< any but receives, which take no time of their own
        double begin = 0;  ///< seconds; the largest end of those before it, or 0
        double end = 0;
        double tensor = 0;       ///< seconds of it that the collectives of its tensor group take
        std::vector<int> after;  ///< nodes that had to end first: on its rank, on its link, the message, all members
    };
    std::vector<Node> nodes;  ///< each later than those in its `after`
    double stepSeconds = 0;
};
/// The graph of one step. For a schedule that does not flush it is that of a run of one step, with fill and drain.
StepGraph stepGraph(const Schedule& lowered, const StepCosts& costs);
StepGraph stepGraph(const Schedule& lowered, const StepCosts& costs, const ActionSeconds& seconds);

}  // namespace shardlab::predict
