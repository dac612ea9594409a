// SPDX-License-Identifier: Apache-2.0
#include "engine/base/parse_text.h"
#include "engine/layout/schedule/csv_cells.h"
#include "engine/layout/schedule/text.h"

#include "engine/layout/schedule/passes.h"

#include <algorithm>

namespace shardlab::layout {
namespace {

tl::unexpected<Error> refuse(Sentence where, Sentence why, Sentence legal) {
    return fail({say("this is no schedule"), std::move(where), std::move(why), std::move(legal)});
}

/// Which rank holds each stage, from the forwards; and how many microbatches there are.
Status nameStages(Schedule& schedule) {
    int stages = 0;
    for (const auto& actions : schedule.ranks)
        for (const Action& action : actions) {
            stages = std::max(stages, action.stage + 1);
            schedule.microbatches = std::max(schedule.microbatches, action.microbatch + 1);
        }
    if (std::int64_t{stages} * schedule.microbatches > (1 << 22))
        return refuse("", say("it names {} stages and {} microbatches", stages, schedule.microbatches),
                      say("At most 4194304 = stages × microbatches"));
    schedule.rankOfStage.assign(static_cast<std::size_t>(stages), -1);
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
        for (const Action& action : schedule.ranks[rank]) {
            int& holder = schedule.rankOfStage[static_cast<std::size_t>(action.stage)];
            if (holder >= 0 && holder != static_cast<int>(rank))
                return refuse(say("line {}, {}", rank + 1, toText(action)),
                              say("stage {} stands on line {} too", action.stage, holder + 1),
                              say("A stage lives on one rank"));
            holder = static_cast<int>(rank);
        }
    const auto missing = std::ranges::find(schedule.rankOfStage, -1);
    if (missing != schedule.rankOfStage.end())
        return refuse("", say("stage {} stands nowhere", missing - schedule.rankOfStage.begin()),
                      say("Stages are numbered from 0 without gaps"));
    return {};
}

}  // namespace

std::string toCsv(const Schedule& schedule) {
    if (!schedule.flushes()) return toCsv(unrolled(schedule, 2).schedule);
    std::string text;
    for (const auto& actions : schedule.ranks) {
        for (std::size_t i = 0; i < actions.size(); ++i) {
            if (i > 0) text += ',';
            text += toText(actions[i]);
        }
        text += '\n';
    }
    return text;
}

Result<Schedule> readCells(std::string_view csv,
                           const std::function<Status(std::string_view, std::vector<Action>&)>& read) {
    Schedule schedule;
    schedule.kind = "custom";
    while (!csv.empty()) {
        std::string_view line = takePart(csv, '\n');
        std::vector<Action>& list = schedule.ranks.emplace_back();
        for (int cell = 1; !line.empty(); ++cell) {
            const std::string_view text = trimmed(takePart(line, ','), " \t\r\"");
            if (text.empty()) continue;  // an idle slot
            if (const Status taken = read(text, list); !taken) {
                Error error = taken.error();
                error.where = say("line {}, cell {}: {}", schedule.ranks.size(), cell, error.where);
                return fail(std::move(error));
            }
        }
    }
    while (!schedule.ranks.empty() && schedule.ranks.back().empty()) schedule.ranks.pop_back();
    if (schedule.ranks.empty())
        return refuse("", say("there are no actions"), say("One line a rank, actions separated by commas: 0F0,0B0"));
    if (const Status named = nameStages(schedule); !named) return fail(named.error());
    return schedule;
}

Result<Schedule> parseCsv(std::string_view csv) {
    return readCells(csv, [](std::string_view cell, std::vector<Action>& actions) -> Status {
        const Result<Action> action = parseAction(cell);
        if (!action) return fail(action.error());
        actions.push_back(*action);
        return {};
    });
}

}  // namespace shardlab::layout
