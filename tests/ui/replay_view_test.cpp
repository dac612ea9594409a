// SPDX-License-Identifier: GPL-3.0-or-later
// Replay's player with a clock of the test's own, and the controls that drive it.
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "ui/core/child.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/replay/player.h"
#include "ui/views/replay/replay_view.h"

#include <QApplication>
#include <QComboBox>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>

using namespace shardlab;
using namespace shardlab::test;

class ReplayViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup() { bench_.reset(); }
    void playsAtItsSpeed_data();
    void playsAtItsSpeed();
    void speedMayChangeWhilePlaying();
    void stopsAtTheEndAndBeginsAnew();
    void aReplayOpensAtItsEnd();
    void stepsForthAndBack();
    void playingGoesOnFromAClickElsewhere();
    void keepsTheCursorInSight();
    void controlsDriveThePlayer();
    void aShortTraceIsReadInParts();
    void aClickOnTheBarGoesThere();
    void nothingOpenNothingPlays();
    void keysServeInTheWholeWindow();

private:
    std::unique_ptr<sample::Bench> bench_;
    std::int64_t now_ = 0;
};

void ReplayViewTest::init() {
    now_ = 5'000;
    bench_ = std::make_unique<sample::Bench>(Workspace::Replay);
    sample::fill(bench_->model, sample::plan(sample::layout(1, 2, 4)), 6, 9);
    bench_->selection.setVisible({0, bench_->model.recorded().last / 3});
}

void ReplayViewTest::playsAtItsSpeed_data() {
    QTest::addColumn<double>("speed");
    for (const double speed : {0.1, 1.0, 5.0}) QTest::addRow("%g", speed) << speed;
}

void ReplayViewTest::playsAtItsSpeed() {
    QFETCH(double, speed);
    Player player(
        bench_->model, bench_->selection, [this] { return now_; }, nullptr);
    player.setSpeed(speed);
    player.play();
    QVERIFY(player.playing());
    QCOMPARE(bench_->selection.cursor(), bench_->model.recorded().first);
    for (int frame = 1; frame <= 10; ++frame) {
        now_ += 33'000'000;
        player.tick();
        QCOMPARE(bench_->selection.cursor(),
                 bench_->model.recorded().first + static_cast<std::int64_t>(frame * 33'000'000 * speed));
    }
    player.pause();
    const std::int64_t held = bench_->selection.cursor();
    now_ += 1'000'000'000;
    player.tick();
    QCOMPARE(bench_->selection.cursor(), held);
    player.play();
    now_ += 10'000'000;
    player.tick();
    QCOMPARE(bench_->selection.cursor(), held + static_cast<std::int64_t>(10'000'000 * speed));
}

void ReplayViewTest::speedMayChangeWhilePlaying() {
    Player player(
        bench_->model, bench_->selection, [this] { return now_; }, nullptr);
    player.play();
    now_ += 100'000'000;
    player.setSpeed(10);
    QCOMPARE(bench_->selection.cursor(), bench_->model.recorded().first + 100'000'000);
    now_ += 50'000'000;
    player.tick();
    QCOMPARE(bench_->selection.cursor(), bench_->model.recorded().first + 600'000'000);
}

void ReplayViewTest::stopsAtTheEndAndBeginsAnew() {
    Player player(
        bench_->model, bench_->selection, [this] { return now_; }, nullptr);
    QSignalSpy state(&player, &Player::stateChanged);
    player.setSpeed(100);
    player.play();
    now_ += 3'600'000'000'000;
    player.tick();
    QVERIFY(!player.playing());
    QCOMPARE(bench_->selection.cursor(), bench_->model.recorded().last);
    QCOMPARE(state.count(), 3);
    player.play();
    QCOMPARE(bench_->selection.cursor(), bench_->model.recorded().first);
}

