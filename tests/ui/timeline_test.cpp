// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline as a person uses it: hover, click, keys, wheel, drags, following, filter; and what it says as a table.
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "ui/core/legend.h"
#include "ui/timeline/dependencies.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"

#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

using namespace shardlab;
using namespace shardlab::test;

namespace {

struct Stand {
    sample::Bench bench;
    Plan plan;
    TimelineView view;

    explicit Stand(Workspace workspace = Workspace::Run, int steps = 4, int data = 2, int pipeline = 2)
        : bench(workspace), plan(sample::plan(sample::layout(data, pipeline, 4))), view(bench.context(), nullptr) {
        view.resize(1000, 420);
        view.show();
        if (steps > 0) sample::fill(bench.model, plan, steps, 11);
        else bench.model.begin(headerOf(plan), plan.simulation.events);
        view.plot().flush();
        canvas().setFocus();
    }
    QWidget& canvas() { return *view.plot().canvas(); }
    const TimelineState& state() { return view.plot().state(); }
    TimeRange visible() const { return bench.selection.visible(); }
    std::int64_t length() const { return visible().end - visible().begin; }
    /// The middle of where an event is drawn.
    QPoint at(const Event& event) { return eventRect(state(), event).center(); }
    Event compute(int rank, int step, std::size_t n) { return eventsOfStep(bench.model, rank, Lane::Compute, step)[n]; }
    void showStep(int step) {
        const StepExtent& extent = bench.model.steps().extents()[static_cast<std::size_t>(step)];
        bench.selection.setFollowLive(false);
        bench.selection.setVisible({extent.begin, extent.end});
        view.plot().flush();
    }
    void wheel(QPoint position, int notches, Qt::KeyboardModifiers modifiers) {
        QWheelEvent event(position, canvas().mapToGlobal(position), {}, {0, 120 * notches}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&canvas(), &event);
        view.plot().flush();
    }
    void key(Qt::Key key) {
        QTest::keyClick(&canvas(), key);
        view.plot().flush();
    }
};

}  // namespace

class TimelineTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyVisibleEventIsHit();
    void clickSelectsEverywhere();
    void legendIsWholeInANarrowPanel();
    void whatIsClickedStaysWhileTheRunGoesOn();
    void aLegendSaysThatItLeavesOut();
    void bandSelectsTheMeasured();
    void hoverIsShared();
    void keysZoomAndPan();
    void fitAndHomeAndEnd();
    void arrowsWalk();
    void wheelZoomsAtTheMouse();
    void wheelScrollsManyRanks();
    void dragPansAndShiftDragMeasures();
    void measuringMode();
    void followsLiveUntilScrolledBack();
    void designShowsOnlyThePrediction();
    void replayDoesNotRunToTheEnd();
    void filterShowsFewerRows();
    void tableMatchesTheModel();
    void subtitleTells();
    void cachedUntilSomethingChanges();
    void zoomedOutIsBounded();
    void survivesTinySizes();
};

void TimelineTest::everyVisibleEventIsHit() {
    Stand stand;
    stand.showStep(1);
    int hits = 0;
    for (int rank = 0; rank < stand.bench.model.ranks(); ++rank) {
        for (const Event& event : eventsOfStep(stand.bench.model, rank, Lane::Compute, 1)) {
            const QRect rect = eventRect(stand.state(), event);
            if (paintOf(event.kind) == Paint::None || rect.width() < 4) continue;
            const QPoint point = rect.center() - QPoint(0, rect.height() / 4);
            const auto found = eventAt(stand.bench.model, stand.view.plot().index(), stand.state().scale,
                                       stand.state().rows, point.x(), point.y());
            QVERIFY(found.has_value());
            QVERIFY(*found == event);
            ++hits;
        }
    }
    QVERIFY(hits >= 4 * 8);
    QVERIFY(!eventAt(stand.bench.model, stand.view.plot().index(), stand.state().scale, stand.state().rows, 5, 5)
                 .has_value());
}

