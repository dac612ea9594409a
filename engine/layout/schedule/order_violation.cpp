// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/findings.h"

#include <array>

namespace shardlab::layout {
namespace {

using Kind = ActionKind;

/// Looks at every action once and notes where it stands; then asks what must be there and before what.
class Inspector {
public:
    explicit Inspector(const Schedule& schedule)
        : schedule_(schedule), microbatches_(static_cast<std::size_t>(schedule.microbatches)),
          stages_(static_cast<std::size_t>(schedule.stages())), norms_(schedule.ranks.size(), -1) {
        for (std::size_t kind = 0; kind < actionKindCount; ++kind)
            places_[kind].assign(belongsToMicrobatch(static_cast<Kind>(kind)) ? stages_ * microbatches_ : stages_, -1);
        lastOfStage_.assign(stages_, -1);
    }

    std::optional<Finding> run() {
        if (!notePlaces()) return finding_;
        for (int stage = 0; stage < schedule_.stages(); ++stage)
            for (int microbatch = 0; microbatch < schedule_.microbatches; ++microbatch)
                if (!(computeIsWhole(stage, microbatch) && messagesAreWhole(stage, microbatch) &&
                      besideIsWhole(stage, microbatch) && swapIsWhole(stage, microbatch)))
                    return finding_;
        for (int stage = 0; stage < schedule_.stages(); ++stage)
            if (!endIsWhole(stage)) return finding_;
        for (int rank = 0; rank < static_cast<int>(schedule_.ranks.size()); ++rank)
            if (!normIsWhole(rank)) return finding_;
        return {};
    }

private:
    int rankOf(int stage) const { return schedule_.rankOf(stage); }

    /// Where the action stands on its rank, whatever its version; -1: nowhere. There is one norm on a rank, and of each
    /// other kind one action of a stage, or of a stage and microbatch.
    int& at(const Action& action) {
        const auto stage = static_cast<std::size_t>(action.stage);
        if (action.kind == Kind::ReduceNorm) return norms_[static_cast<std::size_t>(rankOf(action.stage))];
        return places_[static_cast<std::size_t>(action.kind)]
                      [belongsToMicrobatch(action.kind)
                           ? stage * microbatches_ + static_cast<std::size_t>(action.microbatch)
                           : stage];
    }

    bool wrong(int rank, int position, const Action& action, Sentence why, Sentence legal) {
        finding_ = Finding{rank, position, action, std::move(why), std::move(legal)};
        return false;
    }
    bool missing(const Action& action, const Sentence& why) {
        return wrong(rankOf(action.stage), -1, action, say("it is missing: {}", why), "");
    }
    /// Whether `early` stands before `late` where both are there, on one rank.
    bool before(const Action& early, const Action& late, std::string_view why) {
        const int atEarly = at(early), atLate = at(late);
        if (atEarly < 0 || atLate < 0 || atEarly < atLate) return true;
        return wrong(rankOf(late.stage), atLate, late, say("it comes before {}: {}", toText(early), termOf(why)),
                     say("{} first", toText(early)));
    }

    bool notePlaces() {
        for (int rank = 0; rank < static_cast<int>(schedule_.ranks.size()); ++rank) {
            const auto& actions = schedule_.ranks[static_cast<std::size_t>(rank)];
            for (int i = 0; i < static_cast<int>(actions.size()); ++i)
                if (!notePlace(rank, i, actions[static_cast<std::size_t>(i)])) return false;
        }
        return true;
    }

