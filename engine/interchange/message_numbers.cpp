// SPDX-License-Identifier: Apache-2.0
#include "engine/interchange/message_numbers.h"

#include <algorithm>

namespace shardlab {

MessageNumbers::MessageNumbers(const RunHeader& header)
    : mesh_(header.layout), stages_(stageCount(header.layout)), microbatches_(std::max(microbatches(header.layout), 1)) {}

std::optional<std::int64_t> MessageNumbers::number(const Event& event, std::int64_t step) const {
    const Action action = actionFromId(event.action);
    if ((!isSend(action.kind) && !isReceive(action.kind)) || eventKind(action.kind) != event.kind) return std::nullopt;
    const bool backward = action.kind == ActionKind::SendBackward || action.kind == ActionKind::RecvBackward;
    const bool upperEnd = action.kind == ActionKind::RecvForward || action.kind == ActionKind::SendBackward;
    const int lowerStage = action.stage - (upperEnd ? 1 : 0);
    if (lowerStage < 0 || lowerStage >= stages_ || action.microbatch < 0 || action.microbatch >= microbatches_ ||
        event.rank < 0 || event.rank >= mesh_.ranks() || step < -1)
        return std::nullopt;
    Coordinates column = mesh_.coordinates(event.rank);
    column[static_cast<std::size_t>(Axis::Pipeline)] = 0;
    std::int64_t number = step + 1;
    number = number * mesh_.ranks() + mesh_.rank(column);
    number = number * stages_ + lowerStage;
    number = number * microbatches_ + action.microbatch;
    return number * 2 + (backward ? 1 : 0);
}

}  // namespace shardlab
