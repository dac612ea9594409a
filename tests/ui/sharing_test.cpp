// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the desktop, watched from another one.
#include "desktop_fixture.h"
#include "engine/launch/job/run_header.h"
#include "engine/launch/tls/tls_pass.h"
#include "tests/ui/sample_run.h"
#include "tests/ui/synthetic_run.h"
#include "tests/support/wings.h"

#include "ui/window/main_window.h"
#include "ui/window/message_area.h"
#include "ui/window/share_panel.h"

#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

const TcpAddress anyPort{"127.0.0.1", 0};

/// What a job does with the server that it is given, while it records.
class Recording {
public:
    Recording(const JobOptions& job, int steps)
        : file_(job.runFile), server_(job.server), plan_(sample::plan(job.layout)),
          events_(syntheticRun(plan_, steps, 3)) {
        auto made = RunWriter::create(file_, headerOf(plan_));
        if (!made) throw std::runtime_error(made.error().text());
        writer_ = std::move(*made);
        static_cast<void>(writer_->append(events_));
        static_cast<void>(writer_->flush());
        server_->serve(file_);
    }
    void end() {
        server_->release();
        static_cast<void>(writer_->finish({"finished", ""}));
        server_->conclude({"finished", ""}, std::atomic<bool>(false));
    }
    std::int64_t events() const { return static_cast<std::int64_t>(events_.size()); }

private:
    std::filesystem::path file_;
    std::shared_ptr<RunServer> server_;
    Plan plan_;
    std::vector<Event> events_;
    std::unique_ptr<RunWriter> writer_;
};

JobOptions given(FakeJobs& jobs) {
    const std::scoped_lock lock(jobs.mutex);
    return jobs.options;
}

void save(const QWidget& widget, const QString& name) {
    const QString folder = QCoreApplication::applicationDirPath() + QStringLiteral("/screenshots");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(const_cast<QWidget&>(widget).grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png")));
}

bool says(const QWidget& window, const QString& what) {
    for (const QLabel* label : window.findChildren<QLabel*>())
        if (label->text().contains(what)) return true;
    return false;
}

}  // namespace

class SharingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingIsSharedUnasked() {
        Desk desk;
        QVERIFY(!desk.workbench.sharing().on());
        QVERIFY(desk.workbench.startRun());
        QTRY_COMPARE_WITH_TIMEOUT(desk.jobs->started.load(), 1, 10000);
        QVERIFY(!given(*desk.jobs).server);
        QVERIFY(!desk.workbench.run().server());
    }

    void anotherDesktopSeesTheRunFromItsStart() {
        Desk here, there;
        QVERIFY(here.workbench.sharing().begin(anyPort));
        const std::string token = here.workbench.sharing().options()->pass.token;
        const auto pass = readPass(token);
        QVERIFY(pass && pass->security && pass->token == token);
        QVERIFY(here.workbench.startRun());
        QTRY_VERIFY_WITH_TIMEOUT(here.workbench.run().server(), 10000);
        const TcpAddress address = here.workbench.run().server()->address();
        QVERIFY(address.port != 0);
        Recording recording(given(*here.jobs), 6);
        QVERIFY(there.workbench.connectTo(address, *pass));
        RunModel& seen = there.workbench.model(Workspace::Run);
        QTRY_COMPARE_WITH_TIMEOUT(seen.recorded().events, recording.events(), 20000);
        QTRY_COMPARE_WITH_TIMEOUT(here.workbench.run().server()->counts().welcomed, std::int64_t{1}, 5000);

        // Sharing that ends now takes no run away from who watches it.
        here.workbench.sharing().end();
        QSignalSpy ended(&there.workbench.live(), &LiveSession::ended);
        recording.end();
        here.jobs->end("finished");
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 20000);
        QVERIFY(seen.report().end() && seen.report().end()->outcome == "finished");
        QTRY_VERIFY_WITH_TIMEOUT(!here.workbench.run().active(), 10000);
        QVERIFY(here.workbench.startRun());
        QTRY_COMPARE_WITH_TIMEOUT(here.jobs->started.load(), 2, 10000);
        QVERIFY(!given(*here.jobs).server);
    }

    void eachTimeHasATokenOfItsOwn() {
        Desk desk;
        Sharing& sharing = desk.workbench.sharing();
        QVERIFY(sharing.begin(anyPort));
        const std::string first = sharing.options()->pass.token;
        sharing.end();
        QVERIFY(sharing.begin(anyPort));
        QVERIFY(sharing.options()->pass.token != first);
    }

    void aPortThatIsTakenIsSaidAtOnceOrWhenARunStarts() {
        Desk desk;
        ServeOptions other{.address = anyPort, .pass = plainPass("other")};
        auto holder = RunServer::listen(other);
        QVERIFY(holder);
        const Status refused = desk.workbench.sharing().begin((*holder)->address());
        QVERIFY(!refused);
        QVERIFY(!desk.workbench.sharing().on());

        const TcpAddress taken = (*holder)->address();
        holder->reset();
        QVERIFY(desk.workbench.sharing().begin(taken));
        other.address = taken;
        holder = RunServer::listen(other);
        QVERIFY(holder);
        QSignalSpy failed(&desk.workbench.run(), &RunSession::failedToStart),
            said(&desk.workbench.messages(), &Messages::posted);
        QVERIFY(desk.workbench.startRun());
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 10000);
        QCOMPARE(desk.jobs->started.load(), 0);
        QVERIFY(!desk.workbench.run().active());
        QVERIFY(said.count() == 1 &&
                said.front().front().value<Message>().title.contains(QStringLiteral("did not start")));
    }

    void thePanelSharesAndStops() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(1280, 720);
        window.show();
        auto* panel = window.findChild<SharePanel*>();
        QVERIFY(panel);
        window.commands()["file.share"].trigger();
        QVERIFY(panel->isVisible());
        QCOMPARE(panel->address().text(), QStringLiteral("7000"));
        panel->address().setText(QStringLiteral("node:port"));
        panel->go().click();
        QVERIFY(panel->note().text().contains(QStringLiteral("no number")));
        QVERIFY(!desk.workbench.sharing().on());
        panel->address().setText(QStringLiteral("0"));
        panel->go().click();
        QVERIFY(desk.workbench.sharing().on());
        QCOMPARE(panel->token().text().toStdString(), desk.workbench.sharing().options()->pass.token);
        QCOMPARE(panel->go().text(), QStringLiteral("Stop sharing"));
        QTest::qWait(200);
        save(window, QStringLiteral("share-dark-1280"));

        QVERIFY(desk.workbench.startRun());
        QTRY_VERIFY_WITH_TIMEOUT(desk.workbench.run().server(), 10000);
        QTRY_VERIFY(says(window, QStringLiteral("shared at 127.0.0.1:") +
                                     QString::number(desk.workbench.run().server()->address().port)));
        window.commands()["file.share"].trigger();
        panel->go().click();
        QVERIFY(!desk.workbench.sharing().on());
        QVERIFY(panel->token().text().isEmpty());
        QCOMPARE(panel->address().text(), QStringLiteral("0"));
        QVERIFY(desk.workbench.run().server());
        desk.workbench.theme().setDark(false);
        QTest::qWait(200);
        save(window, QStringLiteral("share-light-1280"));
        // The place is remembered, the token nowhere.
        QCOMPARE(QSettings().value(QStringLiteral("share/address")).toString(), QStringLiteral("0"));
    }
};

QTEST_MAIN(SharingTest)
#include "sharing_test.moc"
