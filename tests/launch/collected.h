// SPDX-License-Identifier: Apache-2.0
// Everything that a collector's ranks have said, sorted by what it is.
#pragma once

#include "engine/launch/job/collector.h"
#include "tests/support/wings.h"

#include <chrono>
#include <map>
#include <thread>
#include <vector>

namespace shardlab::test {

class Collected {
public:
    explicit Collected(Collector& collector) : collector_(collector) {}

    /// Takes what has been said by now.
    void take() {
        for (RankMessage& message : collector_.take()) std::visit([this](auto& said) { add(said); }, message);
    }
    /// Takes what is said until `reached` holds, while there is patience.
    template <class Condition>
    bool wait(Condition reached) {
        const auto giveUp = std::chrono::steady_clock::now() + std::chrono::milliseconds(test::patience);
        for (take(); !reached(); take()) {
            if (std::chrono::steady_clock::now() > giveUp) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return true;
    }

    std::vector<RankHello> joined;
    std::map<int, std::vector<Event>> events;
    std::vector<LogLine> log;
    std::map<int, std::vector<EventName>> names;
    std::map<int, std::vector<std::string>> goodbyes;
    std::vector<int> lost;

private:
    void add(const RankHello& hello) { joined.push_back(hello); }
    void add(const std::vector<Event>& arrived) {
        for (const Event& event : arrived) events[event.rank].push_back(event);
    }
    void add(const RankName& name) { names[name.rank].push_back(name.name); }
    void add(const LogLine& line) { log.push_back(line); }
    void add(const RankGoodbye& goodbye) { goodbyes[goodbye.rank].push_back(goodbye.end); }
    void add(const RankLinkLost& link) { lost.push_back(link.rank); }

    Collector& collector_;
};

}  // namespace shardlab::test
