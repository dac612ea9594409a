// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/findings.h"

#include "engine/layout/schedule/dataflow.h"
#include "engine/layout/schedule/slots.h"

#include <algorithm>
#include <map>

namespace shardlab::layout {
namespace {

/// Plays the lists without time: how far each rank comes when communication waits for its other side. Reductions over
/// the data axis are left out: all replicas of a rank have the same list and come to them in the same order.
class Play {
public:
    Play(const Schedule& schedule, bool grouped)
        : schedule_(schedule), grouped_(grouped), position_(schedule.ranks.size(), 0),
          pending_(schedule.ranks.size(), 0), posted_(schedule.stages(), schedule.microbatches, -1) {
        tiedMembers_ = schedule.endRanks();
        for (int rank = 0; rank < static_cast<int>(schedule.ranks.size()); ++rank) everyone_.push_back(rank);
    }

    std::optional<Finding> run() {
        for (int rank : everyone_) arrive(rank);
        while (!ready_.empty()) {
            const int rank = ready_.back();
            ready_.pop_back();
            arrive(rank);
        }
        for (int rank : everyone_)
            if (current(rank) != nullptr) return report(rank);
        return {};
    }

private:
    const Action* current(int rank) const {
        const auto& actions = schedule_.ranks[static_cast<std::size_t>(rank)];
        const std::size_t position = position_[static_cast<std::size_t>(rank)];
        return position < actions.size() ? &actions[position] : nullptr;
    }

    /// Moves on to the rank's next communication and joins it.
    void arrive(int rank) {
        std::size_t& position = position_[static_cast<std::size_t>(rank)];
        for (const Action* action; (action = current(rank)) != nullptr; ++position) {
            if (isMessage(action->kind)) return post(rank);
            if (action->kind == ActionKind::ReduceTied) return gather(rank, tied_, tiedMembers_);
            if (action->kind == ActionKind::ReduceNorm) return gather(rank, norm_, everyone_);
        }
    }

    void gather(int rank, int& arrived, const std::vector<int>& members) {
        pending_[static_cast<std::size_t>(rank)] = 1;
        if (++arrived < static_cast<int>(members.size())) return;
        for (int member : members) {
            ++position_[static_cast<std::size_t>(member)];
            ready_.push_back(member);
        }
    }

    /// Posts one message, or the whole group; a rank whose messages are all matched goes on.
    void post(int rank) {
        const auto at = static_cast<std::size_t>(rank);
        const auto& actions = schedule_.ranks[at];
        std::size_t end = position_[at];
        pending_[at] = 0;
        std::vector<int> done;
        do {
            int& other = posted_[payloadOf(actions[end])];
            if (other < 0) {
                other = rank;
                ++pending_[at];
            } else if (--pending_[static_cast<std::size_t>(other)] == 0) {
                done.push_back(other);
            }
            ++end;
        } while (grouped_ && end < actions.size() && isMessage(actions[end].kind));
        groupEnd_[rank] = end;
        if (pending_[at] == 0) done.push_back(rank);
        for (int each : done) {
            position_[static_cast<std::size_t>(each)] = groupEnd_[each];
            ready_.push_back(each);
        }
    }

    /// The rank that a blocked rank waits for, and the action at which it does.
    std::pair<int, Action> waitsFor(int rank) {
        const auto at = static_cast<std::size_t>(rank);
        const Action& first = *current(rank);
        if (!isMessage(first.kind)) {
            const bool tied = first.kind == ActionKind::ReduceTied;
            for (int member : tied ? tiedMembers_ : everyone_) {
                const Action* other = current(member);
                if (member != rank && (other == nullptr || other->kind != first.kind)) return {member, first};
            }
            return {rank, first};
        }
        for (std::size_t i = position_[at]; i < groupEnd_[rank]; ++i) {
            const Action& action = schedule_.ranks[at][i];
            const int peer = schedule_.rankOf(otherEnd(action).stage);
            const bool matched = grouped_ && alreadyPosted(peer, otherEnd(action));
            if (!matched) return {peer, action};
        }
        return {rank, first};
    }

    bool alreadyPosted(int rank, const Action& action) {
        const auto& actions = schedule_.ranks[static_cast<std::size_t>(rank)];
        const auto end =
            actions.begin() + static_cast<std::ptrdiff_t>(current(rank) != nullptr && groupEnd_.contains(rank)
                                                              ? groupEnd_[rank]
                                                              : position_[static_cast<std::size_t>(rank)]);
        return std::find(actions.begin(), end, action) != end;
    }

