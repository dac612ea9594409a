// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/message_numbers.h"

#include <algorithm>

namespace shardlab::trace {

MessageNumbers::MessageNumbers(const RunHeader& header)
    : mesh_(header.layout), stages_(stageCount(header.layout)),
      microbatches_(std::max(microbatches(header.layout), 1)) {}

std::optional<std::int64_t> MessageNumbers::number(const Event& event, EventSource source) const {
    const Action action = actionFromId(event.action);
    if (!isMessage(action.kind) || eventKind(action.kind) != event.kind) return std::nullopt;
    const bool backward = actionTraits[action.kind].direction == Direction::Backward;
    const int lower = lowerStage(action);
    if (lower < 0 || lower >= stages_ || action.microbatch < 0 || action.microbatch >= microbatches_ ||
        event.rank < 0 || event.rank >= mesh_.ranks() || (source == EventSource::Measured && event.step < 0))
        return std::nullopt;
    Coordinates column = mesh_.coordinates(event.rank);
    column[Axis::Pipeline] = 0;
    // Wraps only for a layout of more messages than anything could record.
    const auto unsignedOf = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    std::uint64_t number = source == EventSource::Predicted ? 0 : unsignedOf(std::int64_t{event.step} + 1);
    number = number * unsignedOf(mesh_.ranks()) + unsignedOf(mesh_.rank(column));
    number = number * unsignedOf(stages_) + unsignedOf(lower);
    number = number * unsignedOf(microbatches_) + unsignedOf(action.microbatch);
    return static_cast<std::int64_t>(number * 2 + (backward ? 1 : 0));
}

}  // namespace shardlab::trace
