// SPDX-License-Identifier: GPL-3.0-or-later
// A run that failed offers to go on from its newest checkpoint, and one that goes on shows from where, with the losses
// before it.
#include "desktop_fixture.h"

#include "engine/base/file.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/record/checkpoint_tally.h"
#include "tests/support/sample_checkpoint.h"
#include "tests/ui/recorded_run.h"
#include "tests/ui/sample_run.h"
#include "ui/core/earlier_losses.h"
#include "ui/views/loss/loss_view.h"

#include <QtTest>

#include <algorithm>
#include <optional>
#include <vector>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// What is said while it lives.
struct Ear {
    explicit Ear(Messages& messages) {
        QObject::connect(&messages, &Messages::posted, [this](const Message& message) { heard.push_back(message); });
    }
    std::optional<MessageChoice> choice(const QString& begin) const {
        if (heard.empty()) return std::nullopt;
        for (const MessageChoice& each : heard.back().choices)
            if (each.label.startsWith(begin)) return each;
        return std::nullopt;
    }
    std::vector<Message> heard;
};

void writeCheckpoint(const std::filesystem::path& folder, int serial, std::int64_t step) {
    DiskFileSystem files;
    std::filesystem::create_directories(folder);
    const Status written = SampleCheckpoint(7).write(files, folder, serial, step, 9);
    if (!written) qFatal("%s", written.error().text().c_str());
}

}  // namespace

class ResumedRunTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aFailedRunOffersItsNewestCheckpoint();
    void anOpenedRunThatFailedOffersItToo();
    void checkpointsOfRunsBeforeAreNotOffered();
    void theOriginIsToldAndItsLossesDrawn();
};

void ResumedRunTest::aFailedRunOffersItsNewestCheckpoint() {
    for (const bool any : {true, false}) {
        Desk desk;
        Ear ear(desk.workbench.messages());
        QVERIFY(desk.workbench.startRun());
        QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
        const Layout layout = desk.workbench.run().layout();
        const auto folder = checkpointFolder(layout, desk.workbench.run().runFile());
        if (any) {
            writeCheckpoint(folder, 1, 5);
            writeCheckpoint(folder, 2, 10);
        }
        desk.jobs->end("failed", "rank 1 was killed");
        QTRY_COMPARE(ear.heard.size(), std::size_t{1});
        const auto resume = ear.choice(QStringLiteral("Resume"));
        QCOMPARE(resume.has_value(), any);
        QVERIFY(ear.choice(QStringLiteral("Open in Replay")));
        if (!any) continue;
        QCOMPARE(resume->label, QStringLiteral("Resume from step 10"));
        resume->act();
        QTRY_COMPARE(desk.jobs->started.load(), 2);
        QCOMPARE(desk.jobs->options.resume, listCheckpoints(folder).back().path);
        QVERIFY(desk.jobs->options.layout == layout);
        desk.jobs->end("finished");
        QTRY_VERIFY(!desk.workbench.run().active());
        QVERIFY(!ear.choice(QStringLiteral("Resume")));
    }
}

void ResumedRunTest::anOpenedRunThatFailedOffersItToo() {
    Desk desk;
    Ear ear(desk.workbench.messages());
    const std::filesystem::path file = desk.path("broken.shardlab");
    const RunHeader header = headerOf(*desk.document().plan());
    auto broken = RunWriter::create(file, header);
    QVERIFY(broken && (*broken)->finish({"failed", "rank 1 was killed"}));
    broken->reset();
    writeCheckpoint(checkpointFolder(header.layout, file), 1, 5);
    desk.workbench.openRun(file);
    QTRY_VERIFY(!ear.heard.empty());
    const auto resume = ear.choice(QStringLiteral("Resume from step 5"));
    QVERIFY(resume);
    resume->act();
    QTRY_COMPARE(desk.jobs->started.load(), 1);
    desk.jobs->end("finished");
    QTRY_VERIFY(!desk.workbench.run().active());
}

void ResumedRunTest::checkpointsOfRunsBeforeAreNotOffered() {
    Desk desk;
    Ear ear(desk.workbench.messages());
    const std::filesystem::path file = desk.path("broken.shardlab"), shared = desk.path("shared");
    RunHeader header = headerOf(*desk.document().plan());
    header.layout.checkpoint.path = shared.string();
    header.created = "2999-01-01T00:00:00Z";
    auto broken = RunWriter::create(file, header);
    QVERIFY(broken && (*broken)->finish({"failed", "rank 1 was killed"}));
    broken->reset();
    writeCheckpoint(shared, 1, 5);
    desk.workbench.openRun(file);
    QTRY_VERIFY(!ear.heard.empty());
    QVERIFY(!ear.choice(QStringLiteral("Resume")));
}

void ResumedRunTest::theOriginIsToldAndItsLossesDrawn() {
    Desk desk;
    const Plan plan = *desk.document().plan();
    const std::filesystem::path before = desk.path("first.shardlab");
    recordRun(before, plan, 9, 5);
    const std::string checkpoint = (desk.path("first.checkpoints") / "000001-step-6").string();
    LossView view(desk.workbench.context(Workspace::Run), nullptr);
    QVERIFY(desk.workbench.startRun());
    QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
    desk.jobs->say([&](RunObserver& to) {
        to.logged({1, -1, LogLevel::Info, goesOnFrom(6, checkpoint)});
        std::vector<Event> events = sample::events(plan, 3, 4);
        for (Event& event : events)
            if (event.step >= 0) event.step += 6;
        to.eventsArrived(events);
    });
    const QString origin = QStringLiteral("from step 6 of first");
    QTRY_VERIFY(view.asTable().contains(origin));
    view.flush();
    QVERIFY2(view.subtitle().contains(QStringLiteral("goes on ") + origin), qPrintable(view.subtitle()));
    const QStringList lines = view.asTable().split(QLatin1Char('\n'));
    for (int step = 0; step < 9; ++step) {  // each once: those of the old run end where the new one begins
        const auto rows = std::ranges::count_if(
            lines, [&](const QString& line) { return line.startsWith(QStringLiteral("%1\t").arg(step)); });
        QCOMPARE(rows, 1);
    }
    // The next run begins anew.
    desk.jobs->end("finished");
    QTRY_VERIFY(!desk.workbench.run().active());
    QVERIFY(desk.workbench.startRun());
    QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
    QTRY_VERIFY(!view.asTable().contains(origin));
    desk.jobs->end("finished");
    QTRY_VERIFY(!desk.workbench.run().active());
}

QTEST_MAIN(ResumedRunTest)
#include "resumed_run_test.moc"
