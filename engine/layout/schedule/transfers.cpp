// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/passes.h"

#include "engine/layout/schedule/dataflow.h"
#include "engine/layout/schedule/slots.h"

#include <algorithm>
#include <utility>

namespace shardlab::layout {
namespace {

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
            if (taker < 0 || taker >= schedule.stages() || !schedule.crossesRanks(std::min(taker, action.stage)))
                continue;
            const ActionKind kind = product->gradient ? ActionKind::SendBackward : ActionKind::SendForward;
            messages.push_back({times.begin[rank][i] + slotsOf(action.kind),
                                rank,
                                static_cast<std::size_t>(schedule.rankOf(taker)),
                                {kind, action.stage, action.microbatch}});
        }
    std::ranges::stable_sort(messages, {}, &Message::time);
    return messages;
}

// All ranks follow one total order: by time, a message before the compute that begins with it, messages among each
// other as sorted above. Every rank's list is a part of it, so the first action not yet done can always go on.
std::vector<std::vector<Action>> withMessages(const Schedule& schedule) {
    const SlotTimes times = slotTimes(schedule);
    std::vector<std::vector<std::pair<int, Action>>> messages(schedule.ranks.size());
    std::vector<std::vector<Action>> lists;
    for (const Message& message : messagesOf(schedule, times)) {
        messages[message.sender].emplace_back(message.time, message.send);
        messages[message.receiver].emplace_back(message.time, otherEnd(message.send));
    }
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
        const std::vector<Action>& actions = schedule.ranks[rank];
        std::vector<Action>& merged = lists.emplace_back();
        merged.reserve(actions.size() + messages[rank].size());
        auto next = messages[rank].begin();
        const auto takeUntil = [&](int time) {
            for (; next != messages[rank].end() && next->first <= time; ++next) merged.push_back(next->second);
        };
        for (std::size_t i = 0; i < actions.size(); ++i) {
            // What waits for something that never comes stays at the end, for validate() to name.
            takeUntil(i < times.reached[rank] ? times.begin[rank][i] : times.end);
            merged.push_back(actions[i]);
        }
        takeUntil(times.end);
    }
    return lists;
}

}  // namespace

// Where steps are not flushed, each step's messages come after those of the step before, on every rank: still one
// order.
Schedule addTransfers(Schedule schedule) {
    if (!schedule.flushes()) {
        Schedule fill = schedule;
        fill.ranks = std::exchange(fill.fill, {});
        schedule.fill = withMessages(fill);
    }
    schedule.ranks = withMessages(schedule);
    return schedule;
}

}  // namespace shardlab::layout
