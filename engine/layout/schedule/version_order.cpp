// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/findings.h"

#include <algorithm>
#include <map>
#include <set>

namespace shardlab::layout {
namespace {

using Kind = ActionKind;

/// Follows the weights of one stage through its rank's list.
class StageVersions {
public:
    /// `reduces`, `beside`: the gradients of stages are averaged at once, or in buckets beside the last backward.
    StageVersions(const std::vector<Action>& actions, int rank, int stage, bool reduces, bool beside)
        : actions_(actions), rank_(rank), stage_(stage), reduces_(reduces), beside_(beside) {
        for (const Action& action : actions) {
            if (action.stage != stage || action.version < 0) continue;
            if (action.kind == Kind::OptimizerStep && current_ < 0) current_ = action.version - 1;
        }
    }

    std::optional<Finding> run() {
        for (std::size_t i = 0; i < actions_.size() && !finding_; ++i)
            if (actions_[i].stage == stage_) visit(static_cast<int>(i), actions_[i]);
        if (!finding_ && updates() && gradients_ > 0)
            wrong(-1, {Kind::OptimizerStep, stage_, -1, current_ + 1},
                  say("it is missing: {}", say("gradients came after the last")), "");
        return finding_;
    }

private:
    bool updates() const { return current_ >= 0; }

    void wrong(int position, const Action& action, Sentence why, Sentence legal) {
        finding_ = Finding{rank_, position, action, std::move(why), std::move(legal)};
    }

    void visit(int at, const Action& action) {
        if (isCompute(action.kind)) return compute(at, action);
        const int next = current_ + 1;
        switch (action.kind) {
        case Kind::StashWeights:
            if (kept_.contains(action.version))
                wrong(at, action, say("the version is kept already"), say("Each version once"));
            // Until the first update all versions are the initial weights.
            else if (updates() && (updated_ ? action.version != current_ : action.version > current_))
                wrong(at, action, say("the current weights are version {}", current_), say("@v{}", current_));
            kept_.insert(action.version);
            return;
        case Kind::FreeWeights:
            if (kept_.erase(action.version) == 0)
                wrong(at, action, say("the version is not kept here"), say("A version that was stashed, once"));
            return;
        case Kind::ReduceGradients:
            if (updates() && action.version != next)
                wrong(at, action, say("the next update makes version {}", next), say("@v{}", next));
            reduced_ = action.version;
            return;
        case Kind::ReduceBuckets: announced_ = action.microbatch; return;
        case Kind::OptimizerStep:
            if (!updates()) return;
            if (action.version != next)
                wrong(at, action, say("the next update makes version {}", next), say("@v{}", next));
            else if (gradients_ == 0)
                wrong(at, action, say("no gradient came since the update before"),
                      say("A backward between two updates"));
            else if (reduces_ && reduced_ != next)
                wrong(at, action, say("the update needs the averaged gradient"),
                      say("{} first", toText({Kind::ReduceGradients, stage_, -1, next})));
            else if (beside_ && announced_ != last_)
                wrong(at, action, say("the update needs the averaged gradient"),
                      say("{} first", toText({Kind::ReduceBuckets, stage_, last_})));
            current_ = next;
            updated_ = true;
            gradients_ = 0;
            return;
        default: return;
        }
    }

    void compute(int at, const Action& action) {
        if (action.kind == Kind::Forward) {
            used_[action.microbatch] = action.version;
        } else if (used_[action.microbatch] != action.version) {
            const Action forward{Kind::Forward, stage_, action.microbatch, used_[action.microbatch]};
            return wrong(at, action, say("{} used another version", toText(forward)),
                         say("A backward with the weights of its forward"));
        }
        if (endsMicrobatch(action.kind)) {
            ++gradients_;
            last_ = action.microbatch;
        }
        if (!updates()) return;
        if (action.version < 0)
            wrong(at, action, say("it names no weight version, and its stage has several"), say("A version, as @v0"));
        else if (action.version != current_ && !kept_.contains(action.version))
            wrong(at, action, say("version {} is neither kept nor current, which is {}", action.version, current_),
                  say("A version from its stash to its free"));
    }

    const std::vector<Action>& actions_;
    int rank_, stage_;
    bool reduces_, beside_;
    int current_ = -1;  ///< -1: the list has no updates that name versions
    bool updated_ = false;
    int reduced_ = -1;
    int announced_ = -1, last_ = -1;  ///< the microbatches whose backward averages, and came last
    int gradients_ = 0;               ///< since the last update
    std::set<int> kept_;
    std::map<int, int> used_;  ///< version by microbatch
    std::optional<Finding> finding_;
};

}  // namespace

std::optional<Finding> findVersionViolation(const Schedule& schedule) {
    const auto any = [&](const auto& is) {
        return std::ranges::any_of(
            schedule.ranks, [&](const std::vector<Action>& actions) { return std::ranges::any_of(actions, is); });
    };
    if (!any([](const Action& action) { return action.version >= 0; })) return {};
    const bool reduces = any([](const Action& a) { return a.kind == Kind::ReduceGradients && a.version >= 0; });
    const bool beside = any([](const Action& a) { return a.kind == Kind::ReduceBuckets; });
    for (int stage = 0; stage < schedule.stages(); ++stage) {
        StageVersions versions(schedule.listOf(stage), schedule.rankOf(stage), stage, reduces, beside);
        if (auto finding = versions.run()) return finding;
    }
    return {};
}

}  // namespace shardlab::layout
