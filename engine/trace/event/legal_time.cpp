// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event/legal_time.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::trace {

std::optional<std::string> illegalTime(std::span<const Event> events) {
    const auto legal = [](const Event& event) { return isLegalTime(event.begin) && isLegalTime(event.end); };
    const auto wrong = std::ranges::find_if_not(events, legal);
    if (wrong == events.end()) return std::nullopt;
    const std::uint32_t number = nameNumber(wrong->action);
    const std::string action = wrong->action == 0 ? std::string()
                               : number != 0      ? fmt::format(", name {},", number)
                                                  : ' ' + toText(actionFromId(wrong->action));
    return fmt::format("event {} ({}{} of rank {}) goes from {} to {} ns, beyond all times", wrong - events.begin() + 1,
                       name(wrong->kind), action, wrong->rank, wrong->begin, wrong->end);
}

}  // namespace shardlab::trace
