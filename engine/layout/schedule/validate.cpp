// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/validate.h"

#include "engine/layout/schedule/findings.h"
#include "engine/layout/schedule/grid.h"
#include "engine/layout/schedule/passes.h"

#include <fmt/format.h>
#include <utility>

namespace shardlab::layout {
namespace {

/// What the other parts of the proof take for granted.
std::optional<Finding> findMisshape(const Schedule& schedule) {
    const auto refuse = [](Sentence why, Sentence legal) {
        return Finding{-1, -1, {}, std::move(why), std::move(legal)};
    };
    if (schedule.ranks.empty() || schedule.rankOfStage.empty() || schedule.microbatches < 1)
        return refuse(say("it is empty"), say("At least one pipeline rank, one stage and one microbatch"));
    const auto ranks = static_cast<int>(schedule.ranks.size());
    std::vector<bool> holds(schedule.ranks.size(), false);
    for (int stage = 0; stage < schedule.stages(); ++stage) {
        const int rank = schedule.rankOf(stage);
        if (rank < 0 || rank >= ranks)
            return refuse(say("stage {} lies on pipeline rank {} of {}", stage, rank, ranks),
                          say("A pipeline rank that there is"));
        holds[static_cast<std::size_t>(rank)] = true;
    }
    std::size_t actions = 0;
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
        if (!holds[rank])
            return refuse(say("pipeline rank {} holds no stage", rank),
                          say("At least one stage on each pipeline rank"));
        actions += schedule.ranks[rank].size();
    }
    // Other parts of the proof have tables of stages and microbatches, which stay as small as the schedule itself.
    const auto cells = static_cast<std::size_t>(schedule.stages()) * static_cast<std::size_t>(schedule.microbatches);
    if (actions < cells)
        return refuse(say("{} actions cannot be a forward for each of {} microbatches in {} stages", actions,
                          schedule.microbatches, schedule.stages()),
                      say("Each microbatch exactly once per stage"));
    return {};
}

/// What unrolled() takes for granted.
std::optional<Finding> findUnsteadiness(const Schedule& schedule) {
    const auto refuse = [](Sentence why, Sentence legal) {
        return Finding{-1, -1, {}, std::move(why), std::move(legal)};
    };
    const std::size_t ranks = schedule.ranks.size(), stages = schedule.rankOfStage.size();
    if (schedule.microbatches < 1 || schedule.fill.size() != ranks || schedule.ahead.size() != stages ||
        schedule.versions.size() != stages)
        return refuse(say("its fill, its forwards ahead and its weight versions are not those of its ranks and stages"),
                      say("One of each for every rank or stage, and at least one microbatch"));
    if (schedule.updates < 1 || schedule.microbatches % schedule.updates != 0)
        return refuse(say("{} microbatches do not divide into {} updates", schedule.microbatches, schedule.updates),
                      say("Updates of equally many microbatches"));
    return {};
}

/// As many steps as have every kind of border: after the fill, between two steps that are neither first nor last,
/// before the drain. Further steps would repeat these.
int provedSteps(const Schedule& schedule) { return 3 + schedule.numbered() / schedule.microbatches; }

}  // namespace

std::optional<Finding> findWrong(const Schedule& schedule) {
    if (!schedule.flushes()) {
        if (auto finding = findUnsteadiness(schedule)) return finding;
        return findWrong(unrolled(schedule, provedSteps(schedule)).schedule);
    }
    std::optional<Finding> finding = findMisshape(schedule);
    if (!finding) finding = findOrderViolation(schedule);
    if (!finding) finding = findVersionViolation(schedule);
    if (!finding) finding = findDeadlock(schedule);
    return finding;
}

Sentence placeOf(const Schedule& schedule, const Finding& finding) {
    if (finding.rank < 0) return {};
    if (finding.position < 0) return say("pipeline rank {}, {}", finding.rank, toText(finding.action));
    const auto& actions = schedule.ranks[static_cast<std::size_t>(finding.rank)];
    return say("pipeline rank {}, action {}, {}", finding.rank, finding.position + 1,
               toText(actions[static_cast<std::size_t>(finding.position)]));
}

std::string pictureOf(const Schedule& schedule, const Finding& finding) {
    if (finding.rank < 0) return {};
    const auto& actions = schedule.ranks[static_cast<std::size_t>(finding.rank)];
    const Action* marked =
        finding.position >= 0 ? &actions[static_cast<std::size_t>(finding.position)] : &finding.action;
    std::string grid = renderGrid(schedule, marked, finding.rank, {3, 8});
    grid.pop_back();  // the last line's end
    return grid;
}

Status validate(const Schedule& schedule) {
    if (!schedule.flushes() && !findUnsteadiness(schedule))
        return validate(unrolled(schedule, provedSteps(schedule)).schedule);
    const std::optional<Finding> finding = findWrong(schedule);
    if (!finding) return {};
    const Sentence what = say("the schedule cannot run");
    if (finding->rank < 0) return fail({what, "", finding->why, finding->legal});
    return fail({what, placeOf(schedule, *finding),
                 fmt::format("{}{}{}\n{}", finding->why, finding->legal.empty() ? "" : ". ", finding->legal,
                             pictureOf(schedule, *finding)),
                 ""});
}

}  // namespace shardlab::layout
