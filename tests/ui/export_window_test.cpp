// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts for other trainers, seen before they are written, and configurations of other trainers that become layouts.
#include "desktop_fixture.h"
#include "tests/support/wings.h"

#include "engine/base/file.h"
#include "engine/layout/check/check.h"
#include "engine/layout/presets.h"
#include "ui/core/field_words.h"
#include "ui/core/layout_export.h"
#include "ui/core/text.h"
#include "ui/window/export_window.h"
#include "ui/window/main_window.h"
#include "ui/window/message_area.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableWidget>
#include <QUndoStack>
#include <QtTest>

using namespace shardlab::test;

namespace {

/// A layout that all of Megatron-LM, torchtitan and DeepSpeed can train.
Layout common() {
    Layout layout;
    layout.name = "mine";
    layout.model.kind = ModelKind::Llama;
    return layout;
}

const TrainerTarget& trainer(const char* name) { return *findTrainerTarget(name); }

ExportWindow* shownBy(MainWindow& window, const char* command) {
    window.commands()[command].trigger();
    auto* preview = window.findChild<ExportWindow*>();
    return preview && QTest::qWaitForWindowActive(preview) ? preview : nullptr;
}

void drop(QWidget& window, const std::filesystem::path& file) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(file.string()))});
    QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &event);
}

void save(QWidget& widget, const QString& name) {
    const QString folder = QCoreApplication::applicationDirPath() + QStringLiteral("/screenshots");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(widget.grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png")));
}

}  // namespace

class ExportWindowTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyTrainerStandsBesideRun() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        auto* button = window.findChild<QPushButton*>(QStringLiteral("top.export"));
        QVERIFY(button && button->isVisible());
        QCOMPARE(button->menu()->actions().size(), static_cast<qsizetype>(trainerTargets().size()));
        for (std::size_t i = 0; i < trainerTargets().size(); ++i) {
            const TrainerTarget& target = trainerTargets()[i];
            QAction* action = button->menu()->actions()[static_cast<qsizetype>(i)];
            QVERIFY(action->text().contains(text(target.program)));
            action->trigger();
            auto* preview = window.findChild<ExportWindow*>();
            QVERIFY(preview && preview->isVisible());
            QCOMPARE(preview->target().name, target.name);
        }
        QCOMPARE(window.findChildren<ExportWindow*>().size(), 1);
        for (const Workspace workspace : {Workspace::Home, Workspace::Run, Workspace::Replay, Workspace::Learn}) {
            window.showWorkspace(workspace);
            QVERIFY(!button->isVisible());
        }
    }

    void theMenuOpensByKeyboard() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        auto* button = window.findChild<QPushButton*>(QStringLiteral("top.export"));
        button->setFocus(Qt::TabFocusReason);
        QTimer::singleShot(50, &window, [] {
            QWidget* popup = QApplication::activePopupWidget();
            if (!popup) return;
            QTest::keyClick(popup, Qt::Key_Down);
            if (auto* menu = qobject_cast<QMenu*>(popup); menu->activeAction() == menu->actions().first())
                QTest::keyClick(popup, Qt::Key_Down);
            QTest::keyClick(popup, Qt::Key_Return);
        });
        QTest::keyClick(button, Qt::Key_Space);
        QTRY_VERIFY(window.findChild<ExportWindow*>());
        QCOMPARE(window.findChild<ExportWindow*>()->target().name, trainerTargets()[1].name);
    }

    void theFilesAreShownCopiedAndWrittenByKeyboard() {
        Desk desk;
        desk.document().replace(common(), desk.path("mine.layout.json"));
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(1280, 720);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        auto* preview = window.findChild<ExportWindow*>();
        QVERIFY(preview && QTest::qWaitForWindowActive(preview));
        QCOMPARE(preview->target().name, std::string_view("megatron"));
        QTRY_VERIFY(preview->targets().hasFocus());
        const auto expected = exportLayout(desk.document().resolvedLayout(), trainer("megatron"), {"mine.megatron"});
        QVERIFY(expected);
        QCOMPARE(preview->preview().toPlainText().toStdString(), expected->text);
        QCOMPARE(preview->files().tabText(0), QStringLiteral("mine.megatron.sh"));
        save(*preview, QStringLiteral("export-megatron-dark"));

        QTest::keyClick(preview->focusWidget(), Qt::Key_Tab);
        QVERIFY(preview->slurm().hasFocus());
        QTest::keyClick(&preview->slurm(), Qt::Key_Space);
        QCOMPARE(preview->files().tabText(0), QStringLiteral("mine.megatron.sbatch"));
        QVERIFY(preview->preview().toPlainText().contains(QStringLiteral("#SBATCH")));

        QTest::keyClick(preview->focusWidget(), Qt::Key_Tab, Qt::ShiftModifier);
        for (std::size_t press = 0; press < trainerTargets().size() && preview->target().name != "deepspeed"; ++press)
            QTest::keyClick(&preview->targets(), Qt::Key_Down);
        QCOMPARE(preview->target().name, std::string_view("deepspeed"));
        QCOMPARE(preview->files().tabText(0), QStringLiteral("mine.deepspeed.sbatch"));
        preview->slurm().setChecked(false);
        QVERIFY(preview->files().count() > 1);
        QTest::keyClick(&preview->targets(), Qt::Key_Tab);
        QTest::keyClick(&preview->slurm(), Qt::Key_Tab);
        QVERIFY(preview->files().hasFocus());
        QTest::keyClick(&preview->files(), Qt::Key_Right);
        const QString second = preview->files().tabText(1);
        const auto deepspeed = exportLayout(desk.document().resolvedLayout(), trainer("deepspeed"), {"mine.deepspeed"});
        QVERIFY(deepspeed);
        QCOMPARE(second.toStdString(), deepspeed->companions.front().name);
        QCOMPARE(preview->preview().toPlainText().toStdString(), deepspeed->companions.front().text);

        QTest::keyClick(preview, Qt::Key_C, Qt::AltModifier);
        QTRY_COMPARE(QApplication::clipboard()->text(), preview->preview().toPlainText());
        QVERIFY(preview->note().text().contains(second));

        QTest::keyClick(preview, Qt::Key_S, Qt::AltModifier);
        QTRY_VERIFY(preview->findChild<QFileDialog*>());
        auto* dialog = preview->findChild<QFileDialog*>();
        QVERIFY(dialog->selectedFiles().front().endsWith(QStringLiteral("/mine.deepspeed.json")));
        dialog->selectFile(QString::fromStdString(desk.path("other.json").string()));
        QVERIFY(QMetaObject::invokeMethod(dialog, "accept"));
        const auto renamed = exportLayout(desk.document().resolvedLayout(), trainer("deepspeed"), {"other"});
        QTRY_VERIFY(std::filesystem::exists(desk.path("other.json")));
        QCOMPARE(*readFile(desk.path("other.json")), renamed->text);
        for (const CompanionFile& each : renamed->companions)
            QCOMPARE(*readFile(desk.path(each.name.c_str())), each.text);
        QVERIFY(preview->note().text().contains(QStringLiteral("other.json")));

        QTest::keyClick(preview, Qt::Key_Escape);
        QVERIFY(!preview->isVisible());
        // The trainer that was chosen last is the one of the next time.
        MainWindow next(desk.workbench, MainWindow::Memory::Forget);
        next.show();
        QCOMPARE(shownBy(next, "export.last")->target().name, std::string_view("deepspeed"));
    }

    void aFileBesideIsNotReplacedUnasked() {
        Desk desk;
        desk.document().replace(common(), {});
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        ExportWindow* preview = shownBy(window, "export.deepspeed");
        QVERIFY(preview);
        const auto made = exportLayout(common(), trainer("deepspeed"), {"a"});
        QVERIFY(made && !made->companions.empty());
        const auto beside = desk.path(made->companions.front().name.c_str());
        QVERIFY(replaceFile(beside, "a letter"));
        preview->saveAs(desk.path("a.json"));
        QVERIFY(preview->note().text().contains(QString::fromStdString(beside.string())));
        QVERIFY(!std::filesystem::exists(desk.path("a.json")));
        QCOMPARE(*readFile(beside), std::string("a letter"));
        // The main file was there, and the file dialog has asked whether it is replaced: so are those that go with it.
        QVERIFY(replaceFile(desk.path("a.json"), "an earlier export"));
        preview->saveAs(desk.path("a.json"));
        QCOMPARE(*readFile(beside), made->companions.front().text);
        preview->saveAs(desk.path("nowhere") / "b.json");
        QVERIFY(preview->note().text().contains(QStringLiteral("nowhere")));
    }

    void whatIsRefusedLeadsToItsField() {
        Desk desk;
        Layout layout = common();
        layout.schedule.kind = "zb-h1";
        layout.optimizer.kind = OptimizerKind::Sm3;
        desk.document().replace(layout, {});
        QVERIFY(desk.document().faults().empty());
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        ExportWindow* preview = shownBy(window, "export.megatron");
        QVERIFY(preview);
        const auto refused = exportLayout(layout, trainer("megatron"));
        QVERIFY(!refused);
        QTableWidget& table = preview->refusals();
        QVERIFY(table.isVisible());
        QCOMPARE(table.rowCount(), static_cast<int>(refused.error().size()));
        QVERIFY(!preview->saveButton().isEnabled() && !preview->copyButton().isEnabled());
        int schedule = -1;
        for (int row = 0; row < table.rowCount(); ++row) {
            const Fault& fault = refused.error()[static_cast<std::size_t>(row)];
            QCOMPARE(table.item(row, 3)->text().toStdString(), fault.legal.english());
            if (fault.pointer == "/schedule/kind") schedule = row;
        }
        QVERIFY(schedule >= 0);
        save(*preview, QStringLiteral("export-refused-dark"));
        window.showWorkspace(Workspace::Home);
        QSignalSpy wanted(&desk.document(), &Document::fieldRequested);
        table.setFocus();
        table.setCurrentCell(schedule, 0);
        QTest::keyClick(&table, Qt::Key_Return);
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.front().front().toString(), QStringLiteral("/schedule/kind"));
        QCOMPARE(window.workspace(), Workspace::Design);

        // The window follows what a person mends.
        layout.schedule.kind = "1f1b";
        layout.optimizer.kind = OptimizerKind::AdamW;
        desk.document().change(layout, QStringLiteral("mended"));
        QVERIFY(!table.isVisible());
        QVERIFY(preview->preview().isVisible() && preview->saveButton().isEnabled());
        layout.run.deadline = 77;
        layout.cluster.pace = PaceSpec{.device = "a100-sxm"};
        desk.document().change(layout, QStringLiteral("deadline"));
        QVERIFY(preview->leftOut().isVisible());
        QVERIFY(preview->leftOut().toPlainText().contains(QStringLiteral("deadline")));
        QVERIFY(preview->leftOut().toPlainText().contains(QStringLiteral("the section cluster says more (")));
        QTRY_VERIFY(!preview->leftOut().verticalScrollBar()->isVisible());  // long sentences are seen whole
        desk.workbench.theme().setDark(false);
        save(*preview, QStringLiteral("export-left-out-light"));

        layout.model.heads = 3;
        desk.document().change(layout, QStringLiteral("heads"));
        QVERIFY(!desk.document().faults().empty());
        QVERIFY(table.isVisible());
        QCOMPARE(table.rowCount(), static_cast<int>(desk.document().faults().size()));
        QVERIFY(!preview->saveButton().isEnabled());
    }

    /// Each refused field had to be gone to and mended by hand.
    void allTheNearestAreTakenInOneStep() {
        Desk desk;
        Layout layout = common();
        layout.schedule.kind = "zb-h1";
        layout.optimizer.kind = OptimizerKind::Sm3;
        layout.parallel.pipeline = 2;
        desk.document().replace(layout, {});
        QVERIFY(desk.document().faults().empty());
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        ExportWindow* preview = shownBy(window, "export.megatron");
        QVERIFY(preview && preview->refusals().rowCount() >= 2 && preview->nearestButton().isVisible());
        const auto refused = exportLayout(layout, trainer("megatron"));
        const int steps = desk.document().undoStack().count();
        QTest::mouseClick(&preview->nearestButton(), Qt::LeftButton);
        QCOMPARE(desk.document().undoStack().count(), steps + 1);
        QVERIFY(exportLayout(desk.document().layout(), trainer("megatron")));
        QVERIFY(!preview->refusals().isVisible() && preview->saveButton().isEnabled());
        // Only what was refused has changed, and each change is told.
        for (const FieldChange& change : changesBetween(layout, desk.document().layout())) {
            QVERIFY(std::ranges::any_of(refused.error(),
                                        [&](const Fault& fault) { return fault.pointer == change.pointer; }));
            QVERIFY2(preview->note().text().contains(changesText({change})), qPrintable(preview->note().text()));
        }
        desk.document().undoStack().undo();
        QVERIFY(desk.document().layout() == layout);

        // A layout with a fault is mended in Design; its faults are nothing that a trainer refuses.
        layout.model.heads = 3;
        desk.document().change(layout, QStringLiteral("heads"));
        QVERIFY(preview->refusals().isVisible() && !preview->nearestButton().isVisible());
    }

    /// Whatever is refused: what is taken stays legal, and less is refused.
    void theNearestOfAnyRefusalIsLegal_data() {
        QTest::addColumn<QString>("target");
        for (const TrainerTarget& each : trainerTargets())
            QTest::newRow(std::string(each.name).c_str()) << text(each.name);
    }
    void theNearestOfAnyRefusalIsLegal() {
        QFETCH(QString, target);
        const TrainerTarget& to = trainer(qPrintable(target));
        const auto all = presets();
        QVERIFY(all.has_value());
        int mended = 0;
        for (const Preset& preset : *all) {
            if (!check(preset.layout, scheduleMethods()).empty()) continue;
            const auto before = exportLayout(preset.layout, to);
            const Layout nearest = nearestFor(preset.layout, to);
            if (before) QVERIFY(nearest == preset.layout);
            if (nearest == preset.layout) continue;
            ++mended;
            QVERIFY(check(nearest, scheduleMethods()).empty());
            const auto after = exportLayout(nearest, to);
            QVERIFY(after || after.error().size() < before.error().size());
        }
        QVERIFY(mended > 0);
    }

    void configurationsOfOtherTrainersBecomeLayouts_data() {
        QTest::addColumn<QString>("target");
        for (const TrainerTarget& each : trainerTargets())
            if (each.read) QTest::newRow(std::string(each.name).c_str()) << text(each.name);
    }
    void configurationsOfOtherTrainersBecomeLayouts() {
        QFETCH(QString, target);
        const TrainerTarget& from = trainer(qPrintable(target));
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        Layout layout = common();
        layout.parallel.data = 4;
        layout.parallel.pipeline = 1;
        layout.schedule.kind = "gpipe";
        layout.batch.micro = 2;
        desk.document().replace(layout, {});
        for (const char* kind : {"naive", "gpipe", "1f1b"}) {  // a trainer has one of these where there is no pipeline
            layout.schedule.kind = kind;
            if (exportLayout(layout, from)) break;
        }
        const auto made = exportLayout(layout, from, {"theirs"});
        QVERIFY2(made, made ? "" : toText(made.error()).c_str());
        const auto file = desk.path(("theirs" + std::string(from.extension)).c_str());
        QVERIFY(replaceFile(file, made->text));
        for (const CompanionFile& each : made->companions)
            QVERIFY(replaceFile(desk.path(each.name.c_str()), each.text));
        window.showWorkspace(Workspace::Home);
        drop(window, file);
        const auto read = layoutFromFile(file);
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY(desk.document().layout() == read->layout);
        QCOMPARE(desk.document().layout().parallel.data, 4);
        QVERIFY(desk.document().file().empty());
        QCOMPARE(window.workspace(), Workspace::Design);
        QCOMPARE(window.messageArea().count(), read->leftOut.empty() && read->layout.cluster.pace ? 0 : 1);
        for (const Sentence& line : read->leftOut)
            QVERIFY(window.messageArea().texts().front().contains(QString::fromStdString(line.english())));
    }

    void aScriptOfSomethingElseIsRefused() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        const Layout before = desk.document().layout();
        QVERIFY(replaceFile(desk.path("backup.sh"), "tar --create /home\n"));
        drop(window, desk.path("backup.sh"));
        QVERIFY(desk.document().layout() == before);
        QCOMPARE(window.messageArea().count(), 1);
        QVERIFY(window.messageArea().texts().front().contains(QStringLiteral("another trainer")));
    }

    void whatAScriptSaysBesideIsNamed() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        QVERIFY(replaceFile(desk.path("train.sh"),
                            "torchrun --nproc-per-node 2 pretrain_gpt.py --num-layers 4 --hidden-size 64 "
                            "--num-attention-heads 4 --seq-length 64 --max-position-embeddings 64 "
                            "--micro-batch-size 1 --global-batch-size 4 --vocab-size 512 --lr 0.001 "
                            "--tensorboard-dir /tmp/board\n"));
        drop(window, desk.path("train.sh"));
        const auto read = layoutFromFile(desk.path("train.sh"));
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY(!read->leftOut.empty());
        QCOMPARE(desk.document().layout().model.layers, 4);
        QCOMPARE(window.messageArea().count(), 1);
        QVERIFY(window.messageArea().texts().front().contains(QStringLiteral("tensorboard")));
    }
};

QTEST_MAIN(ExportWindowTest)
#include "export_window_test.moc"