void TimelineTest::clickSelectsEverywhere() {
    Stand stand;
    stand.showStep(1);
    const Event event = stand.compute(3, 1, 2);
    QVERIFY(paintOf(event.kind) != Paint::None);
    QSignalSpy selected(&stand.bench.selection, &Selection::eventChanged);
    QTest::mouseClick(&stand.canvas(), Qt::LeftButton, {}, stand.at(event) - QPoint(0, 4));
    QCOMPARE(selected.count(), 1);
    QVERIFY(stand.bench.selection.event() == event);
    QCOMPARE(stand.bench.selection.rank(), 3);
    QVERIFY(stand.bench.selection.cursor() >= event.begin && stand.bench.selection.cursor() <= event.end);
    stand.key(Qt::Key_Escape);
    QVERIFY(!stand.bench.selection.event());
    QCOMPARE(stand.bench.selection.cursor(), -1);
}

void TimelineTest::whatIsClickedStaysWhileTheRunGoesOn() {
    Stand stand(Workspace::Run, 0);
    const std::vector<Event> all = sample::events(stand.plan, 8, 4);
    const std::size_t half = all.size() / 2;
    stand.bench.model.append(std::span(all).first(half));
    QTest::qWait(60);
    QVERIFY(stand.bench.selection.followLive());
    QTest::mouseClick(&stand.canvas(), Qt::LeftButton, {}, stand.state().plot.center());
    QVERIFY(stand.bench.selection.cursor() >= 0);
    const TimeRange held = stand.visible();
    stand.bench.model.append(std::span(all).subspan(half));
    QTest::qWait(60);
    QVERIFY(stand.visible() == held);
}

void TimelineTest::legendIsWholeInANarrowPanel() {
    Stand stand(Workspace::Run);
    const auto* legend = stand.view.findChild<Legend*>();
    for (int width = 1200; width > 300; width -= 50) {
        stand.view.resize(width, 420);
        QTest::qWait(30);
        QCOMPARE(legend->height(), legend->heightForWidth(legend->width()));
        QVERIFY2(legend->shown(legend->width()) >= legend->shown(width - 20), qPrintable(QString::number(width)));
        QVERIFY(legend->shown(legend->width()) > 0);
    }
}

/// Names that a narrow legend had no room for were left out without a word.
void TimelineTest::aLegendSaysThatItLeavesOut() {
    Stand stand;
    std::vector<LegendItem> items;
    for (const char* name : {"forward", "backward", "comm", "optimizer", "bubble", "validation"})
        items.push_back({QString::fromLatin1(name), Qt::red});
    Legend legend(stand.bench.context().theme, Qt::AlignLeft | Qt::AlignVCenter, 2, nullptr);
    Legend shorter(stand.bench.context().theme, Qt::AlignLeft | Qt::AlignVCenter, 2, nullptr);
    legend.setItems(items);
    std::size_t before = 0;
    int cut = 0;
    for (int width = 120; width <= legend.sizeHint().width(); width += 10) {
        const std::size_t shown = legend.shown(width);
        QVERIFY(shown >= before && shown > 0);
        before = shown;
        shorter.setItems({items.begin(), items.begin() + static_cast<std::ptrdiff_t>(shown)});
        for (Legend* each : {&legend, &shorter}) each->resize(width, each->heightForWidth(width));
        const bool alike = legend.grab().toImage() == shorter.grab().toImage();
        QCOMPARE(alike, shown == items.size());
        cut += alike ? 0 : 1;
    }
    QCOMPARE(before, items.size());
    QVERIFY(cut > 3);
}

