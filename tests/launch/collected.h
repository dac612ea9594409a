// SPDX-License-Identifier: Apache-2.0
// An observer that keeps everything a collector hands over.
#pragma once

#include "engine/launch/job/collector.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

namespace shardlab {

class Collected final : public CollectorObserver {
public:
    void rankJoined(const RankHello& hello) override {
        change([&] { joined.push_back(hello); });
    }
    void eventsArrived(int rank, std::span<const Event> arrived) override {
        change([&] { events[rank].insert(events[rank].end(), arrived.begin(), arrived.end()); });
    }
    void logArrived(const LogLine& line) override {
        change([&] { log.push_back(line); });
    }
    void rankSaidGoodbye(int rank, const std::string& end) override {
        change([&] { goodbyes[rank].push_back(end); });
    }
    void linkLost(int rank) override {
        change([&] { lost.push_back(rank); });
    }

    /// Waits until `reached` holds, at most a minute.
    template <class Condition>
    bool wait(Condition reached) {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, std::chrono::minutes(1), reached);
    }

    std::mutex mutex;
    std::condition_variable changed;
    std::vector<RankHello> joined;
    std::map<int, std::vector<Event>> events;
    std::vector<LogLine> log;
    std::map<int, std::vector<std::string>> goodbyes;
    std::vector<int> lost;

private:
    template <class Action>
    void change(Action action) {
        const std::lock_guard lock(mutex);
        action();
        changed.notify_all();
    }
};

}  // namespace shardlab
