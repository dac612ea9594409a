// SPDX-License-Identifier: Apache-2.0
// The automatic zero-bubble schedule: slot after slot every rank takes the best of what it can do, and never holds more
// than the given number of microbatches (a microbatch is held from its forward to its weight gradient). As in the
// zero-bubble paper several rules of thumb are tried; the order that ends first is kept.
//
// With a limit of p it needs no longer than ZB-H1; with less memory it still has a schedule where 1F1B has none.
#include <array>

#include "engine/layout/schedule/generators.h"

namespace shardlab::layout {
namespace {

using Kind = ActionKind;

/// What a rank takes first where it has the choice.
struct Preference {
    std::array<Kind, 3> order;
    bool inTurn = false;  ///< after an input gradient rather a forward, and the other way round
};

constexpr std::array preferences{
    Preference{{Kind::InputGrad, Kind::Forward, Kind::WeightGrad}},
    Preference{{Kind::InputGrad, Kind::Forward, Kind::WeightGrad}, true},
    Preference{{Kind::Forward, Kind::InputGrad, Kind::WeightGrad}},
    Preference{{Kind::InputGrad, Kind::WeightGrad, Kind::Forward}},
};

struct RankProgress {
    int forwards = 0, inputGrads = 0, weightGrads = 0;
    Kind last = Kind::None;
    int held() const { return forwards - weightGrads; }
};

class Greedy {
public:
    Greedy(const ScheduleShape& shape, const Preference& preference)
        : microbatches_(shape.microbatches), limit_(shape.inFlight > 0 ? shape.inFlight : shape.ranks),
          preference_(preference), schedule_(emptySchedule("zb-greedy", shape)),
          ranks_(static_cast<std::size_t>(shape.ranks)) {}

    Schedule run() {
        std::size_t left = ranks_.size() * static_cast<std::size_t>(3 * microbatches_);
        for (; left > 0; ++slots_) {
            const std::vector<RankProgress> before = ranks_;  // all choose at once
            for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
                const Kind kind = choose(before, rank);
                if (kind == Kind::None) continue;
                take(rank, kind);
                --left;
            }
        }
        return std::move(schedule_);
    }
    int slots() const { return slots_; }

private:
    Kind choose(const std::vector<RankProgress>& before, std::size_t rank) const {
        std::array<Kind, 3> order = preference_.order;
        const Kind last = before[rank].last;
        if (preference_.inTurn && last == order[0]) std::swap(order[0], order[1]);
        for (Kind kind : order)
            if (can(before, rank, kind)) return kind;
        return Kind::None;
    }

    bool can(const std::vector<RankProgress>& before, std::size_t rank, Kind kind) const {
        const RankProgress& mine = before[rank];
        if (kind == Kind::WeightGrad) return mine.weightGrads < mine.inputGrads;
        if (kind == Kind::Forward)
            return mine.forwards < microbatches_ && mine.held() < limit_ &&
                   (rank == 0 || mine.forwards < before[rank - 1].forwards);
        return mine.inputGrads < mine.forwards &&
               (rank + 1 == before.size() || mine.inputGrads < before[rank + 1].inputGrads);
    }

    void take(std::size_t rank, Kind kind) {
        RankProgress& mine = ranks_[rank];
        int& next = kind == Kind::Forward     ? mine.forwards
                    : kind == Kind::InputGrad ? mine.inputGrads
                                              : mine.weightGrads;
        schedule_.ranks[rank].push_back({kind, static_cast<int>(rank), next++});
        if (kind != Kind::WeightGrad) mine.last = kind;
    }

    int microbatches_;
    int limit_;
    const Preference& preference_;
    Schedule schedule_;
    std::vector<RankProgress> ranks_;
    int slots_ = 0;
};

}  // namespace

Schedule generateZbGreedy(const ScheduleShape& shape) {
    Schedule best;
    int least = 0;
    for (const Preference& preference : preferences) {
        Greedy greedy(shape, preference);
        Schedule schedule = greedy.run();
        if (least > 0 && greedy.slots() >= least) continue;
        least = greedy.slots();
        best = std::move(schedule);
    }
    return best;
}

double zbGreedyBubble(const ScheduleShape& shape) { return countedBubble(generateZbGreedy(shape)); }

}  // namespace shardlab::layout
