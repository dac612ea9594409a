// SPDX-License-Identifier: GPL-3.0-or-later
// Notes in the window: written with the keyboard, changed, taken away, still there when the run is opened again; and
// stragglers among the events.
#include "tests/support/places.h"
#include "tests/ui/desktop_fixture.h"
#include "tests/ui/recorded_run.h"
#include "tests/ui/sample_run.h"
#include "tests/support/wings.h"
#include "ui/views/events/events_view.h"
#include "ui/views/run_notes/run_notes_view.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QApplication>
#include <QDir>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

struct Stand {
    Desk desk;
    Plan plan = sample::plan(sample::layout(2, 4, 8));
    MainWindow window{desk.workbench, MainWindow::Memory::Forget};

    Stand() {
        recordRun(desk.path("a.shardlab"), plan, 12, 5, 2, 1.4);
        window.resize(1280, 720);
        window.show();
        open();
    }
    void open() {
        desk.workbench.openRun(desk.path("a.shardlab"));
        QTRY_VERIFY_WITH_TIMEOUT(!desk.workbench.replay().reading(), 10000);
        QTest::qWait(200);
    }
    template <class Kind>
    Kind& view(const char* id) {
        return static_cast<Kind&>(window.area(Workspace::Replay).panel(QString::fromLatin1(id))->view());
    }
    Selection& selection() { return desk.workbench.selection(Workspace::Replay); }
    RunModel& model() { return desk.workbench.model(Workspace::Replay); }
};

}  // namespace

class RunNotesViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void notesComeBack();
    void aFileThatCannotBeWrittenIsSaid();
    void notesOfAGoingRunAreKeptAtItsEnd();
    void stragglersAreNamed();
    void pictures_data();
    void pictures();
};

void RunNotesViewTest::notesComeBack() {
    Stand stand;
    const StepExtent step = stand.model().steps().extents()[4];
    stand.selection().setCursor(step.begin);
    stand.selection().setRank(3);
    stand.window.commands()["notes.add"].trigger();
    auto& view = stand.view<RunNotesView>("run_notes");
    QCOMPARE(QApplication::focusWidget(), &view.field());
    QVERIFY(!view.addButton().isEnabled());
    QTest::keyClicks(&view.field(), QStringLiteral("here it is slow"));
    QTest::keyClick(&view.field(), Qt::Key_Return);
    stand.selection().setCursor(step.end + 1000);
    view.field().setText(QStringLiteral("and here not"));
    QTest::mouseClick(&view.addButton(), Qt::LeftButton);
    QCOMPARE(view.table().rowCount(), 2);
    QVERIFY(view.subtitle().contains(QStringLiteral("2 notes")));
    stand.open();
    QCOMPARE(stand.model().notes().all().size(), std::size_t{2});
    QCOMPARE(stand.model().notes().all()[0].time, step.begin);
    QCOMPARE(stand.model().notes().all()[0].rank, 3);
    QCOMPARE(stand.model().notes().all()[0].text, std::string("here it is slow"));
    // A click goes there; a change is kept; Remove takes it away.
    stand.selection().setCursor(0);
    QTest::mouseClick(view.table().viewport(), Qt::LeftButton, {},
                      view.table().visualItemRect(view.table().item(0, 2)).center());
    QCOMPARE(stand.selection().cursor(), step.begin);
    QCOMPARE(stand.selection().rank(), 3);
    view.table().item(0, 2)->setText(QStringLiteral("changed"));
    QTRY_COMPARE(stand.model().notes().all()[0].text, std::string("changed"));
    view.table().setCurrentCell(1, 2);
    QTest::mouseClick(&view.removeButton(), Qt::LeftButton);
    stand.open();
    QCOMPARE(stand.model().notes().all().size(), std::size_t{1});
    QCOMPARE(stand.model().notes().all()[0].text, std::string("changed"));
}

void RunNotesViewTest::aFileThatCannotBeWrittenIsSaid() {
    Stand stand;
    std::filesystem::rename(stand.desk.path("a.shardlab"), stand.desk.path("elsewhere.shardlab"));
    auto& view = stand.view<RunNotesView>("run_notes");
    view.field().setText(QStringLiteral("lost?"));
    QTest::keyClick(&view.field(), Qt::Key_Return);
    QVERIFY(view.table().rowCount() == 1);
    QVERIFY(stand.model().notes().all()[0].id == 0);
}

void RunNotesViewTest::notesOfAGoingRunAreKeptAtItsEnd() {
    Stand stand;
    RunModel model;
    Selection selection;
    ViewContext context = stand.desk.workbench.context(Workspace::Run);
    ViewContext own{context.workspace, context.document, model,          selection,      context.theme,
                    context.search,    context.compare,  context.events, context.lessons};
    RunNotesView view(own, nullptr);
    model.begin(headerOf(stand.plan), stand.plan.simulation.events, stand.desk.path("a.shardlab"));
    view.field().setText(QStringLiteral("while it runs"));
    QTest::keyClick(&view.field(), Qt::Key_Return);
    QCOMPARE(model.notes().all().size(), std::size_t{1});
    QCOMPARE(model.notes().all()[0].id, std::int64_t{0});
    QVERIFY(view.subtitle().contains(QStringLiteral("when the run ends")));
    model.report().setEnd({"finished", ""});
    QVERIFY(model.notes().all()[0].id > 0);
    const auto run = RunReader::open(stand.desk.path("a.shardlab"));
    QCOMPARE((*run)->notes()->size(), std::size_t{1});
}

void RunNotesViewTest::stragglersAreNamed() {
    Stand stand;
    QVERIFY(!stand.model().steps().stragglers(true).empty());
    const Straggler& first = stand.model().steps().stragglers(true).front();
    QCOMPARE(first.rank, 2);
    QVERIFY(first.cause == StragglerCause::Compute);
    auto& events = stand.view<EventsView>("events");
    events.flush();
    QVERIFY2(events.asTable().contains(QStringLiteral("straggler rank 2 · compute")), qPrintable(events.asTable()));
}

void RunNotesViewTest::pictures_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QSize>("size");
    for (const bool dark : {true, false})
        for (const QSize size : {QSize(1280, 720), QSize(2560, 1440)})
            QTest::addRow("notes-%s-%d", dark ? "dark" : "light", size.width()) << dark << size;
}

void RunNotesViewTest::pictures() {
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    Stand stand;
    stand.desk.workbench.theme().setDark(dark);
    stand.window.resize(size);
    stand.window.area(Workspace::Replay).showPanel(QStringLiteral("run_notes"));
    auto& view = stand.view<RunNotesView>("run_notes");
    for (const int step : {2, 3}) {
        stand.selection().setCursor(stand.model().steps().extents()[static_cast<std::size_t>(step)].begin +
                                    100'000'000);
        view.field().setText(step == 2 ? QStringLiteral("rank 2 falls behind from here") : QStringLiteral("second"));
        QTest::keyClick(&view.field(), Qt::Key_Return);
    }
    const auto& extents = stand.model().steps().extents();
    stand.selection().setVisible({extents[2].begin, extents[3].end});
    stand.selection().setCursor(extents[3].end);
    QTest::qWait(350);
    const QString folder = QStringLiteral(SHARDLAB_BIN_DIR "/../pictures");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(stand.window.grab().save(folder + QLatin1Char('/') + QString::fromLatin1(QTest::currentDataTag()) +
                                     QStringLiteral(".png")));
}

QTEST_MAIN(RunNotesViewTest)
#include "run_notes_view_test.moc"