void ReplayViewTest::aReplayOpensAtItsEnd() {
    sample::Bench bench(Workspace::Replay);
    TimelinePlot plot(bench.context(), nullptr);
    Player player(
        bench.model, bench.selection, [this] { return now_; }, nullptr);
    const Plan plan = sample::plan(sample::layout(1, 2, 4));
    sample::fill(bench.model, plan, 9, 4);
    QTest::qWait(100);
    // What figures speak of where no moment is chosen is what is in sight.
    QCOMPARE(player.position(), bench.model.recorded().last);
    QVERIFY(bench.selection.visible().end >= bench.model.recorded().last);
    QVERIFY(bench.selection.visible().begin > bench.model.steps().extents()[3].begin);
    // Who has looked elsewhere is left there while more is read.
    const TimeRange chosen{bench.model.steps().extents()[1].begin, bench.model.steps().extents()[2].end};
    bench.selection.setVisible(chosen);
    Event later = bench.model.store().lane(0, Lane::Compute).all().back();
    later.begin = later.end = bench.model.recorded().last + 1'000'000'000;
    bench.model.append(std::vector<Event>{later});
    QTest::qWait(100);
    QVERIFY(bench.selection.visible() == chosen);
}

void ReplayViewTest::stepsForthAndBack() {
    Player player(
        bench_->model, bench_->selection, [this] { return now_; }, nullptr);
    const auto& steps = bench_->model.steps().extents();
    player.seek(bench_->model.recorded().first);
    for (const StepExtent& step : steps) {
        player.step(1);
        QCOMPARE(bench_->selection.cursor(), step.begin);
    }
    player.step(1);
    QCOMPARE(bench_->selection.cursor(), bench_->model.recorded().last);
    player.step(-1);
    QCOMPARE(bench_->selection.cursor(), steps.back().begin);
    player.step(-1);
    QCOMPARE(bench_->selection.cursor(), steps[steps.size() - 2].begin);
    player.seek(steps[2].begin + 1000);
    player.step(-1);
    QCOMPARE(bench_->selection.cursor(), steps[2].begin);
    player.seek(-5);
    QCOMPARE(bench_->selection.cursor(), bench_->model.recorded().first);
}

void ReplayViewTest::playingGoesOnFromAClickElsewhere() {
    Player player(
        bench_->model, bench_->selection, [this] { return now_; }, nullptr);
    player.play();
    now_ += 40'000'000;
    player.tick();
    const std::int64_t clicked = bench_->model.steps().extents()[3].begin;
    bench_->selection.setCursor(clicked);
    now_ += 20'000'000;
    player.tick();
    now_ += 20'000'000;
    player.tick();
    QCOMPARE(bench_->selection.cursor(), clicked + 20'000'000);
}

void ReplayViewTest::keepsTheCursorInSight() {
    Player player(
        bench_->model, bench_->selection, [this] { return now_; }, nullptr);
    player.setSpeed(5);
    player.play();
    const std::int64_t length = bench_->selection.visible().end - bench_->selection.visible().begin;
    while (player.playing()) {
        now_ += 33'000'000;
        player.tick();
        const TimeRange visible = bench_->selection.visible();
        QVERIFY(bench_->selection.cursor() >= visible.begin && bench_->selection.cursor() <= visible.end);
        QCOMPARE(visible.end - visible.begin, length);
    }
    player.seek(bench_->model.recorded().first);
    QVERIFY(bench_->selection.visible().begin <= bench_->model.recorded().first);
}

void ReplayViewTest::controlsDriveThePlayer() {
    ReplayView view(bench_->context(), nullptr);
    view.resize(900, 52);
    view.show();
    view.flush();
    QTest::mouseClick(&view.playButton(), Qt::LeftButton);
    QVERIFY(view.player().playing());
    QCOMPARE(view.playButton().accessibleName(), QStringLiteral("Pause"));
    QVERIFY(QTest::qWaitForWindowActive(&view));
    QTest::keyClick(&view, Qt::Key_Space);
    QVERIFY(!view.player().playing());
    view.slider().setValue(view.slider().maximum() / 2);
    const std::int64_t middle = (bench_->model.recorded().first + bench_->model.recorded().last) / 2;
    QVERIFY(std::abs(bench_->selection.cursor() - middle) < 2);
    view.speedBox().setCurrentIndex(0);
    QCOMPARE(view.player().speed(), 0.1);
    view.speedBox().setCurrentIndex(view.speedBox().count() - 1);
    QCOMPARE(view.player().speed(), 100.0);
    bench_->selection.setCursor(bench_->model.steps().extents()[4].begin);
    view.flush();
    QVERIFY2(view.moment().endsWith(QStringLiteral("step 4")), qPrintable(view.moment()));
    QTest::keyClick(&view, Qt::Key_Period);
    QCOMPARE(bench_->selection.cursor(), bench_->model.steps().extents()[5].begin);
    QTest::keyClick(&view, Qt::Key_Comma);
    QCOMPARE(bench_->selection.cursor(), bench_->model.steps().extents()[4].begin);
    QVERIFY(view.asTable().contains(view.moment()));
}

