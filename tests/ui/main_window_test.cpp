// SPDX-License-Identifier: GPL-3.0-or-later
// The window: every command does something, files can be dropped, nothing is lost unasked, everything is restored.
#include "desktop_fixture.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include "ui/views/layout_form/field_editor.h"
#include "ui/window/command_palette.h"
#include "ui/window/dock_panel.h"
#include "ui/window/file_actions.h"
#include "ui/window/main_window.h"
#include "ui/window/message_area.h"
#include "ui/window/overlay.h"
#include "ui/window/table_window.h"
#include "ui/window/workspace_area.h"

#include "engine/layout/layout_file.h"
#include "engine/layout/presets.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableWidget>
#include <QUndoStack>
#include <QtTest>

using namespace shardlab::test;

class MainWindowTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void foldersOfViewsAreNamedLikeTheirTitles();
    void everyCommandHasAHandlerAndItsOwnKeys();
    void everyCommandTriggers();
    void keysWork();
    void undoServesInAFieldToo();
    void paletteFindsAndTriggers();
    void keysAreWholeAndAloneOverTheWindow();
    void droppedFilesOpen();
    void unsavedChangesAreAskedFor();
    void closingWhileRunningAsksAndEndsTheRun();
    void endingNeedsNoAnswer();
    void everyViewSaysWhatToPressWhileEmpty();
    void viewsAreCopied();
    void themeSwitches();
    void presetsAreNewDocuments();
    void savedLayoutsReadBack();
    void fewerRanksBeforeTheNextFrame();

private:
    static bool press(QWidget& window, const QString& label) {
        for (auto* button : window.findChildren<QPushButton*>())
            if (button->text() == label && button->isVisible()) {
                QTest::mouseClick(button, Qt::LeftButton);
                return true;
            }
        return false;
    }
    static void drop(QWidget& window, const std::filesystem::path& file) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QString::fromStdString(file.string()))});
        QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &event);
    }
};

void MainWindowTest::foldersOfViewsAreNamedLikeTheirTitles() {
    const QMap<QString, QString> shorter{{"layout", "layout_form"}, {"notes_on_the_run", "run_notes"}};
    QStringList ids;
    for (const ViewKind& kind : viewKinds()) {
        ids.append(QString::fromLatin1(kind.id));
        const QString title = QString::fromUtf8(kind.title).toLower().replace(' ', '_');
        QCOMPARE(ids.back(), shorter.value(title, title));
    }
    ids.sort();
    QCOMPARE(QDir(QStringLiteral(SHARDLAB_SOURCE_DIR "/ui/views")).entryList(QDir::Dirs | QDir::NoDotAndDotDot), ids);
}

void MainWindowTest::everyCommandHasAHandlerAndItsOwnKeys() {
    Desk desk;
    MainWindow window(desk.workbench);
    QVERIFY2(window.commands().unbound().isEmpty(), qPrintable(window.commands().unbound().join(' ')));
    QHash<QString, QString> taken;
    for (const CommandSpec& spec : commandSpecs()) {
        QVERIFY(*spec.help);
        for (const QKeySequence& key : window.commands()[spec.id].shortcuts()) {
            QVERIFY2(!key.isEmpty(), spec.id);
            QVERIFY2(!taken.contains(key.toString()),
                     qPrintable(key.toString() + " is also of " + taken.value(key.toString())));
            taken.insert(key.toString(), QString::fromLatin1(spec.id));
        }
    }
}

void MainWindowTest::everyCommandTriggers() {
    Desk desk;
    MainWindow window(desk.workbench);
    window.show();
    for (const CommandSpec& spec : commandSpecs()) {
        if (std::string_view(spec.id) == "help.menu") continue;  // opens a menu that waits for the keyboard
        QAction& action = window.commands()[spec.id];
        QSignalSpy triggered(&action, &QAction::triggered);
        const bool enabled = action.isEnabled();
        action.trigger();
        QCOMPARE(triggered.count(), enabled ? 1 : 0);
        for (QWidget* top : QApplication::topLevelWidgets())
            if (auto* dialog = qobject_cast<QFileDialog*>(top)) dialog->close();
        QTest::qWait(5);
        desk.workbench.live().stop();  // file.listen: no run of this machine begins while it goes
    }
    QTRY_COMPARE(desk.jobs->started.load(), 1);  // run.start
    if (desk.workbench.run().active()) desk.jobs->end("stopped");
    QTRY_VERIFY(!desk.workbench.run().active());
}

