// SPDX-License-Identifier: GPL-3.0-or-later
// The five minutes of the manual, done as the text says: what is pressed stands in the step in bold, what is looked at
// in italics, and there is no such word that is not pressed or seen here.
#include "desktop_fixture.h"
#include "recorded_run.h"
#include "sample_run.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include "ui/views/layout_form/field_editor.h"
#include "ui/views/lesson/lesson_view.h"
#include "ui/views/home/chapter_list.h"
#include "ui/views/home/cluster_bar.h"
#include "ui/views/home/home_view.h"
#include "ui/views/home/preset_gallery.h"
#include "ui/views/home/recent_list.h"
#include "ui/views/order/order_grid.h"
#include "ui/views/order/order_view.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/window/command_palette.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include "engine/layout/presets.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QSpinBox>
#include <QtTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// The steps of the page, each on one line.
QStringList readSteps() {
    QFile file(QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/manual/10-tour.md"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    QStringList steps;
    static const QRegularExpression begin(QStringLiteral("^\\d+\\. "));
    for (const QString& line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
        if (begin.match(line).hasMatch()) steps << QString(line).remove(begin);
        else if (!steps.isEmpty() && !line.trimmed().isEmpty()) steps.back() += QLatin1Char(' ') + line.trimmed();
    }
    return steps;
}

QStringList marked(const QString& text, const char* pattern) {
    QStringList words;
    auto matches = QRegularExpression(QString::fromLatin1(pattern)).globalMatch(text);
    while (matches.hasNext()) words << matches.next().captured(1);
    return words;
}

/// A reader who does what the text says, step by step.
class Reader {
public:
    Desk desk;
    MainWindow window{desk.workbench};

    Reader() : steps_(readSteps()) {
        desk.workbench.theme().setDark(true);
        window.resize(1600, 1000);
        window.show();
    }
    /// Turns to the next step; every word of the last one must have been used.
    void next() {
        done();
        text_ = steps_.value(step_++);
        bold_ = marked(text_, "\\*\\*([^*]+)\\*\\*");
        QString without = text_;
        italic_ = marked(without.remove(QRegularExpression(QStringLiteral("\\*\\*[^*]+\\*\\*"))), "\\*([^*]+)\\*");
        code_ = marked(text_, "`([^`]+)`");
    }
    void done() {
        if (!bold_.isEmpty()) fail("nobody presses " + bold_.join(", "));
        if (!italic_.isEmpty()) fail("nobody looks at " + italic_.join(", "));
    }
    bool atTheEnd() const { return step_ == steps_.size(); }
    /// A word in bold that is no button.
    void reads(const QString& word) { take(bold_, word); }
    void press(const QString& word) {
        take(bold_, word);
        for (auto* button : window.findChildren<QAbstractButton*>()) {
            if (button->text() != word || !button->isVisible()) continue;
            if (!button->isEnabled()) fail(word + " cannot be pressed");
            return QTest::mouseClick(button, Qt::LeftButton);
        }
        fail("there is no button " + word);
    }
    /// Whether such a button can be seen.
    bool sees(const QString& word) {
        for (const auto* button : window.findChildren<QAbstractButton*>())
            if (button->text() == word && button->isVisible()) return true;
        return false;
    }
    /// A view by its title, or a text that stands in the window; a view is brought to the front by its tab.
    void lookAt(const QString& word) {
        take(italic_, word);
        for (DockPanel* panel : window.area(window.workspace()).panels())
            if (panel->windowTitle() == word) {
                panel->raise();
                return;
            }
        for (const auto* label : window.findChildren<QLabel*>())
            if (label->isVisible() && label->text() == word) return;
        fail("there is no " + word);
    }
    /// What the step has as code.
    QString code(const QString& word) {
        if (!code_.contains(word)) fail("the step does not say " + word);
        return word;
    }
    void says(const QString& words) {
        if (!text_.contains(words)) fail("the step does not say " + words);
    }
    void chooses(const QString& word) { take(italic_, word); }
    template <class Kind>
    Kind& view(const char* id) {
        return static_cast<Kind&>(window.area(window.workspace()).panel(QString::fromLatin1(id))->view());
    }
    HomeView& home() { return view<HomeView>("home"); }
    const Layout& layout() { return desk.document().layout(); }

    QStringList troubles;

private:
    void take(QStringList& words, const QString& word) {
        if (!words.removeOne(word)) fail("the step does not name " + word);
    }
    void fail(const QString& what) { troubles << QStringLiteral("step %1: ").arg(step_) + what; }

    QStringList steps_, bold_, italic_, code_;
    QString text_;
    qsizetype step_ = 0;
};

}  // namespace

class TourTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fiveMinutes() {
        Reader reader;
        Workbench& workbench = reader.desk.workbench;
        MainWindow& window = reader.window;
        QVERIFY(QTest::qWaitForWindowActive(&window));

        // 1: what app/start does.
        reader.next();
        reader.says(QStringLiteral("data 2 × pipeline 2"));
        reader.reads(QStringLiteral("bubbles"));
        const Layout first = findPreset("default")->layout;
        QVERIFY(first.parallel.data == 2 && first.parallel.pipeline == 2 && first.schedule.kind == "1f1b");
        workbench.newFromPreset(first);
        QVERIFY(workbench.startRun());
        QTRY_COMPARE(workbench.run().state(), std::optional(RunState::Running));
        const Plan plan = *workbench.document().plan();
        const std::vector<Event> events = syntheticRun(plan, 5, 3);
        reader.desk.jobs->say([&](RunObserver& to) { to.eventsArrived(events); });
        QCOMPARE(window.workspace(), Workspace::Run);
        RunModel& model = workbench.model(Workspace::Run);
        QTRY_COMPARE(model.steps().all().size(), std::size_t{5});

        // 2: a click on an action.
        reader.next();
        reader.says(QStringLiteral("the blue 3 in the row of rank 2"));
        auto& timeline = reader.view<TimelineView>("timeline");
        QTest::qWait(300);  // the newest steps come into sight
        timeline.plot().flush();
        std::optional<Event> blue;
        for (const Event& event : eventsOfStep(model, 2, Lane::Compute, 4))
            if (toText(actionFromId(event.action)) == reader.code(QStringLiteral("1F3")).toStdString()) blue = event;
        QVERIFY2(blue, "rank 2 has no 1F3");
        const QRect place = eventRect(timeline.plot().state(), *blue);
        QVERIFY2(
            place.width() > 2 && timeline.plot().canvas()->rect().contains(place.center()),
            qPrintable(
                QStringLiteral("%1 %2 %3 %4").arg(place.x()).arg(place.y()).arg(place.width()).arg(place.height())));
        QTest::mouseClick(timeline.plot().canvas(), Qt::LeftButton, {}, place.center() - QPoint(0, 4));
        const auto& selected = workbench.selection(Workspace::Run).event();
        QVERIFY2(selected == blue, selected ? toText(actionFromId(selected->action)).c_str() : "nothing is selected");
        QVERIFY(!workbench.selection(Workspace::Run).followLive());
        reader.lookAt(QStringLiteral("Selected"));
        QVERIFY(reader.view<View>("selected").asTable().contains(QStringLiteral("waited for"), Qt::CaseInsensitive));
        reader.press(QStringLiteral("Follow"));
        QVERIFY(workbench.selection(Workspace::Run).followLive());

        // 3: home, and a preset by its name.
        reader.next();
        const std::filesystem::path run = reader.desk.jobs->options.runFile;
        recordRun(run, plan, 4, 7);
        reader.press(QStringLiteral("Stop"));
        QVERIFY(reader.desk.jobs->told() == std::vector{Command::Stop});
        reader.desk.jobs->end("stopped");
        QTRY_VERIFY(!workbench.run().active());
        reader.press(QStringLiteral("Home"));
        QCOMPARE(window.workspace(), Workspace::Home);
        reader.lookAt(QStringLiteral("Recent"));
        QTRY_COMPARE(reader.home().recent().fileOf(0), QString::fromStdString(run.string()));
        QLineEdit& search = reader.home().gallery().search();
        search.setFocus();
        QTest::keyClicks(&search, reader.code(QStringLiteral("gpipe-4")));
        QTest::keyClick(&search, Qt::Key_Return);
        QVERIFY(reader.layout() == findPreset("gpipe-4")->layout);

