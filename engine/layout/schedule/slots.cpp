// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/slots.h"

#include "engine/layout/schedule/dataflow.h"

#include <algorithm>

namespace shardlab::layout {
namespace {

class Clock {
public:
    explicit Clock(const Schedule& schedule)
        : schedule_(schedule), finished_(schedule.stages(), schedule.numbered(), -1), free_(schedule.ranks.size(), 0) {
        times_.reached.assign(schedule.ranks.size(), 0);
        for (const auto& actions : schedule.ranks) times_.begin.emplace_back(actions.size(), 0);
        if (schedule.flushes()) return;
        for (int stage = 0; stage < schedule.stages(); ++stage)
            for (int carried = 0; carried < schedule.ahead[static_cast<std::size_t>(stage)]; ++carried)
                finished_[{false, stage, carried}] = 0;
    }

    SlotTimes run() {
        for (std::size_t rank = 0; rank < schedule_.ranks.size(); ++rank) waiting_.push_back(rank);
        while (!waiting_.empty()) {
            const std::size_t rank = waiting_.back();
            waiting_.pop_back();
            while (times_.reached[rank] < schedule_.ranks[rank].size() && advance(rank)) ++times_.reached[rank];
        }
        return std::move(times_);
    }

private:
    bool inside(const Product& product) const {
        return product.stage >= 0 && product.stage < schedule_.stages() && product.microbatch >= 0 &&
               product.microbatch < schedule_.numbered();
    }

    /// False where the action must wait.
    bool advance(std::size_t rank) {
        const std::size_t position = times_.reached[rank];
        const Action& action = schedule_.ranks[rank][position];
        int begin = free_[rank];
        if (const auto need = needOf(action, schedule_.stages()); need && inside(*need)) {
            const int ready = finished_[*need];
            if (ready < 0) return false;
            begin = std::max(begin, ready);
        }
        times_.begin[rank][position] = begin;
        free_[rank] = begin + slotsOf(action.kind);
        times_.end = std::max(times_.end, free_[rank]);
        if (const auto product = productOf(action); product && inside(*product)) {
            finished_[*product] = free_[rank];
            const int taker = takerOf(*product);
            if (taker >= 0 && taker < schedule_.stages())
                waiting_.push_back(static_cast<std::size_t>(schedule_.rankOf(taker)));
        }
        return true;
    }

    const Schedule& schedule_;
    ProductTable<int> finished_;
    std::vector<int> free_;
    std::vector<std::size_t> waiting_;
    SlotTimes times_;
};

}  // namespace

SlotTimes slotTimes(const Schedule& schedule) { return Clock(schedule).run(); }

}  // namespace shardlab::layout