    Finding report(int rank) {
        Sentence why = grouped_ ? say("deadlock, neighbouring sends and receives posted together")
                                : say("deadlock, every send and receive waiting for its other end");
        int named = 0;
        std::vector<bool> seen(schedule_.ranks.size(), false);
        // Goes from each rank to the one that it waits for, until the circle closes.
        for (int at = rank; !seen[static_cast<std::size_t>(at)]; ++named) {
            seen[static_cast<std::size_t>(at)] = true;
            if (current(at) == nullptr) {
                why = say("{}; pipeline rank {} has ended", why, at);
                break;
            }
            const auto [peer, action] = waitsFor(at);
            if (named < 8)
                why = named == 0 ? say("{}: pipeline rank {} waits at {} for rank {}", why, at, toText(action), peer)
                                 : say("{}; pipeline rank {} waits at {} for rank {}", why, at, toText(action), peer);
            at = peer;
        }
        return {rank, static_cast<int>(position_[static_cast<std::size_t>(rank)]), *current(rank), std::move(why),
                say("Both ends of a message in one order over all pipeline ranks")};
    }

    const Schedule& schedule_;
    bool grouped_;
    std::vector<std::size_t> position_;
    std::vector<int> pending_;  ///< messages of the rank's group that are not matched
    ProductTable<int> posted_;  ///< rank that posted its end first; -1 = neither
    std::map<int, std::size_t> groupEnd_;
    std::vector<int> everyone_, tiedMembers_, ready_;
    int tied_ = 0, norm_ = 0;
};

std::optional<Finding> findStuckCompute(const Schedule& schedule) {
    const SlotTimes times = slotTimes(schedule);
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
        if (times.reached[rank] == schedule.ranks[rank].size()) continue;
        const Action& action = schedule.ranks[rank][times.reached[rank]];
        const auto need = needOf(action, schedule.stages());
        const int giver = schedule.rankOf(need->stage);
        const auto giverAt = times.reached[static_cast<std::size_t>(giver)];
        const auto& list = schedule.listOf(need->stage);
        const Sentence stands = giverAt < list.size() ? Sentence(toText(list[giverAt])) : say("its end");
        return Finding{static_cast<int>(rank), static_cast<int>(times.reached[rank]), action,
                       say("deadlock: pipeline rank {} waits at {} for stage {} on pipeline rank {}, which waits at {}",
                           rank, toText(action), need->stage, giver, stands),
                       say("An order in which every input comes first")};
    }
    return {};
}

/// Grouped messages between two ranks are matched by order, not by tag.
std::optional<Finding> findCrossedMessages(const Schedule& schedule) {
    std::map<std::pair<int, int>, std::vector<Action>> sent;
    for (int rank = 0; rank < static_cast<int>(schedule.ranks.size()); ++rank)
        for (const Action& action : schedule.ranks[static_cast<std::size_t>(rank)])
            if (isSend(action.kind)) sent[{rank, schedule.rankOf(otherEnd(action).stage)}].push_back(action);
    std::map<std::pair<int, int>, std::size_t> received;
    for (int rank = 0; rank < static_cast<int>(schedule.ranks.size()); ++rank) {
        const auto& actions = schedule.ranks[static_cast<std::size_t>(rank)];
        for (std::size_t i = 0; i < actions.size(); ++i) {
            if (!isReceive(actions[i].kind)) continue;
            const std::pair pair(schedule.rankOf(otherEnd(actions[i]).stage), rank);
            const Action& next = sent[pair][received[pair]++];
            if (next != otherEnd(actions[i]))
                return Finding{rank, static_cast<int>(i), actions[i],
                               say("pipeline rank {} sends {} at this place", pair.first, toText(next)),
                               say("Messages of two pipeline ranks in the same order at both ends")};
        }
    }
    return {};
}

}  // namespace

std::optional<Finding> findDeadlock(const Schedule& schedule) {
    if (auto finding = findStuckCompute(schedule)) return finding;
    for (bool grouped : {false, true})
        if (auto finding = Play(schedule, grouped).run()) return finding;
    return findCrossedMessages(schedule);
}

}  // namespace shardlab::layout