void TimelineTest::bandSelectsTheMeasured() {
    Stand stand;
    stand.showStep(2);
    const Event* forward = nullptr;
    for (const Event& event : stand.bench.model.prediction().lane(0, Lane::Compute)) {
        if (event.kind == EventKind::Forward) forward = &event;
    }
    QVERIFY(forward);
    const std::int64_t offset = predictedOffset(stand.bench.model, stand.bench.model.steps().extents()[2]);
    const Row row = stand.state().rows.row(0);
    const int x = static_cast<int>(stand.state().scale.x((forward->begin + forward->end) / 2 + offset));
    QTest::mouseClick(&stand.canvas(), Qt::LeftButton, {}, {x, row.bandTop + 1});
    QVERIFY(stand.bench.selection.event());
    QCOMPARE(stand.bench.selection.event()->action, forward->action);
    QCOMPARE(stand.bench.selection.event()->step, 2);
    const auto measured = eventsOfStep(stand.bench.model, 0, Lane::Compute, 2);
    QVERIFY(std::find(measured.begin(), measured.end(), *stand.bench.selection.event()) != measured.end());
}

void TimelineTest::hoverIsShared() {
    Stand stand;
    stand.showStep(1);
    const Event event = stand.compute(1, 1, 3);
    QTest::mouseMove(&stand.canvas(), stand.at(event) - QPoint(0, 3));
    QTRY_VERIFY(stand.bench.selection.hovered().has_value());
    QVERIFY(*stand.bench.selection.hovered() == event);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&stand.canvas(), &leave);
    QVERIFY(!stand.bench.selection.hovered());
}

void TimelineTest::keysZoomAndPan() {
    Stand stand;
    stand.showStep(1);
    const std::int64_t before = stand.length();
    stand.key(Qt::Key_W);
    QVERIFY(stand.length() < before);
    stand.key(Qt::Key_S);
    QVERIFY(std::abs(stand.length() - before) < before / 1000 + 2);
    const std::int64_t begin = stand.visible().begin;
    stand.key(Qt::Key_D);
    QVERIFY(stand.visible().begin > begin);
    stand.key(Qt::Key_A);
    QVERIFY(std::abs(stand.visible().begin - begin) <= 2);
    QCOMPARE(stand.state().scale.begin, stand.visible().begin);
    QCOMPARE(stand.state().scale.end, stand.visible().end);
}

void TimelineTest::fitAndHomeAndEnd() {
    Stand stand;
    stand.showStep(1);
    stand.key(Qt::Key_F);
    QVERIFY(stand.visible().begin <= stand.bench.model.recorded().first);
    QVERIFY(stand.visible().end >= stand.bench.model.recorded().last);
    const Event event = stand.compute(0, 2, 1);
    stand.bench.selection.select(event);
    stand.key(Qt::Key_F);
    QVERIFY(stand.visible().begin <= event.begin && stand.visible().end >= event.end);
    QVERIFY(stand.length() <= 4 * (event.end - event.begin) + 1);
    stand.key(Qt::Key_Home);
    QCOMPARE(stand.visible().begin, stand.bench.model.recorded().first);
    stand.key(Qt::Key_End);
    QVERIFY(stand.visible().end >= stand.bench.model.recorded().last);
    QVERIFY(stand.visible().begin < stand.bench.model.recorded().last);
}

void TimelineTest::arrowsWalk() {
    Stand stand;
    stand.showStep(1);
    stand.key(Qt::Key_Right);
    QVERIFY(stand.bench.selection.event());
    QCOMPARE(stand.bench.selection.event()->rank, 0);
    Event first = *stand.bench.selection.event();
    stand.key(Qt::Key_Right);
    const Event second = *stand.bench.selection.event();
    QVERIFY(second.begin >= first.end);
    QVERIFY(paintOf(second.kind) != Paint::None);
    stand.key(Qt::Key_Left);
    QVERIFY(*stand.bench.selection.event() == first);
    stand.key(Qt::Key_Down);
    QCOMPARE(stand.bench.selection.event()->rank, 1);
    stand.key(Qt::Key_Up);
    QCOMPARE(stand.bench.selection.event()->rank, 0);
    stand.key(Qt::Key_Up);
    QCOMPARE(stand.bench.selection.event()->rank, 0);
    // Walking beyond what is in sight brings it into sight.
    for (int i = 0; i < 60; ++i) stand.key(Qt::Key_Right);
    QVERIFY(stand.bench.selection.event()->begin < stand.visible().end);
    QVERIFY(stand.bench.selection.event()->end > stand.visible().begin);
}