    bool notePlace(int rank, int position, const Action& action) {
        if (action.kind == Kind::None) return wrong(rank, position, action, say("it is no action"), "");
        if (action.stage < 0 || action.stage >= schedule_.stages())
            return wrong(rank, position, action, say("there is no stage {}", action.stage),
                         say("Stages 0 to {}", stages_ - 1));
        if (rankOf(action.stage) != rank)
            return wrong(rank, position, action,
                         say("stage {} lies on pipeline rank {}", action.stage, rankOf(action.stage)),
                         say("Actions of a stage stand on its pipeline rank"));
        if (belongsToMicrobatch(action.kind)) {
            if (action.microbatch < 0 || action.microbatch >= schedule_.microbatches)
                return wrong(rank, position, action, say("there is no microbatch {}", action.microbatch),
                             say("Microbatches 0 to {}", microbatches_ - 1));
            hasMessages_ = hasMessages_ || isMessage(action.kind);
        } else if (action.version >= 0) {
            return true;  // a list has many actions with versions, which version_order.cpp judges
        } else {
            anyEnd_[static_cast<std::size_t>(action.kind)] = true;
        }
        int& noted = at(action);
        if (noted >= 0)
            return wrong(rank, position, action, say("it stands twice, first as action {}", noted + 1),
                         say("Each microbatch exactly once per stage"));
        noted = position;
        if (belongsToMicrobatch(action.kind)) lastOfStage_[static_cast<std::size_t>(action.stage)] = position;
        return true;
    }

    bool computeIsWhole(int s, int m) {
        const Action f{Kind::Forward, s, m}, b{Kind::Backward, s, m}, i{Kind::InputGrad, s, m},
            w{Kind::WeightGrad, s, m}, r{Kind::Recompute, s, m};
        const int atB = at(b), atI = at(i), atW = at(w);
        if (at(f) < 0) return missing(f, say("every stage forwards every microbatch"));
        if (schedule_.forwardOnly) {
            for (const Action& each : {b, i, w, r})
                if (at(each) >= 0)
                    return wrong(rankOf(s), at(each), each, say("the schedule is forward only"), say("No backwards"));
            return inputComes(f, Kind::Forward, s - 1);
        }
        if (atB >= 0 && atI >= 0)
            return wrong(rankOf(s), atI, i, say("{} makes the input gradient too", toText(b)),
                         say("Either B, or I and W"));
        if (atB >= 0 && atW >= 0)
            return wrong(rankOf(s), atW, w, say("{} makes the weight gradient too", toText(b)),
                         say("Either B, or I and W"));
        if (atB < 0 && atI < 0 && atW < 0) return missing(b, say("every forward has a backward"));
        if (atB < 0 && atI < 0) return missing(i, say("a weight gradient alone gives the stage below nothing"));
        if (atB < 0 && atW < 0) return missing(w, say("an input gradient alone leaves the weights as they are"));
        const Action& reads = atB >= 0 ? b : i;
        return before(f, reads, phrase("a backward needs what its forward left")) &&
               before(i, w, phrase("the weight gradient needs what the input gradient left")) &&
               before(f, r, phrase("there is nothing yet to compute again")) &&
               before(r, reads, phrase("what is computed again is for the backward")) &&
               inputComes(f, Kind::Forward, s - 1) && inputComes(reads, Kind::Backward, s + 1);
    }

    /// Whether exchanges beside a compute action are announced before it.
    bool besideIsWhole(int s, int m) {
        const auto first = [&](Kind one, Kind other) { return Action{at({one, s, m}) >= 0 ? one : other, s, m}; };
        const Action forward{Kind::Forward, s, m}, reads = first(Kind::Backward, Kind::InputGrad),
                                                   ends = first(Kind::Backward, Kind::WeightGrad);
        const std::pair<Kind, Action> pairs[] = {{Kind::ReduceBuckets, ends},   {Kind::ScatterGradients, ends},
                                                 {Kind::ReduceParts, ends},     {Kind::GatherForward, forward},
                                                 {Kind::GatherBackward, reads}, {Kind::FetchForward, forward},
                                                 {Kind::FetchBackward, reads}};
        for (const auto& [kind, compute] : pairs) {
            const Action news{kind, s, m};
            if (at(news) < 0) continue;
            if (at(compute) < 0) return missing(compute, say("{} runs beside it", toText(news)));
            if (!before(news, compute, phrase("it runs beside it"))) return false;
        }
        for (const auto& [fetches, gathers] : {std::pair(Kind::FetchForward, Kind::GatherForward),
                                               std::pair(Kind::FetchBackward, Kind::GatherBackward)}) {
            if (!before({fetches, s, m}, {gathers, s, m}, phrase("what is gathered must have come from the host")))
                return false;
        }
        const Action parts{Kind::ReduceParts, s, m}, scatter{Kind::ScatterGradients, s, m};
        if (at(parts) >= 0 && at(scatter) < 0) return missing(scatter, say("copies sum the parts that it leaves"));
        return true;
    }

