// SPDX-License-Identifier: GPL-3.0-or-later
// Comparing in the window: with the prediction, with another run; two timelines that move and select together.
#include "tests/support/places.h"
#include "tests/ui/desktop_fixture.h"
#include "tests/ui/recorded_run.h"
#include "tests/ui/sample_run.h"
#include "tests/support/wings.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/compare/linked_timelines.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

struct Stand {
    Desk desk;
    Plan plan = sample::plan(sample::layout(2, 4, 8));
    MainWindow window{desk.workbench, MainWindow::Memory::Forget};

    explicit Stand(int steps = 8) {
        recordRun(desk.path("a.shardlab"), plan, steps, 5);
        recordRun(desk.path("b.shardlab"), plan, steps + 3, 9, 2);
        window.resize(1280, 720);
        window.show();
        open("a.shardlab");
    }
    void open(const char* file) {
        desk.workbench.openRun(desk.path(file));
        QTRY_VERIFY_WITH_TIMEOUT(!desk.workbench.replay().reading(), 10000);
        QTest::qWait(60);
    }
    CompareSession& session() { return desk.workbench.compare(); }
    CompareView& view() {
        return static_cast<CompareView&>(window.area(Workspace::Replay).panel(QStringLiteral("compare"))->view());
    }
    Selection& own() { return desk.workbench.selection(Workspace::Replay); }
    RunModel& model() { return desk.workbench.model(Workspace::Replay); }
    void wait() {
        QTRY_VERIFY_WITH_TIMEOUT(!session().working(), 10000);
        QTest::qWait(80);
    }
    Event compute(int rank, int step, std::size_t n) { return eventsOfStep(model(), rank, Lane::Compute, step)[n]; }
};

}  // namespace

class CompareViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theCommandComparesWithThePrediction();
    void comparingStaysWhereOneWas();
    void twoRunsMoveTogether();
    void bothSidesShowAsMuchTimeOfTheDevices();
    void selectionMeetsItsCounterpart();
    void rowsLeadToTheirPlace();
    void whatCannotBeReadIsSaid();
    void anotherRunEndsIt();
    void commandsOfTheTimeline();
    void pictures_data();
    void pictures();
};