/// A trace of 8.8 ms was scrubbed through in whole milliseconds.
void ReplayViewTest::aShortTraceIsReadInParts() {
    const Plan plan = sample::plan(sample::layout(1, 2, 4));
    std::vector<Event> events = sample::events(plan, 3, 7);
    const std::int64_t last = std::ranges::max(events, {}, &Event::end).end;
    for (Event& event : events) {
        event.begin = event.begin * 8'800'000 / last;
        event.end = event.end * 8'800'000 / last;
    }
    sample::Bench bench(Workspace::Replay);
    bench.model.begin(headerOf(plan), plan.simulation.events);
    bench.model.append(events);
    ReplayView view(bench.context(), nullptr);
    QSet<QString> moments;
    for (int part = 0; part <= 100; ++part) {
        view.slider().setValue(view.slider().maximum() * part / 100);
        moments.insert(view.moment());
    }
    QVERIFY2(moments.size() >= 100, qPrintable(QStringList(moments.begin(), moments.end()).join('\n')));
}

void ReplayViewTest::keysServeInTheWholeWindow() {
    QWidget window;
    ReplayView view(bench_->context(), &window);
    auto* neighbour = child<QWidget>(&window);
    neighbour->setFocusPolicy(Qt::StrongFocus);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    neighbour->setFocus();
    QTest::keyClick(neighbour, Qt::Key_Space);
    QVERIFY(view.player().playing());
    view.hide();
    QTest::keyClick(neighbour, Qt::Key_Space);
    QVERIFY2(view.player().playing(), "a view that is not shown takes no keys");
}

void ReplayViewTest::aClickOnTheBarGoesThere() {
    ReplayView view(bench_->context(), nullptr);
    view.resize(900, 52);
    view.show();
    view.flush();
    QSlider& slider = view.slider();
    const std::int64_t first = bench_->model.recorded().first, whole = bench_->model.recorded().last - first;
    const auto at = [&](double share) { return QPoint(static_cast<int>(share * slider.width()), slider.height() / 2); };
    // Half a handle at either end is no place of the run, and a click on the handle leaves it where it is.
    constexpr double handle = 24;  // pixels, at most
    const auto isAt = [&](double share) {
        const double there = static_cast<double>(bench_->selection.cursor() - first) / static_cast<double>(whole);
        return std::abs(there - share) < handle / slider.width();
    };
    for (const double share : {0.5, 0.9, 0.2, 0.21, 0.75}) {
        QTest::mouseClick(&slider, Qt::LeftButton, {}, at(share));
        QVERIFY2(isAt(share), qPrintable(QString::number(share)));
        view.flush();
    }
    QTest::mousePress(&slider, Qt::LeftButton, {}, at(0.3));
    QVERIFY(isAt(0.3));
    for (const double share : {0.35, 0.6, 0.45}) {
        QMouseEvent move(QEvent::MouseMove, at(share), slider.mapToGlobal(at(share)), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(&slider, &move);
        QVERIFY2(isAt(share), qPrintable(QString::number(share)));
    }
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, at(0.45));
    QVERIFY(!slider.isSliderDown());
    QVERIFY(isAt(0.45));
    // The handle is taken where it is, and a key is a small step.
    const std::int64_t before = bench_->selection.cursor();
    QTest::keyClick(&slider, Qt::Key_Right);
    QVERIFY(bench_->selection.cursor() > before && bench_->selection.cursor() < before + whole / 100);
}

void ReplayViewTest::nothingOpenNothingPlays() {
    bench_->model.clear();
    ReplayView view(bench_->context(), nullptr);
    view.show();
    QVERIFY(!view.playButton().isEnabled());
    QVERIFY(!view.slider().isEnabled());
    view.player().play();
    QVERIFY(!view.player().playing());
    view.player().step(1);
}

QTEST_MAIN(ReplayViewTest)
#include "replay_view_test.moc"
