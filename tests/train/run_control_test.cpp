// SPDX-License-Identifier: Apache-2.0
// Pause, resume, step once and stop: taken by rank 0, obeyed by all ranks at the same step boundary.
#include "engine/train/run/run_control.h"
#include "tests/train/rank_threads.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <atomic>
#include <deque>

using namespace shardlab::test;

namespace {

std::function<Command()> from(std::deque<Command>& queue) {
    return [&queue] {
        if (queue.empty()) return Command::None;
        const Command command = queue.front();
        queue.pop_front();
        return command;
    };
}

}  // namespace

class RunControlTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void commandsBecomeDecisions() {
        std::deque<Command> queue;
        RunControl control(from(queue));
        QVERIFY(control.next() == Decision::Run);
        queue = {Command::Pause};
        QVERIFY(control.next() == Decision::Pause);
        QVERIFY(control.next() == Decision::Pause);
        queue = {Command::StepOnce, Command::StepOnce};
        QVERIFY(control.next() == Decision::Run);
        QVERIFY(control.next() == Decision::Run);
        QVERIFY(control.next() == Decision::Pause);
        queue = {Command::Resume};
        QVERIFY(control.next() == Decision::Run);
        QVERIFY(control.next() == Decision::Run);
        queue = {Command::StepOnce};  // also stops a run that was not paused, after one step
        QVERIFY(control.next() == Decision::Run);
        QVERIFY(control.next() == Decision::Pause);
        queue = {Command::StepOnce, Command::Pause};
        QVERIFY2(control.next() == Decision::Pause, "a pause cancels the steps asked for before it");
        queue = {Command::Resume, Command::Stop};
        QVERIFY(control.next() == Decision::Stop);
        QVERIFY(control.next() == Decision::Stop);
    }

    void nobodyCommands() {
        RunControl control({});
        QVERIFY(control.next() == Decision::Run);
    }

    /// Rank 0 pauses at its third boundary, later steps twice and stops: every rank runs exactly four steps.
    void allRanksObeyAtTheSameStep() {
        std::deque<Command> queue;
        std::atomic<int> boundaries = 0;
        std::atomic<int> pauses = 0;
        std::vector<int> steps(3);
        const std::string error = runRanks(3, [&](int rank, Communicator& world) {
            RunControl control([&, asked = 0]() mutable {
                ++asked;
                if (boundaries == 2 && asked < 1000) {
                    queue = {Command::Pause};
                    boundaries = 3;
                    asked = 1000;
                } else if (asked == 1010) {
                    queue = {Command::StepOnce, Command::StepOnce};
                } else if (asked == 1030) {
                    queue = {Command::Stop};
                }
                return from(queue)();
            });
            while (agree(world, control, [&] { ++pauses; }) == Decision::Run) {
                ++steps[static_cast<std::size_t>(rank)];
                if (rank == 0 && boundaries < 2) ++boundaries;
            }
        });
        QVERIFY2(error.empty(), error.c_str());
        for (const int count : steps) QCOMPARE(count, 4);
        QCOMPARE(pauses.load(), 6);  // twice on each rank: before the single steps and after them
    }
};

QTEST_GUILESS_MAIN(RunControlTest)
#include "run_control_test.moc"
