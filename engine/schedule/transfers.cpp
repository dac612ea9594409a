// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/passes.h"

#include "engine/schedule/dataflow.h"
#include "engine/schedule/slots.h"

#include <algorithm>
#include <tuple>

namespace shardlab {
namespace {

/// An action's place in the one order that all ranks share. A message comes before the compute that begins with it:
/// so every rank's list is a part of one total order, and the first action of it not yet done can always go on.
struct Placed {
    int time;
    bool compute;
    std::size_t sequence;  ///< of a message: its place among all messages; of compute: its place in the list
    Action action;
    auto key() const { return std::tuple(time, compute, sequence); }
};

struct Message {
    int time;
    std::size_t sender;
    std::size_t receiver;
    Action send;
};

std::vector<Message> messagesOf(const Schedule& schedule, const SlotTimes& times) {
    std::vector<Message> messages;
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
        for (std::size_t i = 0; i < times.reached[rank]; ++i) {
            const Action& action = schedule.ranks[rank][i];
            const auto product = productOf(action);
            if (!product) continue;
            const int taker = takerOf(*product);
            if (taker < 0 || taker >= schedule.stages() || !schedule.crossesRanks(std::min(taker, action.stage))) continue;
            const ActionKind kind = product->gradient ? ActionKind::SendBackward : ActionKind::SendForward;
            messages.push_back({times.begin[rank][i] + slotsOf(action.kind), rank,
                                static_cast<std::size_t>(schedule.rankOfStage[static_cast<std::size_t>(taker)]),
                                {kind, action.stage, action.microbatch}});
        }
    std::ranges::stable_sort(messages, {}, &Message::time);
    return messages;
}

}  // namespace

Schedule addTransfers(Schedule schedule) {
    const SlotTimes times = slotTimes(schedule);
    std::vector<std::vector<Placed>> placed(schedule.ranks.size());
    const std::vector<Message> messages = messagesOf(schedule, times);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const Message& message = messages[i];
        placed[message.sender].push_back({message.time, false, i, message.send});
        placed[message.receiver].push_back({message.time, false, i, otherEnd(message.send)});
    }
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
        std::vector<Action>& actions = schedule.ranks[rank];
        for (std::size_t i = 0; i < times.reached[rank]; ++i)
            placed[rank].push_back({times.begin[rank][i], true, i, actions[i]});
        std::ranges::sort(placed[rank], {}, &Placed::key);
        // What waits for something that never comes stays at the end, for validate() to name.
        const std::vector<Action> stuck(actions.begin() + static_cast<std::ptrdiff_t>(times.reached[rank]), actions.end());
        actions.clear();
        for (const Placed& each : placed[rank]) actions.push_back(each.action);
        actions.insert(actions.end(), stuck.begin(), stuck.end());
    }
    return schedule;
}

}  // namespace shardlab