    /// Whether what a forward left goes to the host, gives its memory on the device back, and returns in time for the
    /// backward.
    bool swapIsWhole(int s, int m) {
        const Action out{Kind::SwapOut, s, m}, free{Kind::SwapFree, s, m}, in{Kind::SwapIn, s, m};
        const int atOut = at(out), atFree = at(free), atIn = at(in);
        if (atOut < 0 && atFree < 0 && atIn < 0) return true;
        if (atOut < 0)
            return wrong(rankOf(s), std::max(atFree, atIn), atFree > atIn ? free : in,
                         say("nothing of it is on the host"), say("{} first", toText(out)));
        if (schedule_.forwardOnly)
            return wrong(rankOf(s), atOut, out, say("the schedule is forward only"),
                         say("Nothing is kept that could be swapped"));
        if (atIn < 0) return missing(in, say("its backward needs what is on the host"));
        if (atFree < 0) return missing(free, say("it comes back to where it still is"));
        const Action forward{Kind::Forward, s, m},
            backward{at({Kind::Backward, s, m}) >= 0 ? Kind::Backward : Kind::InputGrad, s, m};
        return before(forward, out, phrase("its forward has left nothing yet")) &&
               before(out, free, phrase("nothing of it is on the host yet")) &&
               before(free, in, phrase("it has not left the device yet")) &&
               before(in, backward, phrase("it needs what is on the host"));
    }

    /// Whether the action that gives `taker` its input stands before it, where both stages lie on one rank.
    bool inputComes(const Action& taker, Kind direction, int giverStage) {
        if (giverStage < 0 || giverStage >= schedule_.stages() || rankOf(giverStage) != rankOf(taker.stage))
            return true;
        Action giver{direction, giverStage, taker.microbatch};
        if (direction == Kind::Backward && at(giver) < 0) giver.kind = Kind::InputGrad;
        return before(giver, taker, phrase("it takes what that gives"));
    }

    /// Whether the messages of stage s and microbatch m have both ends, in their places.
    bool messagesAreWhole(int s, int m) {
        if (!hasMessages_) return true;
        const bool backwards = !schedule_.forwardOnly;
        const Action backward{at({Kind::Backward, s, m}) >= 0 ? Kind::Backward : Kind::InputGrad, s, m};
        const Action forward{Kind::Forward, s, m};
        return messageIsWhole({Kind::SendForward, s, m}, forward, true, schedule_.crossesRanks(s)) &&
               messageIsWhole({Kind::RecvForward, s, m}, forward, false, schedule_.crossesRanks(s - 1)) &&
               messageIsWhole({Kind::SendBackward, s, m}, backward, true, backwards && schedule_.crossesRanks(s - 1)) &&
               messageIsWhole({Kind::RecvBackward, s, m}, backward, false, backwards && schedule_.crossesRanks(s));
    }

    bool messageIsWhole(const Action& message, const Action& compute, bool sends, bool wanted) {
        const int atMessage = at(message);
        if (atMessage >= 0 && !wanted)
            return wrong(rankOf(message.stage), atMessage, message, say("there is no pipeline rank at its other end"),
                         say("Messages only between neighbouring stages on different pipeline ranks"));
        if (atMessage < 0 && wanted)
            return missing(message, say("{} waits for its other end", toText(otherEnd(message))));
        if (!wanted) return true;
        return sends ? before(compute, message, phrase("there is nothing yet to send"))
                     : before(message, compute, phrase("its input has not been received"));
    }

