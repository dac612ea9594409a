// SPDX-License-Identifier: Apache-2.0
// A run made up for tests: random steps of a few ranks, of which some are done again after a restart.
#pragma once

#include "engine/layout/layout.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace shardlab::test {

struct RandomRun {
    int ranks = 1;
    int steps = 0;
    std::vector<Event> events;    ///< as they arrive; of a lane ascending
    std::vector<Event> counting;  ///< those that no restart superseded
};

class RandomRuns {
public:
    explicit RandomRuns(RandomEvents& random) : random_(random) {}
    bool sparse = false;  ///< half of the steps say that their details were left out

    /// `restarts`: how often some of the last steps are done again; `elastic`: each time by any number of the ranks.
    RandomRun make(int ranks, int steps, int restarts, int microbatches = 8, bool elastic = false) {
        RandomRun run{ranks, steps, {}, {}};
        active_ = ranks;
        time_ = 1000;
        std::vector<int> goals(static_cast<std::size_t>(restarts));
        for (int& goal : goals) goal = static_cast<int>(random_.below(steps)) + 1;
        goals.push_back(steps);
        int from = 0;
        for (std::size_t part = 0; part < goals.size(); ++part) {
            if (part > 0) {
                time_ += 1 + random_.below(50);
                from = static_cast<int>(random_.below(from + 1));
                if (elastic) active_ = static_cast<int>(1 + random_.below(ranks));
                run.events.push_back({time_, time_, elastic ? active_ : 0, static_cast<double>(part), 0, from, -1,
                                      Lane::Host, EventKind::Restart});
                run.counting.push_back(run.events.back());
                std::erase_if(run.counting, [&](const Event& event) {
                    return event.kind != EventKind::Restart && event.step >= from;
                });
            }
            for (int step = from; step < std::max(from, goals[part]); ++step) addStep(run, step, microbatches);
            from = std::max(from, goals[part]);
        }
        return run;
    }

private:
    void addStep(RandomRun& run, int step, int microbatches) {
        const std::int64_t begin = time_;
        std::int64_t latest = begin;
        for (int rank = 0; rank < active_; ++rank) {
            std::int64_t now = begin + random_.below(100);
            const auto put = [&](Lane lane, EventKind kind, std::int64_t from, std::int64_t to, ActionId action = 0,
                                 std::int64_t bytes = 0, double value = 0) {
                run.events.push_back(
                    {from, to, bytes, value, action, step, static_cast<std::int16_t>(rank), lane, kind});
                run.counting.push_back(run.events.back());
            };
            const auto act = [&](EventKind kind, ActionKind what, int stage, int microbatch) {
                if (random_.below(4) == 0)
                    put(Lane::Compute, EventKind::Wait, now, now + 300, actionId({what, stage, microbatch}));
                now += random_.below(700);
                const std::int64_t length = 1 + random_.below(1000);
                put(Lane::Compute, kind, now, now + length, actionId({what, stage, microbatch}));
                now += length;
                put(Lane::Host, memoryKind(static_cast<MemoryCategory>(random_.below(memoryCategoryCount))), now, now,
                    0, random_.below(1 << 20));
            };
            const std::int64_t first = now;
            for (int i = 0; i < microbatches; ++i) {
                const int stage = rank + run.ranks * static_cast<int>(random_.below(2));
                act(EventKind::Forward, ActionKind::Forward, stage, i);
                put(Lane::Comm, EventKind::SendForward, now, now + 1 + random_.below(50),
                    actionId({ActionKind::SendForward, stage, i}), 4096);
                act(EventKind::Backward, ActionKind::Backward, stage, i);
            }
            put(Lane::Comm, EventKind::ReduceGradients, now, now + 40, 0, 1 << 16);
            put(Lane::Compute, EventKind::Optimizer, now + 40, now + 90);
            now += 100;
            put(Lane::Host, EventKind::Step, first, now, 0, 0, sparse && random_.below(2) == 0 ? 1 : 0);
            put(Lane::Host, EventKind::MemoryPeak, now, now, 0, random_.below(1 << 30));
            if (random_.below(3) > 0) {
                put(Lane::Host, EventKind::HiddenComm, now, now, 0, 0, 1e-9 * static_cast<double>(random_.below(1000)));
                put(Lane::Host, EventKind::ExposedComm, now, now, 0, 0,
                    1e-9 * static_cast<double>(random_.below(1000)));
            }
            if (random_.below(5) == 0)
                put(Lane::Host, EventKind::PaceOverrun, now, now, 0, 0, 1e-9 * static_cast<double>(random_.below(500)));
            if (rank == active_ - 1)
                put(Lane::Host, EventKind::Loss, now, now, 0, 0,
                    5.0 / (step + 1) + 1e-3 * static_cast<double>(random_.below(100)));
            if (rank == active_ - 1 && step % 3 == 0)
                put(Lane::Host, EventKind::ValidationLoss, now, now, 0, 0, 6.0 / (step + 1));
            latest = std::max(latest, now);
        }
        time_ = latest + 1 + random_.below(50);
    }

    RandomEvents& random_;
    std::int64_t time_ = 0;
    int active_ = 1;  ///< ranks that do the steps
};

/// A layout of so many ranks in one pipeline.
inline Layout layoutOfRanks(int ranks) {
    Layout layout;
    layout.parallel.data = 1;
    layout.parallel.pipeline = ranks;
    return layout;
}

}  // namespace shardlab::test