void CompareViewTest::theCommandComparesWithThePrediction() {
    Stand stand;
    QVERIFY(stand.window.commands()["compare.prediction"].isEnabled());
    stand.window.commands()["compare.prediction"].trigger();
    stand.wait();
    QVERIFY(stand.view().isVisible());
    QCOMPARE(stand.window.area(Workspace::Replay).filled(), QStringLiteral("compare"));
    QVERIFY(!stand.window.area(Workspace::Replay).panel(QStringLiteral("timeline"))->isVisible());
    QVERIFY(stand.session().comparison());
    QVERIFY(stand.view().predictionButton().isChecked());
    QVERIFY(stand.view().otherPlot() && stand.view().ownPlot());
    // The prediction is A and above.
    QVERIFY(stand.view().otherPlot()->mapTo(&stand.window, QPoint()).y() <
            stand.view().ownPlot()->mapTo(&stand.window, QPoint()).y());
    QVERIFY(stand.view().subtitle().contains(QStringLiteral("steps 2–7")));
    QAbstractItemModelTester tester(stand.view().table().model(),
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (int part = 0; part < comparisonParts; ++part) {
        stand.view().partChoice().setCurrentIndex(part);
        QVERIFY(stand.view().table().model()->rowCount() > 0);
    }
    QVERIFY(stand.view().asTable().contains(QStringLiteral("By layer\tlayer 7\t")));
    QTest::mouseClick(&stand.view().closeButton(), Qt::LeftButton);
    QVERIFY(!stand.window.commands()["compare.end"].isEnabled());
    QVERIFY(stand.window.area(Workspace::Replay).filled().isEmpty());
    QVERIFY(stand.window.area(Workspace::Replay).panel(QStringLiteral("memory_per_rank"))->isVisible());
}

void CompareViewTest::comparingStaysWhereOneWas() {
    Stand stand;
    const auto& steps = stand.model().steps().extents();
    const std::int64_t length = steps[4].end - steps[4].begin;
    // Several steps: that in the middle remains, with the prediction over it.
    stand.own().setVisible({steps[3].begin, steps[5].end});
    stand.session().compareWithPrediction();
    stand.wait();
    const TimeRange one = stand.own().visible();
    QVERIFY(one.begin <= steps[4].begin && one.end >= steps[4].end && one.end - one.begin < length * 6 / 5);
    const TimeRange other = stand.session().otherSelection().visible();
    QCOMPARE(other.begin - stand.model().prediction().firstForward(), one.begin - steps[4].firstForward);
    QVERIFY2(other.begin > -length / 20, "nothing lies before a prediction");
    // A part of a step, and several steps beside another run's, are left as they are.
    stand.session().end();
    stand.wait();
    QVERIFY(stand.own().visible() == one);
    const TimeRange part{steps[2].begin + length / 4, steps[2].begin + length / 2};
    stand.own().setVisible(part);
    stand.session().compareWithPrediction();
    stand.wait();
    QVERIFY(stand.own().visible() == part);
    stand.session().end();
    const TimeRange several{steps[1].begin, steps[3].end};
    stand.own().setVisible(several);
    stand.session().compareWith(stand.desk.path("b.shardlab"));
    stand.wait();
    QVERIFY(stand.own().visible() == several);
}

void CompareViewTest::twoRunsMoveTogether() {
    Stand stand;
    // The button asks for a file; the person chooses one.
    stand.window.area(Workspace::Replay).showPanel(QStringLiteral("compare"));
    stand.wait();
    QTest::mouseClick(&stand.view().runButton(), Qt::LeftButton);
    auto* dialog = stand.window.findChild<QFileDialog*>();
    QVERIFY(dialog);
    // The dialog opens where the run lies, not where the program was started.
    QCOMPARE(dialog->directory().absolutePath(), QFileInfo(stand.model().file().c_str()).absolutePath());
    Q_EMIT dialog->fileSelected(QString::fromStdString(stand.desk.path("b.shardlab").string()));
    dialog->close();
    stand.wait();
    QVERIFY2(stand.session().comparison(), stand.session().error() ? stand.session().error()->text().c_str() : "");
    QVERIFY(stand.view().runButton().isChecked());
    QVERIFY(stand.view().findChild<QLabel*>() &&
            stand.view().asTable().contains(QStringLiteral("steps only in B: 8–10")));

    Selection& own = stand.own();
    Selection& other = stand.session().otherSelection();
    const auto& ownSteps = stand.model().steps().extents();
    const auto& otherSteps = stand.session().other().steps().extents();
    own.setVisible({ownSteps[3].begin, ownSteps[3].end});
    QCOMPARE(other.visible().begin - otherSteps[3].firstForward, own.visible().begin - ownSteps[3].firstForward);
    QCOMPARE(other.visible().end - other.visible().begin, own.visible().end - own.visible().begin);
    // Keys in the other timeline move both.
    QWidget* canvas = stand.view().otherPlot()->canvas();
    canvas->setFocus();
    const TimeRange before = own.visible();
    QTest::keyClick(canvas, Qt::Key_W);
    QTest::qWait(60);
    QVERIFY(own.visible().end - own.visible().begin < before.end - before.begin);
    QVERIFY(std::abs((other.visible().end - other.visible().begin) - (own.visible().end - own.visible().begin)) <= 1);
    QTest::keyClick(canvas, Qt::Key_D);
    QTest::keyClick(canvas, Qt::Key_D);
    QTest::qWait(60);
    const std::int64_t shift = shiftBetween(stand.model(), stand.session().other(),
                                            own.visible().begin + (own.visible().end - own.visible().begin) / 2);
    QCOMPARE(other.visible().begin - own.visible().begin, shift);
}

void CompareViewTest::bothSidesShowAsMuchTimeOfTheDevices() {
    Stand stand;
    // The same layout, slowed three times as much: its steps take three times as long on its clock.
    Layout layout = sample::layout(2, 4, 8);
    layout.cluster.pace->stepSeconds *= 3;
    recordRun(stand.desk.path("slow.shardlab"), sample::plan(layout), 8, 5);
    stand.session().compareWith(stand.desk.path("slow.shardlab"));
    stand.wait();
    const auto& ownSteps = stand.model().steps().extents();
    const auto& otherSteps = stand.session().other().steps().extents();
    Selection& own = stand.own();
    Selection& other = stand.session().otherSelection();
    own.setVisible({ownSteps[3].begin, ownSteps[3].end});
    const auto length = [](const TimeRange& range) { return static_cast<double>(range.end - range.begin); };
    QVERIFY(std::abs(length(other.visible()) / length(own.visible()) - 3) < 1e-6);
    QVERIFY(other.visible().begin <= otherSteps[3].firstForward && other.visible().end > otherSteps[3].firstForward);
    QVERIFY(std::abs(3 * (ownSteps[3].firstForward - own.visible().begin) -
                     (otherSteps[3].firstForward - other.visible().begin)) <= 3);
    // A cursor a quarter of a step further on stands a quarter of a step further on there too.
    const std::int64_t quarter = (ownSteps[3].end - ownSteps[3].begin) / 4;
    own.setCursor(ownSteps[3].firstForward + quarter);
    QVERIFY(std::abs(other.cursor() - otherSteps[3].firstForward - 3 * quarter) <= 3);
    // The other timeline leads at the same ratio.
    stand.view().otherPlot()->lookAt({otherSteps[5].begin, otherSteps[5].end}, true);
    QTest::qWait(60);
    QVERIFY(std::abs(length(other.visible()) / length(own.visible()) - 3) < 1e-6);
    QVERIFY(own.visible().begin <= ownSteps[5].firstForward && own.visible().end > ownSteps[5].firstForward);
}

void CompareViewTest::selectionMeetsItsCounterpart() {
    Stand stand;
    stand.session().compareWith(stand.desk.path("b.shardlab"));
    stand.wait();
    const Event event = stand.compute(5, 3, 4);
    stand.own().select(event);
    const auto& other = stand.session().otherSelection().event();
    QVERIFY(other);
    QCOMPARE(other->action, event.action);
    QCOMPARE(other->kind, event.kind);
    QCOMPARE(other->step, 3);
    QCOMPARE(other->rank, event.rank);
    // And back, by a click into the other timeline.
    const Event second = eventsOfStep(stand.session().other(), 1, Lane::Compute, 3)[2];
    stand.session().otherSelection().select(second);
    QVERIFY(stand.own().event());
    QCOMPARE(stand.own().event()->action, second.action);
    QCOMPARE(stand.own().event()->rank, second.rank);
    stand.session().compareWithPrediction();
    stand.wait();
    stand.own().select(event);
    QVERIFY(stand.session().otherSelection().event());
    QCOMPARE(stand.session().otherSelection().event()->action, event.action);
}

void CompareViewTest::rowsLeadToTheirPlace() {
    Stand stand;
    stand.session().compareWith(stand.desk.path("b.shardlab"));
    stand.wait();
    QTableView& table = stand.view().table();
    const RunComparison::Difference first = stand.session().comparison()->largest.front();
    // An action's name has words beside it.
    const QString shown = table.model()->index(0, 0).data().toString();
    QVERIFY2(shown.contains(QString::fromStdString(std::string(name(first.kind)))) && shown.contains("rank 2"),
             qPrintable(shown));
    QCOMPARE(first.rankA, 2);  // the slow one
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(0, 0)).center());
    QVERIFY(stand.own().event());
    QCOMPARE(stand.own().event()->action, first.action);
    QCOMPARE(stand.own().event()->step, first.worstStep);
    stand.view().partChoice().setCurrentIndex(static_cast<int>(ComparisonPart::Steps));
    table.setCurrentIndex(table.model()->index(1, 0));
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_Return);
    const StepExtent& step = stand.model().steps().extents()[1];
    QVERIFY(stand.own().visible().begin < step.begin && stand.own().visible().end > step.end);
}

