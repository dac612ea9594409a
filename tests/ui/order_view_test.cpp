// SPDX-License-Identifier: GPL-3.0-or-later
// The order of a schedule in Design: seen, dragged, moved and typed with the keyboard, opened and saved; every edit a
// step of the document, judged and predicted like any other.
#include "desktop_fixture.h"

#include "tests/support/places.h"
#include "tests/support/wings.h"
#include "ui/core/field_words.h"
#include "ui/core/words.h"
#include "ui/views/order/order_view.h"
#include "ui/views/order/order_grid.h"

#include "engine/layout/schedule/custom.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolTip>
#include <QUndoStack>
#include <QtTest>

using namespace shardlab::test;

namespace {

Layout layoutOf(const std::string& kind, int ranks, int chunks, int microbatches) {
    Layout layout;
    layout.model.layers = ranks * chunks;
    layout.cluster.hosts[0].devices = ranks;
    layout.parallel.data = 1;
    layout.parallel.pipeline = ranks;
    layout.schedule.kind = kind;
    layout.schedule.chunks = chunks;
    layout.batch = {microbatches, 1};
    return layout;
}

}  // namespace

class OrderViewTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<Desk> desk_;
    std::unique_ptr<OrderView> view_;

    OrderGrid& grid() { return view_->grid(); }
    Document& document() { return desk_->document(); }
    const std::vector<std::string>& lines() { return document().layout().schedule.actions; }
    QPushButton& button(const char* begin) {
        for (auto* found : view_->findChildren<QPushButton*>())
            if (found->text().startsWith(QLatin1String(begin))) return *found;
        qFatal("no button %s", begin);
    }
    QPoint middle(int rank, int position) { return grid().cellRect({rank, position}).center(); }
    /// Presses on an action and moves in small steps to a point, as a hand does.
    void drag(int rank, int position, const QPoint& to) {
        const QPoint from = middle(rank, position);
        QTest::mousePress(&grid(), Qt::LeftButton, {}, from);
        for (int part = 1; part <= 4; ++part) {
            const QPoint at = from + (to - from) * part / 4;
            QMouseEvent move(QEvent::MouseMove, at, grid().mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
            QApplication::sendEvent(&grid(), &move);
        }
    }
    void drop(const QPoint& at) { QTest::mouseRelease(&grid(), Qt::LeftButton, {}, at); }
    void byHand(const Layout& layout) {
        desk_->workbench.newFromPreset(layout);
        QTest::mouseClick(&button("Edit by hand"), Qt::LeftButton);
    }

private Q_SLOTS:
    void init() {
        desk_ = std::make_unique<Desk>();
        desk_->workbench.theme().setDark(true);
        desk_->workbench.newFromPreset(layoutOf("1f1b", 2, 1, 4));
        view_ = std::make_unique<OrderView>(desk_->workbench.context(Workspace::Design), nullptr);
        view_->resize(700, 160);
        view_->show();
        QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
    }
    void cleanup() {
        view_.reset();
        desk_.reset();
    }

    void theGeneratedOrderIsSeenAndNotMoved() {
        QVERIFY(grid().schedule().ranks == document().plan()->compute.ranks);
        QVERIFY2(view_->message().contains("1f1b"), qPrintable(view_->message()));
        const Layout before = document().layout();
        drag(0, 0, middle(0, 5));
        drop(middle(0, 5));
        QTest::keyClick(&grid(), Qt::Key_Right, Qt::ControlModifier);
        QTest::keyClick(&grid(), Qt::Key_F2);
        QVERIFY(document().layout() == before);
        QCOMPARE(document().undoStack().count(), 0);
        QVERIFY2(view_->asTable().contains("1\t1F0\t1B0\t1F1"), qPrintable(view_->asTable()));
    }

    void everyKindIsSeen() {
        for (const ScheduleMethod& method : generatedMethods()) {
            const auto open = [&](int microbatches) {
                Layout layout = layoutOf(std::string(method.name), 2, method.minChunks, microbatches);
                if (!method.flushes) layout.optimizer.clip = 0;  // several weight versions have no common norm
                desk_->workbench.newFromPreset(layout);
            };
            open(4);
            if (!document().faults().empty()) open(8);
            QVERIFY2(document().faults().empty(), method.name.data());
            QVERIFY(grid().schedule().ranks == document().plan()->compute.ranks);
            QVERIFY(!grid().grab().isNull());
            if (!button("Edit by hand").isEnabled()) continue;  // keeps several weight versions
            QTest::mouseClick(&button("Edit by hand"), Qt::LeftButton);
            QVERIFY2(document().faults().empty(), method.name.data());
            QCOMPARE(document().layout().schedule.kind, std::string("custom"));
            QTest::mouseClick(&button("Back to"), Qt::LeftButton);
            QCOMPARE(document().layout().schedule.kind, std::string(method.name));
            QVERIFY(lines().empty());
        }
    }

    void anActionIsDragged() {
        byHand(layoutOf("1f1b", 2, 1, 4));
        QCOMPARE(lines()[1], std::string("1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3"));
        const double before = document().plan()->stepSeconds;
        const std::vector<Event> predicted =
            desk_->workbench.model(Workspace::Design).prediction().lane(1, Lane::Compute);
        const QPoint to = grid().cellRect({1, 2}).topRight() + QPoint(-3, 8);  // past the middle of 1F1
        drag(1, 1, to);
        QCOMPARE(toText(grid().schedule().ranks[1][2]), std::string("1B0"));  // seen before it is dropped
        QCOMPARE(lines()[1], std::string("1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3"));
        drop(to);
        QCOMPARE(lines()[1], std::string("1F0,1F1,1B0,1B1,1F2,1B2,1F3,1B3"));
        QVERIFY(document().faults().empty());
        QVERIFY(document().plan()->stepSeconds != before);
        QVERIFY(desk_->workbench.model(Workspace::Design).prediction().lane(1, Lane::Compute) != predicted);
        QVERIFY((grid().current() == OrderPlace{1, 2}));
        document().undoStack().undo();
        QCOMPARE(lines()[1], std::string("1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3"));
        QVERIFY(grid().schedule().ranks == document().plan()->compute.ranks);
        document().undoStack().redo();
        QCOMPARE(lines()[1], std::string("1F0,1F1,1B0,1B1,1F2,1B2,1F3,1B3"));
        QVERIFY(desk_->workbench.startRun());
        QTRY_COMPARE(desk_->jobs->started.load(), 1);
        const std::scoped_lock lock(desk_->jobs->mutex);
        QVERIFY(desk_->jobs->options.layout.schedule.actions == lines());
    }

    void whatCannotRunIsMarkedWhileItIsDragged() {
        byHand(layoutOf("1f1b", 2, 1, 4));
        const QPoint to = grid().cellRect({1, 0}).topLeft() + QPoint(2, 8);
        drag(1, 1, to);
        QVERIFY2(view_->message().contains("1B0: it comes before 1F0"), qPrintable(view_->message()));
        QVERIFY(document().faults().empty());
        const QImage marked = grid().grab().toImage();
        const QColor bad = desk_->workbench.theme().theme().bad;
        int pixels = 0;
        const QRect cell = grid().cellRect({1, 0});
        for (int x = cell.left(); x <= cell.right(); ++x)
            for (int y = cell.top(); y <= cell.bottom(); ++y) pixels += marked.pixelColor(x, y) == bad;
        QVERIFY2(pixels > 20, qPrintable(QString::number(pixels)));
        QTest::keyClick(&grid(), Qt::Key_Escape);
        drop(to);
        QVERIFY(grid().schedule().ranks == document().plan()->compute.ranks);
        QCOMPARE(document().undoStack().count(), 1);  // editing by hand itself

        drag(1, 1, to);
        drop(to);
        QCOMPARE(document().faults().size(), std::size_t{1});
        QCOMPARE(document().faults().front().pointer, std::string("/schedule/actions"));
        QVERIFY(!desk_->workbench.startRun());
        QHelpEvent help(QEvent::ToolTip, middle(1, 0), grid().mapToGlobal(middle(1, 0)));
        QApplication::sendEvent(&grid(), &help);
        QVERIFY2(QToolTip::text().contains("it comes before 1F0"), qPrintable(QToolTip::text()));
        QVERIFY2(grid().accessibleDescription().contains("1B0"), qPrintable(grid().accessibleDescription()));
        document().undoStack().undo();
        QVERIFY(document().faults().empty());
    }

    void aDeadlockIsSaid() {
        byHand(layoutOf("1f1b", 2, 1, 4));
        grid().setFocus();
        grid().setCurrent({0, 2});  // 0B0, before the forward that rank 1 waits for
        QTest::keyClick(&grid(), Qt::Key_Home, Qt::ControlModifier);
        QVERIFY2(view_->message().contains("0B0"), qPrintable(view_->message()));
        document().undoStack().undo();
        grid().setCurrent({1, 6});  // 1F3, needs the last forward of rank 0, which waits for 1B0
        QTest::keyClick(&grid(), Qt::Key_Home, Qt::ControlModifier);
        QVERIFY2(view_->message().contains("deadlock"), qPrintable(view_->message()));
        QCOMPARE(document().faults().size(), std::size_t{1});
    }

    void theReasonHasALineOfItsOwn() {
        view_->resize(340, 240);
        byHand(layoutOf("1f1b", 2, 1, 4));
        QLabel* label = nullptr;
        for (auto* each : view_->findChildren<QLabel*>())
            if (each->text() == view_->message()) label = each;
        QVERIFY(label);
        grid().setFocus();
        grid().setCurrent({1, 6});
        QTest::keyClick(&grid(), Qt::Key_Home, Qt::ControlModifier);
        QVERIFY(label->text().contains("deadlock"));
        QTRY_VERIFY(label->width() > view_->width() - 30);
        QTRY_COMPARE(label->height(), 2 * label->fontMetrics().height());
        const QPushButton& below = button("Back to 1f1b");
        QVERIFY(label->mapTo(view_.get(), QPoint()).y() + label->height() <= below.mapTo(view_.get(), QPoint()).y());
        view_->grab();
        label->setText("short");
        QTRY_COMPARE(label->height(), label->fontMetrics().height());
    }

    void theKeyboardMoves() {
        byHand(layoutOf("1f1b", 2, 1, 4));
        grid().setFocus();
        QTest::keyClick(&grid(), Qt::Key_Right);
        QVERIFY((grid().current() == OrderPlace{0, 0}));
        QTest::keyClick(&grid(), Qt::Key_Down);
        QCOMPARE(grid().current().rank, 1);
        QTest::keyClick(&grid(), Qt::Key_Home);
        QTest::keyClick(&grid(), Qt::Key_Right);
        QVERIFY((grid().current() == OrderPlace{1, 1}));
        QTest::keyClick(&grid(), Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(lines()[1], std::string("1F0,1F1,1B0,1B1,1F2,1B2,1F3,1B3"));
        QVERIFY((grid().current() == OrderPlace{1, 2}));
        QTest::keyClick(&grid(), Qt::Key_Left, Qt::ControlModifier);
        QCOMPARE(lines()[1], std::string("1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3"));
        QTest::keyClick(&grid(), Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(lines()[1], std::string("1F0,1F1,1B1,1F2,1B2,1F3,1B3,1B0"));
        QVERIFY(grid().accessibleDescription().contains("backward of microbatch 0 on stage 1, pipeline rank 1"));
        QCOMPARE(document().undoStack().count(), 4);
    }

    void actionsAreTyped() {
        byHand(layoutOf("1f1b", 2, 1, 4));
        auto* line = view_->findChild<QLineEdit*>();
        const auto type = [&](OrderPlace at, const QString& text) {
            grid().setCurrent(at);
            QTest::keyClick(&grid(), Qt::Key_F2);
            QVERIFY(line->isVisible() && line->hasFocus());
            line->selectAll();
            QTest::keyClicks(line, text);
            QTest::keyClick(line, Qt::Key_Return);
        };
        view_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(view_.get()));
        type({1, 1}, "1I0,1W0");
        QVERIFY(!line->isVisible());
        QCOMPARE(lines()[1], std::string("1F0,1I0,1W0,1F1,1B1,1F2,1B2,1F3,1B3"));
        QVERIFY(document().faults().empty());
        type({1, 2}, "1Z0");
        QVERIFY(line->isVisible());
        QVERIFY2(view_->message().contains("its kind is unknown"), qPrintable(view_->message()));
        QTest::keyClick(line, Qt::Key_Escape);
        QVERIFY(!line->isVisible());
        QCOMPARE(lines()[1], std::string("1F0,1I0,1W0,1F1,1B1,1F2,1B2,1F3,1B3"));
        type({1, 2}, "0F9");
        QVERIFY2(view_->message().contains("another pipeline rank"), qPrintable(view_->message()));
        QTest::keyClick(line, Qt::Key_Escape);
        type({1, 2}, " ");
        QCOMPARE(lines()[1], std::string("1F0,1I0,1F1,1B1,1F2,1B2,1F3,1B3"));
        QVERIFY2(view_->message().contains("1W0: it is missing"), qPrintable(view_->message()));
        QVERIFY(!view_->grab().isNull());
    }

    void filesAreOpenedAndSaved() {
        byHand(layoutOf("zb-v", 2, 2, 4));
        const QString file = QString::fromStdString(desk_->path("mine.csv").string());
        view_->saveCsv(file);
        QVERIFY2(view_->message().contains("mine.csv"), qPrintable(view_->message()));
        QFile saved(file);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        QCOMPARE(saved.readAll(), QByteArray::fromStdString(toCsv(document().plan()->compute)));
        view_->saveCsv(QStringLiteral("/nowhere/at/all.csv"));
        QVERIFY2(view_->message().contains("all.csv"), qPrintable(view_->message()));

        // Another kind, with one chunk: the file brings its order and its chunks.
        desk_->workbench.newFromPreset(layoutOf("1f1b", 2, 1, 4));
        Layout layers = document().layout();
        layers.model.layers = 4;
        desk_->workbench.newFromPreset(layers);
        view_->openCsv(QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/layout/golden/torch/csv/zb-v-comms.csv"));
        QVERIFY2(document().faults().empty(), toText(document().faults()).c_str());
        QCOMPARE(document().layout().schedule.chunks, 2);
        QVERIFY2(view_->message().contains("4 RESHARD"), qPrintable(view_->message()));
        QCOMPARE(document().undoStack().count(), 1);

        const Layout before = document().layout();
        QFile wrong(QString::fromStdString(desk_->path("wrong.csv").string()));
        QVERIFY(wrong.open(QIODevice::WriteOnly));
        wrong.write("0F0,0B0\n1F0,1C0\n");
        wrong.close();
        for (const QString& name : {wrong.fileName(), QStringLiteral("/nowhere/none.csv")}) {
            view_->openCsv(name);
            QVERIFY2(view_->message().startsWith("Cannot open"), qPrintable(view_->message()));
            QVERIFY(document().layout() == before);
        }
        view_->openCsv(wrong.fileName());
        QVERIFY2(view_->message().contains("line 2, cell 2"), qPrintable(view_->message()));
    }

    /// The view was blank above a line about 0 microbatches, of which the layout says nothing.
    void whereThereIsNoOrderTheFieldIsNamed() {
        view_->resize(700, 240);
        Layout layout = layoutOf("1f1b", 2, 1, 4);
        layout.batch = {5, 2};
        desk_->workbench.newFromPreset(layout);
        QVERIFY(grid().schedule().ranks.empty() && view_->subtitle().isEmpty());
        const Fault fault = document().faults().front();
        QTRY_VERIFY2(view_->message().contains(fieldLabel(fault.pointer)) &&
                         view_->message().contains(told(fault.legal)),
                     qPrintable(view_->message()));
        QSignalSpy wanted(&document(), &Document::fieldRequested);
        QTest::mouseClick(&button("Go to the field"), Qt::LeftButton);
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.front().front().toString(), QString::fromStdString(fault.pointer));
        layout.batch = {4, 2};
        document().change(layout, QStringLiteral("mended"));
        QVERIFY(!button("Go to the field").isVisible() && grid().isVisible() && grid().schedule().ranks.size() == 2);
        QVERIFY2(view_->message().contains("1f1b"), qPrintable(view_->message()));
    }

    void unreadableLinesLeaveTheButtons() {
        Layout layout = layoutOf("custom", 2, 1, 4);
        layout.schedule.actions = {"0F0,0Q0", "1F0"};
        desk_->workbench.newFromPreset(layout);
        QVERIFY2(view_->message().contains("cell 2"), qPrintable(view_->message()));
        QVERIFY(view_->emptyText().isEmpty());
        QTest::mouseClick(&button("Back to"), Qt::LeftButton);
        QVERIFY(document().faults().empty());
        QVERIFY(grid().schedule().ranks.size() == 2);
    }

    void selectingHereSelectsThere() {
        Selection& selection = desk_->workbench.selection(Workspace::Design);
        QTest::mouseClick(&grid(), Qt::LeftButton, {}, middle(1, 3));
        QVERIFY(selection.event().has_value());
        QCOMPARE(actionFromId(selection.event()->action), grid().schedule().ranks[1][3]);
        for (const Event& event : desk_->workbench.model(Workspace::Design).prediction().lane(0, Lane::Compute))
            if (event.action == actionId({ActionKind::Backward, 0, 2})) selection.select(event);
        QCOMPARE(grid().current().rank, 0);
        QCOMPARE(toText(grid().schedule().ranks[0][static_cast<std::size_t>(grid().current().position)]),
                 std::string("0B2"));
    }

    void manyRanksAndActionsScroll() {
        byHand(layoutOf("1f1b", 64, 1, 256));
        QCOMPARE(grid().schedule().ranks.size(), std::size_t{64});
        auto* area = view_->findChild<QScrollArea*>();
        QVERIFY(area->horizontalScrollBar()->maximum() > 10'000 && area->verticalScrollBar()->maximum() > 1'000);
        grid().setCurrent({63, 500});
        QTest::keyClick(&grid(), Qt::Key_Right, Qt::ControlModifier);
        QVERIFY(grid().visibleRegion().boundingRect().contains(middle(63, 501)));
        QVERIFY(!area->grab().isNull());
    }

    void pictures_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("dark") << true;
        QTest::newRow("light") << false;
    }
    void pictures() {
        QFETCH(bool, dark);
        desk_->workbench.theme().setDark(dark);
        byHand(layoutOf("zb-h1", 4, 1, 8));
        view_->resize(900, 190);
        const QString folder = QCoreApplication::applicationDirPath() + QStringLiteral("/pictures");
        QVERIFY(QDir().mkpath(folder));
        const auto keep = [&](const char* state) {
            QTest::qWait(20);
            const QImage picture = view_->grab().toImage();
            QVERIFY(picture.save(
                QStringLiteral("%1/schedule_editor-%2-%3.png").arg(folder, state, dark ? "dark" : "light")));
            for (const EventKind kind : {EventKind::Forward, EventKind::InputGrad, EventKind::WeightGrad}) {
                int pixels = 0;
                for (int x = 0; x < picture.width(); x += 2)
                    for (int y = 0; y < picture.height(); y += 2)
                        pixels += picture.pixelColor(x, y) == desk_->workbench.theme().theme().action(kind);
                QVERIFY2(pixels > 200, state);
            }
        };
        keep("legal");
        grid().setCurrent({2, 5});
        QTest::keyClick(&grid(), Qt::Key_Home, Qt::ControlModifier);
        QVERIFY(!document().faults().empty());
        keep("illegal");
    }
};

QTEST_MAIN(OrderViewTest)
#include "order_view_test.moc"
