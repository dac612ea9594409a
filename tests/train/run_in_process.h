// SPDX-License-Identifier: Apache-2.0
// Trains a whole plan in this process: ranks are threads over a loopback world. What every rank recorded and the
// weights it ended with come back.
#pragma once

#include "engine/base/clock.h"
#include "engine/predict/plan/plan.h"
#include "engine/trace/record/recorder.h"
#include "engine/train/run/trainer.h"
#include "tests/support/legal_plan.h"
#include "tests/train/rank_threads.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace shardlab::test {

struct RankOutcome {
    std::string end;
    std::vector<Event> events;
    std::map<std::string, std::vector<float>> parameters;  ///< by "stage/name"
    std::map<std::string, Slice> slices;                   ///< of the same
    std::map<std::string, std::int64_t> begins;            ///< ZeRO 3: where the shard begins in the slice
};

struct RunOutcome {
    std::string error;
    std::vector<RankOutcome> ranks;

    /// Values of a counter over all ranks, in order of their steps.
    std::vector<double> counter(EventKind kind) const {
        std::map<int, double> byStep;
        for (const RankOutcome& rank : ranks)
            for (const Event& event : rank.events)
                if (event.kind == kind) byStep[event.step] = event.value;
        std::vector<double> values;
        for (const auto& [step, value] : byStep) values.push_back(value);
        return values;
    }
    int count(EventKind kind) const {
        int found = 0;
        for (const RankOutcome& rank : ranks)
            found += static_cast<int>(std::ranges::count(rank.events, kind, &Event::kind));
        return found;
    }
};

/// `takeCommand` is asked by rank 0 at each step boundary; `prepare` may change what each rank's trainer is given; both
/// may be empty.
inline RunOutcome runInProcess(const Plan& plan, const std::function<Command()>& takeCommand = {},
                               const std::function<void(int rank, TrainerServices&)>& prepare = {}) {
    const int ranks = plan.mesh.ranks();
    const std::int64_t origin = monotonicNanoseconds();
    RunOutcome outcome;
    outcome.ranks.resize(static_cast<std::size_t>(ranks));
    std::vector<std::unique_ptr<Recorder>> recorders;
    for (int rank = 0; rank < ranks; ++rank) recorders.push_back(std::make_unique<Recorder>(rank, origin));
    const auto drain = [&] {
        for (std::size_t rank = 0; rank < recorders.size(); ++rank) {
            std::vector<Event>& events = outcome.ranks[rank].events;
            recorders[rank]->drain(
                [&](std::span<const Event> more) { events.insert(events.end(), more.begin(), more.end()); });
        }
    };
    {
        const std::jthread drainer([&](const std::stop_token& stop) {
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable_any ended;
            while (!stop.stop_requested()) {
                drain();
                ended.wait_for(lock, stop, std::chrono::milliseconds(50), [] { return false; });
            }
        });
        outcome.error = runRanks(ranks, [&](int rank, Communicator& world) {
            TrainerServices services{world, *recorders[static_cast<std::size_t>(rank)]};
            if (rank == 0) services.takeCommand = takeCommand;
            if (prepare) prepare(rank, services);
            auto trainer = Trainer::create(plan, std::move(services));
            if (!trainer) throw std::runtime_error(trainer.error().text());
            RankOutcome& mine = outcome.ranks[static_cast<std::size_t>(rank)];
            mine.end = (*trainer)->run();
            (*trainer)->visitParameters([&](int stage, const Parameter& parameter, std::span<const float> values) {
                mine.parameters[std::to_string(stage) + "/" + parameter.name].assign(values.begin(), values.end());
                mine.slices[std::to_string(stage) + "/" + parameter.name] = parameter.slice;
                mine.begins[std::to_string(stage) + "/" + parameter.name] = parameter.flatBegin;
            });
        });
    }
    drain();
    return outcome;
}

}  // namespace shardlab::test
