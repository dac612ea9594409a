// SPDX-License-Identifier: Apache-2.0
// Paced under mpirun with more ranks than cores: messages travel while their sender waits or computes, so the measured
// timeline is the simulated one.
#include "engine/trace/metrics/summary.h"
#include "engine/launch/job/job.h"
#include "engine/predict/plan/plan.h"
#include "tests/train/dist/mpirun.h"
#include "tests/support/places.h"
#include "tests/support/sanitizer.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

using namespace shardlab::test;

namespace {

struct Collected : RunObserver {
    explicit Collected(int ranks) : summary(ranks) {}
    void eventsArrived(std::span<const Event> events) override {
        summary.add(events);
        for (const Event& event : events) overruns += event.kind == EventKind::PaceOverrun;
    }
    void ended(const RunEnd& how) override { end = how; }

    Summarizer summary;
    int overruns = 0;
    RunEnd end;
};

}  // namespace

class PacedMpiTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (!haveMpirun()) QSKIP("mpirun is not installed (package openmpi-bin)");
    }

    void bubbleIsThatOfTheSimulator_data() {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::newRow("default layout") << "1f1b" << 2 << 2;
        QTest::newRow("GPipe, 4 stages") << "gpipe" << 1 << 4;
    }
    void bubbleIsThatOfTheSimulator() {
        SKIP_IF_SANITIZED();
        QFETCH(QString, schedule);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        Layout layout;  // messages of 128 KiB: far too long to be buffered by MPI
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.schedule.kind = schedule.toStdString();
        layout.run.steps = 5;
        layout.run.validateEvery = 0;
        QTemporaryDir folder;
        double measured = 0, simulated = 1;
        // A machine that is busy otherwise gets a slower pace, beside which its lateness is little.
        for (int attempt = 0; attempt < 5 && !(std::abs(measured - simulated) < 0.03); ++attempt) {
            layout.cluster.pace = PaceSpec{};
            layout.cluster.pace->stepSeconds *= 1 << attempt;
            const auto plan = makePlan(layout);
            QVERIFY(plan.has_value());
            simulated = plan->bubble;
            Collected run(data * pipeline);
            JobOptions options;
            options.layout = layout;
            options.runFile = folder.filePath(QString("paced%1.shardlab").arg(attempt)).toStdString();
            options.rankProgram = SHARDLAB_BIN_DIR "/shardlab-rank";
            auto job = Job::start(options, run);
            QVERIFY2(job.has_value(), job ? "" : job.error().text().c_str());
            (*job)->wait();
            QVERIFY2(run.end.outcome == "finished", run.end.reason.c_str());
            measured = run.summary.medianBubble();
            qInfo("bubble: measured %.3f, simulated %.3f; step %.3f s, %d overruns", measured, simulated,
                  run.summary.medianStepSeconds(), run.overruns);
        }
        QVERIFY(std::abs(measured - simulated) < 0.03);
    }
};

QTEST_GUILESS_MAIN(PacedMpiTest)
#include "paced_mpi_test.moc"