void MainWindowTest::undoServesInAFieldToo() {
    Desk desk;
    MainWindow window(desk.workbench);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const Layout before = desk.document().layout();
    const auto control = [&](const char* pointer) -> QWidget& {
        return window.findChild<FieldEditor*>(QString::fromLatin1(pointer))->control();
    };
    auto& layers = static_cast<QSpinBox&>(control("/model/layers"));
    layers.setFocus();
    layers.selectAll();
    QTest::keyClicks(&layers, QStringLiteral("8"));
    QCOMPARE(desk.document().layout().model.layers, 8);
    control("/name").setFocus();  // whose own undo has nothing to take back
    QTest::keyClick(&control("/name"), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(desk.document().layout() == before);
    QCOMPARE(layers.value(), before.model.layers);
    QTest::keyClick(&control("/name"), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(desk.document().layout().model.layers, 8);
}

void MainWindowTest::keysWork() {
    Desk desk;
    MainWindow window(desk.workbench);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(window.workspace(), Workspace::Run);
    QTest::keyClick(&window, Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(window.workspace(), Workspace::Replay);
    QTest::keyClick(&window, Qt::Key_4, Qt::ControlModifier);
    QCOMPARE(window.workspace(), Workspace::Learn);
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(window.workspace(), Workspace::Design);
    Layout layout = desk.document().layout();
    const Layout before = layout;
    layout.model.layers *= 2;
    desk.document().change(layout, QStringLiteral("more layers"));
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(desk.document().layout() == before);
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(desk.document().layout() == layout);
    QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
    QCOMPARE(window.workspace(), Workspace::Run);
    QTRY_COMPARE(desk.workbench.run().state(), std::optional(RunState::Running));
    window.setFocus();
    QTest::keyClick(&window, Qt::Key_Space);
    QVERIFY(desk.jobs->told() == std::vector<Command>{Command::Pause});
    desk.jobs->say([](RunObserver& to) { to.stateChanged(RunState::Paused); });
    QTRY_COMPARE(desk.workbench.run().state(), std::optional(RunState::Paused));
    QTest::keyClick(&window, Qt::Key_Space);
    QTest::keyClick(&window, Qt::Key_Period, Qt::ControlModifier);
    const std::vector<Command> expected{Command::Pause, Command::Resume, Command::Stop};
    QVERIFY(desk.jobs->told() == expected);
    desk.jobs->end("stopped");
    QTRY_VERIFY(!desk.workbench.run().active());
}

void MainWindowTest::paletteFindsAndTriggers() {
    QVERIFY(matchesQuery("Reset arrangement", "arr re"));
    QVERIFY(!matchesQuery("Reset arrangement", "range"));
    Desk desk;
    MainWindow window(desk.workbench);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
    auto* palette = window.findChild<CommandPalette*>();
    QVERIFY(palette->isVisible());
    auto* query = palette->findChild<QLineEdit*>();
    auto* list = palette->findChild<QListWidget*>();
    QVERIFY(query->hasFocus());
    QVERIFY(list->count() > 15);
    QTest::keyClicks(query, QStringLiteral("repl"));
    QVERIFY(list->count() >= 2);
    query->clear();
    QTest::keyClicks(query, QStringLiteral("run"));  // "Share runs …" once stood before "Run this layout"
    QVERIFY2(list->item(0)->text().startsWith(QStringLiteral("Run")), qPrintable(list->item(0)->text()));
    query->clear();
    QTest::keyClicks(query, QStringLiteral("light col"));
    QCOMPARE(list->count(), 1);
    const bool dark = desk.workbench.theme().theme().dark;
    QTest::keyClick(query, Qt::Key_Return);
    QVERIFY(!palette->isVisible());
    QCOMPARE(desk.workbench.theme().theme().dark, !dark);
    window.commands()["help.keys"].trigger();
    auto* keys = window.findChild<QWidget*>(QStringLiteral("keyHelp"));
    QVERIFY(keys->isVisible());
    QTest::keyClick(keys, Qt::Key_Escape);
    QVERIFY(!keys->isVisible());
}

void MainWindowTest::keysAreWholeAndAloneOverTheWindow() {
    Desk desk;
    MainWindow window(desk.workbench);
    window.show();
    auto* keys = window.findChild<QWidget*>(QStringLiteral("keyHelp"));
    for (const QSize size : {QSize(1280, 720), QSize(2560, 1440), QSize(900, 600)}) {
        window.resize(size);
        window.commands()["help.keys"].trigger();
        QVERIFY(keys->isVisible());
        QTest::qWait(1);
        const auto* area = keys->findChild<QScrollArea*>();
        QVERIFY(!area->horizontalScrollBar()->isVisible());
        QVERIFY(area->widget()->width() <= area->viewport()->width());
        for (const QLabel* label : keys->findChildren<QLabel*>()) {
            QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
            if (!label->wordWrap()) QVERIFY2(label->width() >= label->sizeHint().width(), qPrintable(label->text()));
        }
        QScrollBar* bar = area->verticalScrollBar();
        QCOMPARE(bar->maximum() > 0, size.height() < 1000);
        bar->setValue(0);
        QTest::keyClick(keys, Qt::Key_Down);
        const int line = bar->value();
        QTest::keyClick(keys, Qt::Key_PageDown);
        if (bar->maximum() > 0) QVERIFY(line > 0 && bar->value() > line);
        QTest::keyClick(keys, Qt::Key_Escape);
    }
    window.commands()["help.keys"].trigger();
    window.commands()["help.palette"].trigger();
    int open = 0;
    for (const Overlay* overlay : window.findChildren<Overlay*>()) open += overlay->isVisible() ? 1 : 0;
    QCOMPARE(open, 1);
    QVERIFY(!keys->isVisible());
}

void MainWindowTest::droppedFilesOpen() {
    Desk desk;
    MainWindow window(desk.workbench);
    window.show();
    Layout layout;
    layout.name = "dropped";
    QVERIFY(saveLayout(layout, desk.path("dropped.layout.json")).has_value());
    drop(window, desk.path("dropped.layout.json"));
    QVERIFY(desk.document().layout() == layout);
    QCOMPARE(desk.document().file(), desk.path("dropped.layout.json"));
    QVERIFY(window.windowTitle().contains(QStringLiteral("dropped.layout.json")));
    QFile config(QString::fromStdString(desk.path("config.json").string()));
    QVERIFY(config.open(QIODevice::WriteOnly));
    config.write(R"({"model_type": "llama", "num_hidden_layers": 3, "rms_norm_eps": 1e-6, "mlp_bias": true})");
    config.close();
    drop(window, desk.path("config.json"));
    QCOMPARE(desk.document().layout().model.kind, ModelKind::Llama);
    QCOMPARE(desk.document().layout().model.layers, 3);
    QVERIFY(desk.document().file().empty());
    QCOMPARE(window.messageArea().count(), 1);
    QVERIFY(window.messageArea().texts().front().contains(QStringLiteral("mlp_bias is true")));
    desk.document().replace(layout, {});
    QCOMPARE(window.messageArea().count(), 0);
    QFile bad(QString::fromStdString(desk.path("bad.shardlab").string()));
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write("no run at all");
    bad.close();
    drop(window, desk.path("bad.shardlab"));
    QCOMPARE(window.workspace(), Workspace::Replay);
    QTRY_COMPARE(window.messageArea().count(), 1);
    QVERIFY(window.messageArea().texts().front().contains(QStringLiteral("bad.shardlab")));
}

void MainWindowTest::unsavedChangesAreAskedFor() {
    Desk desk;
    MainWindow window(desk.workbench);
    window.show();
    Layout layout = desk.document().layout();
    layout.name = "precious";
    desk.document().change(layout, QStringLiteral("name"));
    window.close();
    QVERIFY(window.isVisible());
    QCOMPARE(window.messageArea().count(), 1);
    QVERIFY(press(window, QStringLiteral("Go back")));
    QVERIFY(window.isVisible());
    QCOMPARE(window.messageArea().count(), 0);
    window.commands()["file.new"].trigger();
    QVERIFY(desk.document().layout() == layout);
    QVERIFY(press(window, QStringLiteral("Discard the changes")));
    QVERIFY(desk.document().layout() == Layout{});
    QVERIFY(window.close());
    QVERIFY(!window.isVisible());
}

void MainWindowTest::closingWhileRunningAsksAndEndsTheRun() {
    Desk desk;
    MainWindow window(desk.workbench);
    window.show();
    QVERIFY(desk.workbench.startRun());
    QTRY_COMPARE(desk.workbench.run().state(), std::optional(RunState::Running));
    window.close();
    QVERIFY(window.isVisible());
    QVERIFY(press(window, QStringLiteral("Keep running")));
    QVERIFY(desk.jobs->told().empty());
    window.close();
    QVERIFY(press(window, QStringLiteral("End the run and close")));
    QVERIFY(desk.jobs->told() == std::vector<Command>{Command::Stop});
    QVERIFY(window.isVisible());
    desk.jobs->end("stopped");
    QTRY_VERIFY(!window.isVisible());
}

void MainWindowTest::endingNeedsNoAnswer() {
    Desk desk;
    MainWindow window(desk.workbench);
    window.show();
    Layout layout = desk.document().layout();
    layout.name = "lost";
    desk.document().change(layout, QStringLiteral("name"));
    QVERIFY(desk.workbench.startRun());
    QTRY_COMPARE(desk.workbench.run().state(), std::optional(RunState::Running));
    window.endAndClose();
    QVERIFY(window.isVisible());
    desk.jobs->end("stopped");
    QTRY_VERIFY(!window.isVisible());
}

void MainWindowTest::everyViewSaysWhatToPressWhileEmpty() {
    Desk desk;
    MainWindow window(desk.workbench);
    window.show();
    for (const Workspace workspace : {Workspace::Run, Workspace::Replay}) {
        window.showWorkspace(workspace);
        int hints = 0;
        for (const DockPanel* panel : window.area(workspace).panels()) hints += panel->showsView() ? 0 : 1;
        QVERIFY2(hints > 0, qPrintable(name(workspace)));
        QVERIFY(window.area(workspace).panel("mesh")->view().emptyText().contains(
            workspace == Workspace::Run ? "Ctrl+R" : "Ctrl+O"));
    }
    const QStringList empty{"candidates", "area", "kernels", "inside"};
    for (const DockPanel* panel : window.area(Workspace::Design).panels())
        QVERIFY2(panel->showsView() != empty.contains(panel->id()), qPrintable(panel->id()));
    QVERIFY(window.area(Workspace::Design).panel("candidates")->view().emptyText().contains("Ctrl+P"));
}

void MainWindowTest::viewsAreCopied() {
    Desk desk;
    MainWindow window(desk.workbench);
    window.show();
    QTest::qWait(300);  // views draw what they copy
    for (DockPanel* panel : window.area(Workspace::Design).panels()) {
        if (!panel->showsView()) continue;
        panel->copyTable();
        const QString table = QApplication::clipboard()->text();
        QVERIFY2(table.count('\n') >= 2, qPrintable(panel->id() + ": " + table));
        panel->copyPicture();
        QVERIFY(!QApplication::clipboard()->pixmap().isNull());
        const auto file = QString::fromStdString(desk.path("view.png").string());
        QVERIFY(panel->savePicture(file));
        QVERIFY(QImage(file).width() > 2 * panel->widget()->width());
        // As a drawing: well-formed, with its words as text (more in figure_test).
        const auto drawing = QString::fromStdString(desk.path("view.svg").string());
        QVERIFY(panel->savePicture(drawing));
        QFile svg(drawing);
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(&svg);
        int texts = 0;
        QString box;
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement) continue;
            if (xml.name() == QStringLiteral("svg")) box = xml.attributes().value(QStringLiteral("viewBox")).toString();
            texts += xml.name() == QStringLiteral("text") ? 1 : 0;
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY2(box.section(QLatin1Char(' '), 2, 2).toInt() > panel->widget()->width(), qPrintable(box));
        QVERIFY2(texts > 0, qPrintable(panel->id()));
        panel->copySvg();
        QVERIFY(QApplication::clipboard()->mimeData()->data(QStringLiteral("image/svg+xml")).startsWith("<?xml"));
    }
    // And as a table to read, of the view that has the keyboard.
    window.area(Workspace::Design).panel("timeline")->view().setFocus();
    window.commands()["view.table"].trigger();
    auto* table = window.findChild<TableWindow*>();
    QVERIFY(table && table->isVisible());
    QVERIFY(table->table().rowCount() > 8);
    QCOMPARE(table->table().horizontalHeaderItem(0)->text(), QStringLiteral("rank"));
    QTest::keyClicks(&table->filterField(), QStringLiteral("0F0"));
    int shown = 0;
    for (int row = 0; row < table->table().rowCount(); ++row) shown += table->table().isRowHidden(row) ? 0 : 1;
    QVERIFY(shown > 0 && shown < table->table().rowCount());
}

void MainWindowTest::themeSwitches() {
    Desk desk;
    desk.workbench.theme().setDark(true);
    MainWindow window(desk.workbench);
    window.show();
    QSignalSpy changed(&desk.workbench.theme(), &ThemeSource::changed);
    const QColor dark = window.grab().toImage().pixelColor(window.width() - 3, 3);
    window.commands()["view.light"].trigger();
    QCOMPARE(changed.count(), 1);
    QVERIFY(window.commands()["view.light"].isChecked());
    const QColor light = window.grab().toImage().pixelColor(window.width() - 3, 3);
    QVERIFY(dark.lightness() < 60);
    QVERIFY(light.lightness() > 200);
    window.commands()["view.light"].trigger();
    QVERIFY(!window.commands()["view.light"].isChecked());
}

void MainWindowTest::presetsAreNewDocuments() {
    Desk desk;
    MainWindow window(desk.workbench);
    const auto known = presets();
    QVERIFY(known.has_value());
    QCOMPARE(window.files().presetActions().size(), known->size());
    for (std::size_t index = 0; index < known->size(); ++index) {
        window.files().presetActions()[index]->trigger();
        QVERIFY(desk.document().layout() == (*known)[index].layout);
        QVERIFY(desk.document().file().empty());
        QVERIFY(!desk.document().undoStack().canUndo());
    }
    // The command line names one, as that of shardlab does, but a file of the name comes first.
    window.files().openNamed(QStringLiteral("llama3-70b"));
    QVERIFY(desk.document().layout() == findPreset("llama3-70b")->layout);
    QVERIFY(saveLayout(findPreset("zb-h1-4")->layout, desk.path("gpipe-4")));
    const QString before = QDir::currentPath();
    QDir::setCurrent(desk.settings.folder.path());
    window.files().openNamed(QStringLiteral("gpipe-4"));
    QDir::setCurrent(before);
    QVERIFY(desk.document().layout() == findPreset("zb-h1-4")->layout);
    window.files().openNamed(QStringLiteral("no preset is called so"));
    QVERIFY(desk.document().layout() == findPreset("zb-h1-4")->layout);
    QCOMPARE(window.messageArea().count(), 1);
}

void MainWindowTest::savedLayoutsReadBack() {
    Desk desk;
    MainWindow window(desk.workbench);
    Layout layout = desk.document().layout();
    layout.name = "kept";
    desk.document().change(layout, QStringLiteral("name"));
    QVERIFY(desk.workbench.saveLayout(desk.path("kept.layout.json")));
    QVERIFY(!desk.document().unsaved());
    const auto read = readLayout(desk.path("kept.layout.json"));
    QVERIFY(read.has_value() && read->faults.empty());
    QVERIFY(read->layout == layout);
    QCOMPARE(window.files().recentActions().size(), std::size_t{1});
    QVERIFY(!desk.workbench.saveLayout(desk.path("no/such/folder/x.layout.json")));
    QCOMPARE(window.messageArea().count(), 1);
}

void MainWindowTest::fewerRanksBeforeTheNextFrame() {
    Desk desk;
    MainWindow window(desk.workbench);
    window.resize(1280, 720);
    window.show();
    QTest::qWait(100);
    for (const auto& [data, pipeline] : {std::pair{8, 1}, {1, 1}, {2, 4}, {1, 2}}) {
        Layout layout;
        layout.cluster.hosts = {{"localhost", data * pipeline}};
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        desk.workbench.newFromPreset(layout);
        QVERIFY(desk.document().planIsCurrent());
        window.resize(window.width() + 16, window.height() + 8);  // draws every view now
        window.repaint();
        QTest::qWait(20);
    }
}

QTEST_MAIN(MainWindowTest)
#include "main_window_test.moc"