    bool endIsWhole(int stage) {
        const bool tiedStage = schedule_.stages() > 1 && (stage == 0 || stage + 1 == schedule_.stages());
        // Where one rank holds both ends, the first stage's action is the last one's too.
        const int tiedName = tiedStage && rankOf(0) == rankOf(schedule_.stages() - 1) ? 0 : stage;
        const Action reduce{Kind::ReduceGradients, stage}, tied{Kind::ReduceTied, tiedName},
            step{Kind::OptimizerStep, stage};
        const Action gather{Kind::GatherUpdated, stage}, push{Kind::PushGradients, stage},
            pull{Kind::PullWeights, stage}, elastic{Kind::ExchangeElastic, stage},
            offload{Kind::OffloadGradients, stage}, reload{Kind::ReloadWeights, stage};
        if (!before(step, gather, phrase("what is gathered is what it updates"))) return false;
        const int last = lastOfStage_[static_cast<std::size_t>(stage)];
        if (const Action own{tied.kind, stage}; at(own) >= 0 && (!tiedStage || tiedName != stage))
            return wrong(
                rankOf(stage), at(own), own,
                say("only the first and the last stage share an embedding, and a rank that holds both sums it once"),
                tiedStage ? say("That of the first stage") : "");
        for (const Action& each : {reduce, push, tied, offload, step, reload, pull}) {
            const int there = at(each);
            const bool wanted =
                anyEnd_[static_cast<std::size_t>(each.kind)] && (each.kind != Kind::ReduceTied || tiedStage);
            if (there < 0 && wanted) return missing(each, say("other stages have it, and all take part"));
            if (there >= 0 && there < last)
                return wrong(rankOf(stage), there, each, say("actions of its stage follow"),
                             say("After the last backward of its stage"));
        }
        return before(push, tied, phrase("replicas are summed before the shared embedding is")) &&
               before(push, step, phrase("the server updates with all gradients")) &&
               before(step, pull, phrase("what comes back is what it updates")) &&
               before(elastic, step, phrase("weights and centre pull each other as they were before the step")) &&
               before(reduce, offload, phrase("the host updates with the averaged gradient")) &&
               before(tied, offload, phrase("the host updates with the whole gradient")) &&
               before(offload, step, phrase("the host updates with gradients that are there")) &&
               before(step, reload, phrase("what comes back is what it updates")) &&
               before(reload, gather, phrase("what is gathered must have come back")) &&
               before(reduce, tied, phrase("replicas are averaged before the shared embedding is summed")) &&
               before(reduce, step, phrase("the update needs the averaged gradient")) &&
               before(tied, step, phrase("the update needs the whole gradient"));
    }

    bool normIsWhole(int rank) {
        const int norm = norms_[static_cast<std::size_t>(rank)];
        const std::vector<int> stages = schedule_.stagesOf(rank);
        const Action action{Kind::ReduceNorm,
                            norm >= 0
                                ? schedule_.ranks[static_cast<std::size_t>(rank)][static_cast<std::size_t>(norm)].stage
                                : stages.front()};
        if (norm < 0)
            return !anyEnd_[static_cast<std::size_t>(Kind::ReduceNorm)] ||
                   missing(action, say("other pipeline ranks have it, and all take part"));
        for (int stage : stages) {
            for (Kind kind : {Kind::ReduceGradients, Kind::PushGradients, Kind::ReduceTied})
                if (!before({kind, stage}, action, phrase("the norm is that of the whole gradient"))) return false;
            if (!before(action, {Kind::OptimizerStep, stage}, phrase("clipping needs the norm"))) return false;
            if (lastOfStage_[static_cast<std::size_t>(stage)] > norm)
                return wrong(rank, norm, action, say("actions of stage {} follow", stage),
                             say("After the last backward of its pipeline rank"));
        }
        return true;
    }

    const Schedule& schedule_;
    std::size_t microbatches_;
    std::size_t stages_;
    std::array<std::vector<int>, actionKindCount> places_;  ///< by kind: of each stage, or stage and microbatch
    std::vector<int> norms_;
    std::vector<int> lastOfStage_;
    std::array<bool, actionKindCount> anyEnd_{};
    bool hasMessages_ = false;
    std::optional<Finding> finding_;
};

}  // namespace

std::optional<Finding> findOrderViolation(const Schedule& schedule) { return Inspector(schedule).run(); }

}  // namespace shardlab::layout
