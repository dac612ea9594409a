// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/order/order_edits.h"

#include "engine/layout/suggest.h"
#include "ui/core/words.h"

#include <algorithm>
#include <string>

namespace shardlab::ui {
namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

const Action* actionAt(const Schedule& schedule, OrderPlace place) {
    if (place.rank < 0 || place.rank >= static_cast<int>(schedule.ranks.size())) return nullptr;
    const auto& actions = schedule.ranks[static_cast<std::size_t>(place.rank)];
    const bool there = place.position >= 0 && place.position < static_cast<int>(actions.size());
    return there ? &actions[static_cast<std::size_t>(place.position)] : nullptr;
}

Schedule movedOrder(Schedule schedule, OrderPlace from, int to) {
    if (!actionAt(schedule, from)) return schedule;
    auto& actions = schedule.ranks[static_cast<std::size_t>(from.rank)];
    to = std::clamp(to, 0, static_cast<int>(actions.size()) - 1);
    const auto begin = actions.begin();
    if (to > from.position) std::rotate(begin + from.position, begin + from.position + 1, begin + to + 1);
    else std::rotate(begin + to, begin + from.position, begin + from.position + 1);
    return schedule;
}

Result<Schedule> retypedOrder(Schedule schedule, OrderPlace at, std::string_view text) {
    if (!actionAt(schedule, at)) return schedule;
    std::vector<Action> typed;
    for (const std::string_view part : splitWords(text)) {
        if (trimmed(part).empty()) continue;
        const Result<Action> action = parseAction(trimmed(part));
        if (!action) return fail(action.error());
        const bool known = action->stage < schedule.stages();
        if (!known || schedule.rankOfStage[static_cast<std::size_t>(action->stage)] != at.rank)
            return fail(
                {tr("it cannot stand here").toStdString(), toText(*action),
                 (known ? tr("its stage lies on another pipeline rank") : tr("there is no such stage")).toStdString(),
                 tr("a stage of this pipeline rank").toStdString()});
        typed.push_back(*action);
    }
    auto& actions = schedule.ranks[static_cast<std::size_t>(at.rank)];
    const auto place = actions.erase(actions.begin() + at.position);
    actions.insert(place, typed.begin(), typed.end());
    return schedule;
}

}  // namespace shardlab::ui