void CompareViewTest::whatCannotBeReadIsSaid() {
    Stand stand;
    stand.session().compareWith(stand.desk.path("none.shardlab"));
    stand.wait();
    QVERIFY(stand.session().error());
    QVERIFY(!stand.session().comparison());
    bool said = false;
    for (const QLabel* label : stand.view().findChildren<QLabel*>())
        said = said || (label->isVisible() && label->text().contains(QStringLiteral("none.shardlab")));
    QVERIFY(said);
}

void CompareViewTest::anotherRunEndsIt() {
    Stand stand;
    stand.session().compareWith(stand.desk.path("b.shardlab"));
    stand.window.area(Workspace::Replay).showPanel(QStringLiteral("timeline"));
    QTest::qWait(60);
    stand.open("b.shardlab");
    QCOMPARE(int(stand.session().with()), int(CompareSession::With::Nothing));
    QVERIFY(stand.session().other().empty());
}

void CompareViewTest::commandsOfTheTimeline() {
    Stand stand;
    Commands& commands = stand.window.commands();
    commands["timeline.find"].trigger();
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(field && field->isVisible());
    QCOMPARE(field->accessibleName(), QStringLiteral("Find events"));
    QVERIFY(!commands["timeline.nextHit"].isEnabled());
    QTest::keyClicks(field, QStringLiteral("2B3"));
    stand.desk.workbench.events(Workspace::Replay).finish();
    QVERIFY(commands["timeline.nextHit"].isEnabled());
    commands["timeline.nextHit"].trigger();
    QVERIFY(stand.own().event());
    QCOMPARE(toText(actionFromId(stand.own().event()->action)), std::string("2B3"));
    const int rank = stand.own().event()->rank;
    commands["timeline.pin"].trigger();
    QCOMPARE(stand.own().pinned(), (std::vector<int>{rank}));
    QVERIFY(commands["timeline.pin"].isChecked());
    commands["timeline.group"].trigger();
    QVERIFY(stand.own().grouping() == Axis::Pipeline);
    commands["timeline.group"].trigger();
    QVERIFY(stand.own().grouping() == Axis::Data);
    commands["timeline.group"].trigger();
    QVERIFY(!stand.own().grouping());
    commands["timeline.step"].trigger();
    QCOMPARE(qobject_cast<QWidget*>(QApplication::focusWidget())->accessibleName(), QStringLiteral("Step in sight"));
}

