// SPDX-License-Identifier: Apache-2.0
// The model clock of a paced rank.
#include "engine/base/clock.h"
#include "engine/train/run/pacer.h"
#include "tests/support/seed.h"

#include <QtTest>
#include <chrono>
#include <random>
#include <thread>

using namespace shardlab;

namespace {

constexpr std::int64_t millisecond = 1'000'000;

StepCosts costsOf(double forward, double send) {
    StepCosts costs;
    costs.stages.resize(3);
    for (StageCosts& stage : costs.stages) {
        stage.forward = forward;
        stage.send = send;
    }
    return costs;
}

Action forward(int microbatch) { return {ActionKind::Forward, 1, microbatch}; }

double complete(Pacer& pacer, const Action& action) { return pacer.completeAt(pacer.clock() + pacer.duration(action)); }

}  // namespace

class PacerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Messages to one peer queue, those to different peers do not; links stay busy from step to step.
    void messagesQueueOnALink() {
        const Recorder recorder(0, monotonicNanoseconds());
        const StepCosts costs = costsOf(0, 0.005);
        Pacer pacer(recorder, costs, false);
        const std::int64_t start = pacer.proposedStart();
        pacer.beginStep(start);
        const Action up{ActionKind::SendForward, 1, 0}, down{ActionKind::SendBackward, 1, 0};
        const Pacer::Transfer first = pacer.send(up, 2), second = pacer.send(up, 2), other = pacer.send(down, 0);
        QCOMPARE(first.begin, start);
        QCOMPARE(first.arrival, start + 5 * millisecond);
        QCOMPARE(second.begin, first.arrival);
        QCOMPARE(second.arrival, start + 10 * millisecond);
        QCOMPARE(other.begin, start);
        QCOMPARE(pacer.clock(), start);  // sends do not occupy the compute lane
        pacer.beginStep(start + 1 * millisecond);
        QCOMPARE(pacer.send(up, 2).begin, second.arrival);
    }

    void aSlowDeviceComputesLongerAndSendsAsQuickly() {
        const Recorder recorder(0, monotonicNanoseconds());
        const StepCosts costs = costsOf(0.004, 0.005);
        Pacer pacer(recorder, costs, false);
        QCOMPARE(pacer.duration(forward(0)), 4 * millisecond);
        pacer.setSlowdown(2.5);
        QCOMPARE(pacer.duration(forward(0)), 10 * millisecond);
        QCOMPARE(pacer.duration({ActionKind::SendForward, 1, 0}), 5 * millisecond);
    }

    void actionsWaitForTheirMessage() {
        const Recorder recorder(0, monotonicNanoseconds());
        const StepCosts costs = costsOf(0.003, 0);
        Pacer pacer(recorder, costs, false);
        pacer.beginStep(pacer.proposedStart());
        const std::int64_t start = pacer.clock();
        pacer.waitForArrival(start + 20 * millisecond);
        QVERIFY(recorder.now() >= start + 20 * millisecond);
        QCOMPARE(pacer.clock(), start + 20 * millisecond);
        pacer.waitForArrival(start + 5 * millisecond);  // long there
        QCOMPARE(pacer.clock(), start + 20 * millisecond);
        const double overrun = complete(pacer, forward(0));
        QVERIFY(recorder.now() >= pacer.clock());
        QVERIFY(pacer.clock() == start + 23 * millisecond + toNanoseconds(overrun));
    }

    /// The clock moves by the modelled time, however long real work and oversleeping took, except for overruns.
    void jitterDoesNotAddUp() {
        const unsigned seed = freshSeed();
        std::mt19937 random(seed);
        const Recorder recorder(0, monotonicNanoseconds());
        const StepCosts costs = costsOf(0.004, 0);
        Pacer pacer(recorder, costs, false);
        pacer.beginStep(pacer.proposedStart());
        const std::int64_t start = pacer.clock();
        std::int64_t overruns = 0;
        for (int i = 0; i < 50; ++i) {
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 3500));
            overruns += toNanoseconds(complete(pacer, forward(i)));
            QVERIFY2(pacer.clock() == start + (i + 1) * 4 * millisecond + overruns, qPrintable(QString::number(seed)));
        }
    }

    void overrunMovesTheClockOn() {
        const Recorder recorder(0, monotonicNanoseconds());
        const StepCosts costs = costsOf(0.002, 0);
        Pacer pacer(recorder, costs, false);
        pacer.beginStep(pacer.proposedStart());
        const std::int64_t start = pacer.clock();
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        const std::int64_t before = recorder.now();
        const double overrun = complete(pacer, forward(0));
        QVERIFY(pacer.clock() >= before && pacer.clock() <= recorder.now());
        QVERIFY(pacer.clock() == start + 2 * millisecond + toNanoseconds(overrun));
        QVERIFY(pacer.proposedStart() >= pacer.clock());
    }
};

QTEST_GUILESS_MAIN(PacerTest)
#include "pacer_test.moc"
