// SPDX-License-Identifier: Apache-2.0
// No search and no advice offers a schedule that the layout's software stack lacks.
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/stacks.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/search/neighbours.h"
#include "engine/predict/search/search.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace shardlab::test;

namespace {

Layout pacedLayout(const std::string& stack) {
    Layout layout;
    layout.model = {ModelKind::Gpt, 8, 1024, 8, 1024, 32000, 0};
    layout.cluster.hosts = {{"a", 4}};
    layout.cluster.pace = PaceSpec{"h100-sxm", 1, stack};
    layout.parallel.data = 4;
    layout.parallel.pipeline = 1;
    layout.batch = {.global = 16, .micro = 1};
    layout.precision.compute = NumberFormat::Bf16;
    return layout;
}

}  // namespace

class StackSchedulesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void schedulesOfStacksAreKnown() {
        int without = 0;
        for (const SoftwareStack& stack : stackList().stacks) {
            without += stack.schedules.empty();
            for (const std::string& schedule : stack.schedules)
                QVERIFY2(findScheduleMethod(schedule) != nullptr, schedule.c_str());
        }
        QVERIFY(without > 0 && without < int(stackList().stacks.size()));
    }

    void candidatesHaveSchedulesOfTheStack() {
        for (const SoftwareStack& stack : stackList().stacks) {
            const auto choices = legalChoices(pacedLayout(stack.name));
            QVERIFY(choices.has_value());
            std::set<std::string> tried;
            for (const Choice& choice : *choices)
                if (choice.parallel.pipeline > 1) tried.insert(choice.kind);
            // All of them, where the shapes at hand allow it.
            const std::set<std::string> wanted(stack.schedules.begin(), stack.schedules.end());
            QVERIFY2(std::ranges::includes(wanted, tried), stack.name.c_str());
            QCOMPARE(tried.contains("1f1b"), wanted.contains("1f1b"));
            QCOMPARE(tried.empty(), wanted.empty());
        }
        const auto own = legalChoices(pacedLayout("shardlab"));
        QVERIFY(own && std::ranges::any_of(*own, [](const Choice& choice) { return choice.kind == "zb-v"; }));
    }

    void plansTellThatTheStackLacksTheirSchedule() {
        Layout layout = pacedLayout("megatron-core");
        layout.parallel.data = 1;
        layout.parallel.pipeline = 4;
        const auto tells = [&](const char* schedule) {
            layout.schedule.kind = schedule;
            const auto plan = makePlan(layout);
            return plan && std::ranges::any_of(plan->notes, [&](const Sentence& note) {
                       return note.english().find(std::string("has no schedule ") + schedule) != std::string::npos;
                   });
        };
        QVERIFY(tells("zb-h1") && tells("gpipe") && !tells("1f1b"));
    }

    void adviceHasSchedulesOfTheStack() {
        Layout layout = pacedLayout("megatron-core");
        layout.parallel.data = 1;
        layout.parallel.pipeline = 4;
        int kinds = 0;
        for (const Neighbour& neighbour : neighbours(layout)) {
            kinds += neighbour.move == Move::Schedule;
            QVERIFY2(neighbour.choice.parallel.pipeline == 1 || hasSchedule(layout, neighbour.choice.kind),
                     neighbour.change.english().c_str());
        }
        QVERIFY(kinds > 0);
        // A stack without pipelines gets none by another degree either.
        for (const Neighbour& neighbour : neighbours(pacedLayout("fsdp")))
            QVERIFY2(neighbour.choice.parallel.pipeline == 1, neighbour.change.english().c_str());
        // Where the layout's own schedule is one that the stack lacks, other changes may keep it.
        layout.schedule.kind = "zb-h1";
        QVERIFY(std::ranges::any_of(neighbours(layout), [](const Neighbour& neighbour) {
            return neighbour.move == Move::Degrees && neighbour.choice.kind == "zb-h1";
        }));
    }
};

QTEST_GUILESS_MAIN(StackSchedulesTest)
#include "stack_schedules_test.moc"