        // 4: another schedule.
        reader.next();
        reader.reads(QStringLiteral("Design"));
        QCOMPARE(window.workspace(), Workspace::Design);
        const auto control = [&](const char* pointer) -> QWidget& {
            return window.findChild<FieldEditor*>(QString::fromLatin1(pointer))->control();
        };
        const std::int64_t kept = workbench.document().plan()->memory.front().peak;
        const double bubble = workbench.document().plan()->bubbleTheory;
        auto& kind = static_cast<QComboBox&>(control("/schedule/kind"));
        const int index = kind.findText(reader.code(QStringLiteral("1f1b")), Qt::MatchFixedString);
        QVERIFY2(index >= 0, "the field of the schedule has no 1f1b");
        kind.setCurrentIndex(index);
        QCOMPARE(reader.layout().schedule.kind, std::string("1f1b"));
        QTRY_VERIFY(workbench.document().planIsCurrent());
        QVERIFY(workbench.document().plan()->memory.front().peak < kept);
        QCOMPARE(workbench.document().plan()->bubbleTheory, bubble);
        reader.lookAt(QStringLiteral("Memory per rank"));
        reader.lookAt(QStringLiteral("Notes"));
        reader.lookAt(QStringLiteral("Answer"));
        WorkspaceArea& design = window.area(Workspace::Design);
        const QRect answer(design.panel("answer")->mapTo(&window, QPoint()), design.panel("answer")->size());
        const QRect notes(design.panel("notes")->mapTo(&window, QPoint()), design.panel("notes")->size());
        QVERIFY(notes.top() >= answer.bottom() && notes.left() == answer.left());

        // 5: smaller microbatches, and what cannot be.
        reader.next();
        reader.code(QStringLiteral("micro"));
        const auto type = [&](const char* pointer, int number) {
            auto& field = static_cast<QSpinBox&>(control(pointer));
            field.setFocus();
            field.selectAll();
            QTest::keyClicks(&field, QString::number(number));
        };
        QVERIFY(reader.layout().batch.micro > 1);
        type("/batch/micro", 1);
        QTRY_VERIFY(workbench.document().planIsCurrent());
        QVERIFY(workbench.document().plan()->bubbleTheory < bubble);
        const Layout legal = reader.layout();
        reader.says(QStringLiteral("3 pipeline stages for 4 devices"));
        QCOMPARE(rankCount(legal), 4);
        type("/parallel/pipeline", 3);
        QVERIFY(!workbench.document().faults().empty());
        QVERIFY(!workbench.document().faults().front().legal.empty());
        reader.press(QStringLiteral("Undo"));
        QVERIFY(reader.layout() == legal);

