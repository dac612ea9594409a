// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/fake_job.h"
#include "tests/support/wings.h"
#include "ui/core/workbench.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QThreadPool>
#include <QTest>

using namespace shardlab::test;

namespace {

/// Measures when it is told to, or until it is stopped.
struct FakeProfiler {
    std::atomic<bool> done = false, stopped = false;
    Result<Profile> answer = Profile{};

    MeasureSession::Profiler profiler() {
        return [this](const Layout& layout, RunObserver& observer, const auto& stop) -> Result<Profile> {
            stop([this] { stopped = true; });
            observer.stateChanged(RunState::Starting);
            observer.logged({0, 0, LogLevel::Info, "measuring forward and backward"});
            observer.logged({0, 1, LogLevel::Info, "measuring what only rank 0 may say"});
            while (!done && !stopped) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            stop({});
            if (stopped) return fail({"nothing was measured", {}, "it was stopped", {}});
            if (answer) answer->layout = layout;
            return answer;
        };
    }
};

}  // namespace

class MeasureSessionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { qputenv("SHARDLAB_PROFILES", folder_.path().toUtf8()); }

    void progressAndResultAreTold() {
        FakeProfiler fake;
        Document document;
        MeasureSession session(document, fake.profiler());
        QSignalSpy progressed(&session, &MeasureSession::progressed);
        QSignalSpy measured(&session, &MeasureSession::measured);
        QSignalSpy planned(&document, &Document::planChanged);
        session.start();
        session.start();  // ignored
        QVERIFY(session.active());
        QTRY_COMPARE(progressed.count(), 2);
        QCOMPARE(progressed.at(1).at(0).toString(), QStringLiteral("measuring forward and backward"));
        QCOMPARE(planned.count(), 0);
        fake.done = true;
        QTRY_COMPARE(measured.count(), 1);
        QVERIFY(!session.active());
        QVERIFY(document.measurements().processorKnown());
        QCOMPARE(planned.count(), 1);  // planned anew
    }

    void cancelledKeepsNothing() {
        FakeProfiler fake;
        Document document;
        MeasureSession session(document, fake.profiler());
        QSignalSpy cancelled(&session, &MeasureSession::cancelled), failed(&session, &MeasureSession::failed);
        session.start();
        QTest::qWait(20);
        session.cancel();
        QTRY_COMPARE(cancelled.count(), 1);
        QVERIFY(fake.stopped);
        QCOMPARE(failed.count(), 0);
        QVERIFY(!document.measurements().processorKnown());
        fake.stopped = false;
        fake.done = true;
        session.start();  // again
        QTRY_VERIFY(document.measurements().processorKnown());
    }

    void failureIsTold() {
        FakeProfiler fake;
        fake.answer = fail({"mpirun is missing", {}, {}, {}});
        fake.done = true;
        Document document;
        MeasureSession session(document, fake.profiler());
        QSignalSpy failed(&session, &MeasureSession::failed);
        session.start();
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY(!session.active());
    }

    void closedWhileItMeasures() {
        FakeProfiler fake;
        Document document;
        {
            MeasureSession session(document, fake.profiler());
            session.start();
            QTest::qWait(20);
        }
        QTRY_VERIFY(fake.stopped);
        QThreadPool::globalInstance()->waitForDone();
    }

    void nothingIsMeasuredBesideARun() {
        auto jobs = std::make_shared<FakeJobs>();
        Workbench workbench(startFake(jobs), folder_.path().toStdString());
        QVERIFY(workbench.startRun());
        QTRY_COMPARE(jobs->started.load(), 1);
        workbench.startMeasuring();
        QVERIFY(!workbench.measure().active());
        jobs->end("finished");
        QTRY_VERIFY(!workbench.run().active());
    }

    void faultyLayoutsAreNotMeasured() {
        Workbench workbench(startFake(std::make_shared<FakeJobs>()), folder_.path().toStdString());
        QSignalSpy posted(&workbench.messages(), &Messages::posted);
        Layout layout;
        layout.parallel.pipeline = 3;
        workbench.document().replace(layout, {});
        workbench.startMeasuring();
        QVERIFY(!workbench.measure().active());
        QCOMPARE(posted.count(), 1);
    }

private:
    QTemporaryDir folder_;
};

QTEST_MAIN(MeasureSessionTest)
#include "measure_session_test.moc"
