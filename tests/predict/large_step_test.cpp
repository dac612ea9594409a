// SPDX-License-Identifier: Apache-2.0
// Steps of tens of thousands of ranks: replicas are alike, so one is simulated, and the timeline has the first and the
// last.
#include "engine/layout/check/check.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/predicted_memory.h"
#include "tests/support/legal_plan.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <algorithm>

using namespace shardlab::test;

namespace {

/// Llama 3 405B as published (arXiv 2407.21783, table 4): tensor 8, pipeline 16, data 128 on 16384 GPUs, 16 M tokens a
/// step in samples of 8192; two million forwards over all ranks in stages of one layer.
Layout llama3(int data, int chunks) {
    const auto all = presets();
    if (!all) qFatal("%s", all.error().text().c_str());
    const auto preset =
        std::ranges::find_if(*all, [](const Preset& each) { return each.layout.name == "Llama 3.1 405B"; });
    if (preset == all->end()) qFatal("no preset");
    Layout layout = preset->layout;
    layout.cluster.hosts.clear();
    for (int host = 0; host < data * 16; ++host) layout.cluster.hosts.push_back({"node" + std::to_string(host), 8});
    layout.parallel = {};
    layout.parallel.tensor = 8;
    layout.parallel.sequence = true;
    layout.parallel.pipeline = 16;
    layout.parallel.data = data;
    layout.parallel.zero = data > 1 ? 1 : 0;
    layout.schedule = {};
    layout.schedule.kind = chunks > 1 ? "interleaved-1f1b" : "1f1b";
    layout.schedule.chunks = chunks;
    layout.schedule.countEnds = true;
    layout.batch = {.global = 16 * data, .micro = 1};
    return layout;
}

/// Without the rank, which alone tells ranks of a pipeline rank apart.
std::vector<Event> eventsOf(const Plan& plan, int rank) {
    std::vector<Event> events;
    for (Event event : plan.simulation.events) {
        if (event.rank != rank) continue;
        event.rank = 0;
        events.push_back(event);
    }
    return events;
}

}  // namespace

class LargeStepTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void twoMillionForwardsArePlanned() {
        const Layout layout = llama3(128, 8);
        QVERIFY(std::int64_t{microbatches(layout)} * stageCount(layout) * 128 * 8 > 2'000'000);
        const Plan plan = planOf(layout);
        QVERIFY(plan.simulation.folded);
        QCOMPARE(plan.mesh.ranks(), 16384);
        QCOMPARE(plan.memory.size(), std::size_t{16384});
        QVERIFY(plan.simulation.events.size() < 1'000'000);
        std::vector<int> of(16384);
        for (const Event& event : plan.simulation.events) ++of[static_cast<std::size_t>(event.rank)];
        QVERIFY(std::ranges::all_of(of, [](int events) { return events >= 1; }));
        const int whole = int(std::ranges::count_if(of, [](int events) { return events > 1; }));
        QCOMPARE(whole, 2 * 16);
        for (int p = 0; p < 16; ++p) {
            int first = -1, last = -1;
            for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
                if (plan.mesh.coordinate(rank, Axis::Pipeline) != p || of[static_cast<std::size_t>(rank)] < 2) continue;
                (first < 0 ? first : last) = rank;
            }
            QVERIFY(first >= 0 && last > first);
            QVERIFY(eventsOf(plan, first) == eventsOf(plan, last));
        }
        // The curves of memory come from the last replica's events.
        const std::vector<MemoryCurve> curves = predictedMemory(plan, plan.simulation.events);
        QCOMPARE(curves.size(), std::size_t{16});
        for (std::size_t p = 0; p < curves.size(); ++p) {
            const auto rank = std::ranges::find_if(plan.memory, [&](const RankMemory& memory) {
                return plan.mesh.coordinate(memory.rank, Axis::Pipeline) == int(p);
            });
            QCOMPARE(curves[p].peak, rank->peak);
        }
        QVERIFY(std::ranges::any_of(plan.notes, [](const Sentence& note) {
            return note.english().find("first and the last replica of 1024") != std::string::npos;
        }));
    }

    /// Few ranks have all of their events, and the same replica takes as long.
    void fewRanksAreNotFolded() {
        const Plan few = planOf(llama3(1, 1));
        QVERIFY(!few.simulation.folded);
        for (int rank = 0; rank < few.mesh.ranks(); ++rank) QVERIFY(eventsOf(few, rank).size() > 16);
    }

    void moreForwardsOfAReplicaAreRefused() {
        Layout layout;
        layout.cluster.hosts = {{"a", 2}};
        layout.parallel.data = 1;
        layout.parallel.pipeline = 2;
        layout.batch = {.global = 1 << 19, .micro = 1};
        const auto told = [&] { return toText(check(layout, scheduleMethods())); };
        QVERIFY2(told().find("forwards") == std::string::npos, told().c_str());
        layout.batch.global *= 2;
        QVERIFY2(told().find("a step of a replica would have 2097152 forwards") != std::string::npos, told().c_str());
    }
};

QTEST_GUILESS_MAIN(LargeStepTest)
#include "large_step_test.moc"