        // 6: an order by hand.
        reader.next();
        reader.lookAt(QStringLiteral("Order"));
        QTest::qWait(50);
        reader.press(QStringLiteral("Edit by hand"));
        QCOMPARE(reader.layout().schedule.kind, std::string("custom"));
        const std::vector<std::string> actions = reader.layout().schedule.actions;
        OrderGrid& grid = reader.view<OrderView>("order").grid();
        const QPoint from = grid.cellRect({0, 0}).center(), to = grid.cellRect({0, 2}).center();
        QTest::mousePress(&grid, Qt::LeftButton, {}, from);
        for (int part = 1; part <= 4; ++part) {
            const QPoint at = from + (to - from) * part / 4;
            QMouseEvent move(QEvent::MouseMove, at, grid.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
            QApplication::sendEvent(&grid, &move);
        }
        QTest::mouseRelease(&grid, Qt::LeftButton, {}, to);
        QVERIFY(reader.layout().schedule.actions != actions);

        // 7: undone, run, replayed.
        reader.next();
        reader.press(QStringLiteral("Undo"));
        QVERIFY(reader.layout().schedule.actions == actions);
        reader.press(QStringLiteral("Run this layout"));
        QTRY_COMPARE(reader.desk.jobs->started.load(), 2);
        QTRY_COMPARE(workbench.run().state(), std::optional(RunState::Running));
        recordRun(reader.desk.jobs->options.runFile, *workbench.document().plan(), 4, 7);
        reader.press(QStringLiteral("Stop"));
        reader.desk.jobs->end("stopped");
        QTRY_VERIFY(!workbench.run().active());
        reader.press(QStringLiteral("Open in Replay"));
        QCOMPARE(window.workspace(), Workspace::Replay);
        QTRY_VERIFY(workbench.model(Workspace::Replay).recorded().events > 0 && !workbench.replay().reading());
        reader.code(QStringLiteral("?"));
        QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
        QVERIFY(window.findChild<CommandPalette*>()->isVisible());
        QTest::keyClick(window.findChild<CommandPalette*>()->findChild<QLineEdit*>(), Qt::Key_Escape);

        // 8: a lesson.
        reader.next();
        reader.press(QStringLiteral("Home"));
        reader.lookAt(QStringLiteral("Learn"));
        ChapterList& chapters = reader.home().chapters();
        QTRY_VERIFY(chapters.rows().count() > 20);
        reader.chooses(QStringLiteral("The pipeline bubble"));
        const auto lesson = chapters.rows().findItems(QStringLiteral("The pipeline bubble"), Qt::MatchExactly);
        QCOMPARE(lesson.size(), 1);
        chapters.rows().setCurrentItem(lesson.front());
        QTest::keyClick(&chapters.rows(), Qt::Key_Return);
        QCOMPARE(window.workspace(), Workspace::Learn);
        QTest::qWait(50);
        reader.press(QStringLiteral("Run all"));
        QTRY_COMPARE(reader.desk.jobs->started.load(), 3);
        recordRun(reader.desk.jobs->options.runFile, *makePlan(reader.desk.jobs->options.layout), 3, 7);
        reader.desk.jobs->end("finished");
        QTRY_COMPARE(reader.desk.jobs->started.load(), 4);
        reader.desk.jobs->end("stopped");
        QTRY_VERIFY(!workbench.lessons().active());
        QCOMPARE(workbench.home().ran(QStringLiteral("bubble")).size(), 1);

        // 9: a cluster.
        reader.next();
        reader.press(QStringLiteral("Home"));
        reader.lookAt(QStringLiteral("Plan for which cluster?"));
        reader.chooses(QStringLiteral("Llama 3 8B"));
        reader.says(QStringLiteral("2 nodes of 8 H100"));
        ClusterBar& cluster = reader.home().cluster();
        cluster.model().setCurrentText(QStringLiteral("Llama 3 8B"));
        QVERIFY(cluster.nodes().value() == 2 && cluster.devices().value() == 8);
        QVERIFY(cluster.device().currentText().contains(QStringLiteral("H100")));
        QSignalSpy searched(&workbench.search(), &SearchSession::changed);
        reader.press(QStringLiteral("Plan for me"));
        QTRY_VERIFY(reader.sees(QStringLiteral("Discard the changes")));
        reader.press(QStringLiteral("Discard the changes"));
        QTRY_COMPARE(window.workspace(), Workspace::Design);
        QTRY_VERIFY(searched.count() > 0);
        QCOMPARE(reader.layout().name, std::string("Llama 3 8B"));
        reader.lookAt(QStringLiteral("Candidates"));
        workbench.search().cancel();
        reader.done();
        QVERIFY2(reader.atTheEnd(), "the page has more steps");
        QVERIFY2(reader.troubles.isEmpty(), qPrintable(reader.troubles.join(QLatin1Char('\n'))));
    }
};

QTEST_MAIN(TourTest)
#include "tour_test.moc"