void CompareViewTest::pictures_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QString>("with");
    for (const bool dark : {true, false})
        for (const QSize size : {QSize(1280, 720), QSize(2560, 1440)})
            for (const char* with : {"prediction", "run"})
                QTest::addRow("compare-%s-%d-%s", dark ? "dark" : "light", size.width(), with)
                    << dark << size << QString::fromLatin1(with);
    QTest::addRow("compare-dark-1280-error") << true << QSize(1280, 720) << QStringLiteral("error");
}

void CompareViewTest::pictures() {
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    QFETCH(QString, with);
    Stand stand;
    stand.desk.workbench.theme().setDark(dark);
    stand.window.resize(size);
    if (with == QLatin1String("prediction")) stand.session().compareWithPrediction();
    else stand.session().compareWith(stand.desk.path(with == QLatin1String("run") ? "b.shardlab" : "none.shardlab"));
    stand.wait();
    stand.own().setCursor(-1);
    stand.own().select(stand.compute(2, 3, 9));
    const StepExtent& step = stand.model().steps().extents()[3];
    stand.own().setVisible({step.begin, step.end});
    QTest::qWait(300);
    const QString folder = QStringLiteral(SHARDLAB_BIN_DIR "/../pictures");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(stand.window.grab().save(folder + QLatin1Char('/') + QString::fromLatin1(QTest::currentDataTag()) +
                                     QStringLiteral(".png")));
}

QTEST_MAIN(CompareViewTest)
#include "compare_view_test.moc"