void TimelineTest::wheelZoomsAtTheMouse() {
    Stand stand;
    stand.showStep(1);
    const QPoint mouse(stand.state().plot.left() + 300, stand.state().plot.center().y());
    const std::int64_t fixed = stand.state().scale.time(mouse.x());
    const std::int64_t before = stand.length();
    stand.wheel(mouse, 3, Qt::ControlModifier);
    QVERIFY(stand.length() < before * 0.6);
    QVERIFY(std::abs(stand.state().scale.x(fixed) - mouse.x()) < 1.5);
    stand.wheel(mouse, -3, Qt::ControlModifier);
    QVERIFY(std::abs(stand.length() - before) < before / 100);
    const std::int64_t begin = stand.visible().begin;
    stand.wheel(mouse, -1, Qt::ShiftModifier);
    QVERIFY(stand.visible().begin > begin);
}

void TimelineTest::wheelScrollsManyRanks() {
    Stand stand(Workspace::Run, 2, 16, 2);
    QVERIFY(stand.state().rows.largestScroll() > 0);
    const std::int64_t begin = stand.visible().begin;
    stand.wheel(stand.state().plot.center(), -2, {});
    QVERIFY(stand.state().rows.scroll() > 0);
    QCOMPARE(stand.visible().begin, begin);
    // Selecting a rank out of sight brings its row into sight.
    stand.bench.selection.select(stand.compute(31, 1, 1));
    stand.view.plot().flush();
    QVERIFY(!eventRect(stand.state(), eventsOfStep(stand.bench.model, 31, Lane::Compute, 0).front()).isNull() ||
            stand.state().rows.visible().back().rank == 31);
}

void TimelineTest::dragPansAndShiftDragMeasures() {
    Stand stand;
    stand.showStep(1);
    const QPoint from = stand.state().plot.center();
    const std::int64_t grabbed = stand.state().scale.time(from.x());
    QTest::mousePress(&stand.canvas(), Qt::LeftButton, {}, from);
    QTest::mouseMove(&stand.canvas(), from - QPoint(30, 0));
    QTest::mouseMove(&stand.canvas(), from - QPoint(90, 0));
    stand.view.plot().flush();
    QTest::mouseRelease(&stand.canvas(), Qt::LeftButton, {}, from - QPoint(90, 0));
    stand.view.plot().flush();
    QVERIFY(std::abs(stand.state().scale.x(grabbed) - (from.x() - 90)) < 2.5);
    QVERIFY2(!stand.bench.selection.event(), "a drag is no click");

    QTest::mousePress(&stand.canvas(), Qt::LeftButton, Qt::ShiftModifier, from);
    const std::int64_t begin = stand.state().scale.time(from.x());
    QMouseEvent move(QEvent::MouseMove, from + QPointF(120, 0), stand.canvas().mapToGlobal(from + QPointF(120, 0)),
                     Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
    QCoreApplication::sendEvent(&stand.canvas(), &move);
    QTest::mouseRelease(&stand.canvas(), Qt::LeftButton, Qt::ShiftModifier, from + QPoint(120, 0));
    QVERIFY(stand.bench.selection.area());
    QCOMPARE(stand.bench.selection.area()->begin, begin);
    QCOMPARE(stand.bench.selection.area()->end, stand.state().scale.time(from.x() + 120));
    stand.key(Qt::Key_F);
    QVERIFY(stand.length() < 2 * (stand.bench.selection.area()->end - stand.bench.selection.area()->begin));
}

void TimelineTest::measuringMode() {
    Stand stand;
    stand.showStep(1);
    const Event event = stand.compute(0, 1, 1);
    stand.bench.selection.select(event);
    stand.key(Qt::Key_M);
    QVERIFY(stand.state().measuring);
    QVERIFY(stand.bench.selection.area() == (TimeRange{event.begin, event.end}));
    stand.key(Qt::Key_M);
    QVERIFY(!stand.state().measuring);
    QVERIFY(!stand.bench.selection.area());
}

void TimelineTest::followsLiveUntilScrolledBack() {
    Stand stand(Workspace::Run, 0);
    const std::vector<Event> all = sample::events(stand.plan, 8, 4);
    const auto feed = [&](std::size_t from, std::size_t to) {
        stand.bench.model.append(std::span(all).subspan(from, to - from));
        QTest::qWait(60);
    };
    auto* follow = stand.view.findChildren<QPushButton*>().first();
    for (auto* button : stand.view.findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("Follow")) follow = button;
    }
    feed(0, all.size() / 2);
    QVERIFY(stand.bench.selection.followLive());
    QVERIFY(stand.visible().end >= stand.bench.model.recorded().last);
    QVERIFY(stand.visible().begin < stand.bench.model.recorded().last);
    QVERIFY(!follow->isVisible());
    const std::int64_t length = stand.length();
    stand.key(Qt::Key_W);
    QVERIFY2(stand.bench.selection.followLive(), "coming closer keeps the present in sight");
    QVERIFY(stand.length() < length);
    stand.key(Qt::Key_A);
    QVERIFY(!stand.bench.selection.followLive());
    QVERIFY(follow->isVisible());
    const TimeRange held = stand.visible();
    feed(all.size() / 2, all.size() * 3 / 4);
    QVERIFY(stand.visible() == held);
    QTest::mouseClick(follow, Qt::LeftButton);
    QVERIFY(stand.bench.selection.followLive());
    feed(all.size() * 3 / 4, all.size());
    QVERIFY(stand.visible().end >= stand.bench.model.recorded().last);
    QVERIFY(!follow->isVisible());
}

