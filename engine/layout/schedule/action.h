// SPDX-License-Identifier: Apache-2.0
// The action: one thing a pipeline rank does in a step. The same list of actions is timed by the simulator,
// interpreted by the executor, drawn by the timeline and edited by hand.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/schedule/action_kind.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace shardlab::layout {

/// `stage` is the global stage (chunk c of rank r is stage c·p+r unless the schedule folds back).
struct Action {
    ActionKind kind = ActionKind::None;
    int stage = 0;
    int microbatch = -1;  ///< -1 where the action belongs to no microbatch
    int version = -1;     ///< weight version, numbered as schedule.h says and written "@v1"; -1: the current one
    bool operator==(const Action&) const = default;
    auto operator<=>(const Action&) const = default;
};

/// The reversible text form: "3F7", "0B2@v1", "2SEND_F0", "2REDUCE_GRAD", "2STEP", "2STASH@v2".
std::string toText(const Action& action);
Result<Action> parseAction(std::string_view text);

/// The kind whose text is `word`; None where there is no such kind.
ActionKind actionKindOf(std::string_view word);

/// An action packed into an integer, as events carry it. 0 is no action, and an id of an unknown kind becomes no
/// action. From the lowest bit: kind 6 bits, stage 16, microbatch + 1 24, version + 1 16.
using ActionId = std::uint64_t;
ActionId actionId(const Action& action);
Action actionFromId(ActionId id);

/// The other end of a send or receive: 2SEND_F0 ↔ 3RECV_F0.
Action otherEnd(const Action& sendOrReceive);

/// The lower one of the two stages between which a message goes.
constexpr int lowerStage(const Action& sendOrReceive) {
    const bool backward = actionTraits[sendOrReceive.kind].direction == Direction::Backward;
    return sendOrReceive.stage - (isSend(sendOrReceive.kind) == backward ? 1 : 0);
}

/// The tag of a message, which its two ends share: direction, lower stage, microbatch.
int pairTag(const Action& sendOrReceive);

}  // namespace shardlab::layout
