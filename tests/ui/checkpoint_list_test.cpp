// SPDX-License-Identifier: GPL-3.0-or-later
#include "desktop_fixture.h"
#include "tests/support/sample_checkpoint.h"
#include "tests/support/wings.h"

#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "ui/window/checkpoint_list.h"
#include "ui/window/main_window.h"

#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>

namespace shardlab::test {

class CheckpointListTest : public QObject {
    Q_OBJECT

private:
    static CheckpointList& list(MainWindow& window) { return *window.findChild<CheckpointList*>(); }
    static QPushButton* button(QWidget& within, const QString& text) {
        for (QPushButton* each : within.findChildren<QPushButton*>())
            if (each->text() == text) return each;
        return nullptr;
    }
    static bool says(QWidget& within, const QString& words) {
        for (const QLabel* label : within.findChildren<QLabel*>())
            if (label->text().contains(words)) return true;
        return false;
    }
    static void save(QWidget& window, const QString& name) {
        if (const QString folder = qEnvironmentVariable("SHARDLAB_SCREENSHOTS"); !folder.isEmpty())
            window.grab().save(folder + "/" + name + ".png");
    }

private Q_SLOTS:
    void checkpointNowIsACommandOfTheRun() {
        Desk desk;
        desk.workbench.theme().setDark(true);
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        QVERIFY(!window.commands()["run.checkpoint"].isEnabled());
        QVERIFY(desk.workbench.startRun());
        QTRY_VERIFY(window.commands()["run.checkpoint"].isEnabled());
        window.commands()["run.checkpoint"].trigger();
        QVERIFY(desk.jobs->told() == std::vector<Command>{Command::Checkpoint});
        desk.jobs->end("stopped");
        QTRY_VERIFY(!window.commands()["run.checkpoint"].isEnabled());
    }

    void sizesAreCommandsOfAnElasticRun() {
        Desk desk;
        desk.workbench.theme().setDark(true);
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        Layout layout;  // data 2 × pipeline 2
        layout.checkpoint.every = 5;
        layout.run.minData = 1;
        QVERIFY(!window.commands()["run.fewer"].isEnabled());
        desk.workbench.run().start(layout, desk.path("elastic.shardlab"));
        QTRY_VERIFY(window.commands()["run.fewer"].isEnabled());
        QCOMPARE(window.commands()["run.fewer"].text(), QString("Fewer replicas: 1"));
        QVERIFY(!window.commands()["run.more"].isEnabled());
        window.commands()["run.fewer"].trigger();
        QVERIFY(desk.jobs->sizesAsked() == std::vector<int>{1});
        desk.jobs->end("stopped");
        QTRY_VERIFY(!window.commands()["run.fewer"].isEnabled());
    }

    void faultsAreCommandsForTheSelectedRank() {
        Desk desk;
        desk.workbench.theme().setDark(true);
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        window.showWorkspace(Workspace::Run);
        desk.workbench.run().start(Layout{}, desk.path("faulty.shardlab"));
        QTRY_VERIFY(window.commands()["run.pause"].isEnabled());
        QVERIFY(!window.commands()["run.kill"].isEnabled());
        desk.workbench.selection(Workspace::Run).setRank(2);
        QTRY_VERIFY(window.commands()["run.kill"].isEnabled());
        QCOMPARE(window.commands()["run.kill"].text(), QString("Kill rank 2"));
        window.commands()["run.kill"].trigger();
        window.commands()["run.hang"].trigger();
        QVERIFY(desk.jobs->faultsAsked() ==
                (std::vector<FaultRequest>{{InjectedFaultKind::Kill, 2}, {InjectedFaultKind::Hang, 2}}));
        desk.jobs->end("stopped");
        QTRY_VERIFY(!window.commands()["run.kill"].isEnabled());
    }

    void goesOnWithTheLayoutInDesignOrItsOwn() {
        Desk desk;
        desk.workbench.theme().setDark(true);
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(1280, 720);
        window.show();
        DiskFileSystem disk;
        const test::SampleCheckpoint state(1);
        QVERIFY(state.write(disk, desk.path("checkpoints"), 1, 10, 9) &&
                state.write(disk, desk.path("checkpoints"), 2, 20, 9));
        window.commands()["run.resume"].trigger();
        CheckpointList& open = list(window);
        QVERIFY(open.isVisible() && says(open, "This folder holds no checkpoint"));
        QVERIFY(!button(open, "Check every byte")->isEnabled());
        save(window, "checkpoints-empty");
        open.show(desk.path("checkpoints"));
        QCOMPARE(open.table().rowCount(), 2);
        QCOMPARE(open.table().item(0, 0)->text(), QString("20"));
        save(window, "checkpoints");

        open.table().selectRow(1);
        button(open, "Go on with the layout in Design")->click();
        QTRY_COMPARE(desk.workbench.run().state(), std::optional(RunState::Running));
        QCOMPARE(desk.jobs->options.resume.filename(), std::filesystem::path("000001-step-10"));
        QVERIFY(desk.jobs->options.layout.name == desk.document().layout().name);
        window.commands()["run.resume"].trigger();
        open.show(desk.path("checkpoints"));
        QVERIFY(!button(open, "Go on with its layout")->isEnabled());
        desk.jobs->end("finished");
        QTRY_VERIFY(!desk.workbench.run().active());

        open.show(desk.path("checkpoints"));
        button(open, "Go on with its layout")->click();
        QTRY_COMPARE(desk.jobs->started.load(), 2);
        QCOMPARE(desk.jobs->options.layout.name, std::string("sample"));
        QCOMPARE(desk.jobs->options.resume.filename(), std::filesystem::path("000002-step-20"));
    }

    void aDamagedOneIsNamed() {
        Desk desk;
        desk.workbench.theme().setDark(true);
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(1280, 720);
        window.show();
        DiskFileSystem disk;
        QVERIFY(test::SampleCheckpoint(1).write(disk, desk.path("checkpoints"), 1, 10, 9));
        CheckpointList& open = list(window);
        open.open();
        open.show(desk.path("checkpoints"));
        button(open, "Check every byte")->click();
        QTRY_VERIFY(says(open, "All checksums are correct"));
        const auto shard = desk.path("checkpoints") / "000001-step-10" / "rank-1.safetensors";
        std::string content = readFile(shard).value();
        content.back() ^= 1;
        QVERIFY(replaceFile(shard, content));
        button(open, "Check every byte")->click();
        QTRY_VERIFY(says(open, "does not fit its checksum"));
        save(window, "checkpoints-damaged");
    }
};

}  // namespace shardlab::test

using shardlab::test::CheckpointListTest;
QTEST_MAIN(CheckpointListTest)
#include "checkpoint_list_test.moc"