void TimelineTest::designShowsOnlyThePrediction() {
    Stand stand(Workspace::Design, 0);
    QVERIFY(showsPrediction(stand.bench.model));
    QCOMPARE(stand.visible().begin, 0);
    QVERIFY(stand.visible().end >= stand.bench.model.prediction().end());
    const GanttScene& scene = stand.view.plot().scene();
    std::size_t bars = 0, band = 0;
    for (const auto& batch : scene.bars) bars += batch.size();
    for (const auto& batch : scene.predicted) band += batch.size();
    QVERIFY(bars >= 4u * 8u);
    QCOMPARE(band, std::size_t{0});
    const Event event = stand.bench.model.prediction().lane(1, Lane::Compute)[2];
    QTest::mouseClick(&stand.canvas(), Qt::LeftButton, {}, stand.at(event) - QPoint(0, 3));
    QVERIFY(stand.bench.selection.event());
    QCOMPARE(stand.bench.selection.cursor(), -1);
}

void TimelineTest::replayDoesNotRunToTheEnd() {
    Stand stand(Workspace::Replay, 8);
    const StepExtent& first = stand.bench.model.steps().extents().front();
    QVERIFY(stand.visible().begin <= first.begin && stand.visible().end >= first.end);
    QVERIFY(stand.visible().end < stand.bench.model.steps().extents().back().begin);
}

void TimelineTest::filterShowsFewerRows() {
    Stand stand;
    auto* field = stand.view.findChild<QLineEdit*>();
    field->setText(QStringLiteral("1-2"));
    stand.view.plot().flush();
    QCOMPARE(stand.state().rows.ranks(), (std::vector<int>{1, 2}));
    field->clear();
    stand.view.plot().flush();
    QCOMPARE(stand.state().rows.ranks().size(), std::size_t{4});
}

void TimelineTest::tableMatchesTheModel() {
    Stand stand;
    stand.showStep(1);
    const QStringList lines = stand.view.asTable().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    const auto columns = lines.front().split(QLatin1Char('\t')).size();
    std::size_t expected = 0;
    for (int rank = 0; rank < 4; ++rank) {
        for (const Lane lane : {Lane::Compute, Lane::Comm}) {
            for (const Event& event : stand.bench.model.store().lane(rank, lane).all()) {
                if (event.end > stand.visible().begin && event.begin < stand.visible().end) ++expected;
            }
        }
    }
    QVERIFY(expected > 40);
    // Beyond the events in sight, a lane's line may begin with one that has just ended under a longer one.
    QVERIFY(static_cast<std::size_t>(lines.size()) - 1 >= expected);
    const Event event = stand.compute(2, 1, 2);
    int found = 0;
    for (const QString& line : lines) {
        QCOMPARE(line.split(QLatin1Char('\t')).size(), columns);
        const QStringList cells = line.split(QLatin1Char('\t'));
        if (cells[0] == QStringLiteral("2") && cells[3].toStdString() == toText(actionFromId(event.action)) &&
            cells[5] == QStringLiteral("1") && cells[2] == QStringLiteral("compute")) {
            if (cells[6] == QString::number(static_cast<double>(event.begin) * 1e-6 / stand.plan.costs.stretch, 'f', 6))
                ++found;
        }
    }
    QCOMPARE(found, 1);
}

void TimelineTest::subtitleTells() {
    Stand stand;
    stand.showStep(2);
    QVERIFY2(stand.view.subtitle().startsWith(QStringLiteral("step 2")), qPrintable(stand.view.subtitle()));
    QVERIFY(stand.view.subtitle().contains(QStringLiteral("× to watch")));
    Stand design(Workspace::Design, 0);
    QVERIFY(design.view.subtitle().contains(QStringLiteral("bubble")));
}

void TimelineTest::cachedUntilSomethingChanges() {
    Stand stand;
    stand.showStep(1);
    const QRect* before = stand.view.plot().scene().bars[0].data();
    const std::size_t count = stand.view.plot().scene().rectangles();
    QTest::mouseMove(&stand.canvas(), stand.state().plot.center());
    QTest::qWait(60);
    stand.bench.selection.setCursor(stand.visible().begin + 1000);
    QTest::qWait(60);
    QVERIFY(stand.view.plot().scene().bars[0].data() == before);
    QCOMPARE(stand.view.plot().scene().rectangles(), count);
    const auto widest = [&] {
        int width = 0;
        for (const auto& batch : stand.view.plot().scene().bars) {
            for (const QRect& rect : batch) width = std::max(width, rect.width());
        }
        return width;
    };
    const int narrow = widest();
    stand.key(Qt::Key_W);
    QVERIFY2(widest() > narrow, "a new range is drawn anew");
}

void TimelineTest::zoomedOutIsBounded() {
    Stand stand(Workspace::Run, 300);
    stand.key(Qt::Key_F);
    std::size_t events = 0;
    for (int rank = 0; rank < 4; ++rank) events += stand.bench.model.store().lane(rank, Lane::Compute).all().size();
    const std::size_t columns = static_cast<std::size_t>(stand.state().plot.width()) * 4;
    QVERIFY(events > 10 * columns / 4);
    QVERIFY2(stand.view.plot().scene().rectangles() < columns * 6,
             qPrintable(QString::number(stand.view.plot().scene().rectangles())));
}

void TimelineTest::survivesTinySizes() {
    Stand stand;
    for (const QSize size : {QSize(150, 90), QSize(300, 120), QSize(121, 61)}) {
        stand.view.resize(size);
        stand.view.plot().flush();
        QVERIFY(!stand.view.grab().isNull());
    }
    stand.bench.model.clear();
    stand.view.plot().flush();
    QVERIFY(!stand.view.grab().isNull());
    stand.key(Qt::Key_W);
    stand.key(Qt::Key_Right);
}

QTEST_MAIN(TimelineTest)
#include "timeline_test.moc"
