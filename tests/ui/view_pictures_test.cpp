// SPDX-License-Identifier: GPL-3.0-or-later
// A picture of every view that watches a run, dark and light, in each of its states, for people to look at: in
// pictures/ of the build folder. Tested is what can be: the view or its hint is shown, and colours of what it has to
// show are in the picture.
#include "tests/ui/bench_context.h"
#include "tests/ui/sample_experts.h"
#include "tests/ui/sample_precision.h"
#include "tests/ui/sample_rounding.h"
#include "tests/support/wings.h"
#include "ui/window/dock_panel.h"
#include "ui/window/workspace_area.h"

#include <QApplication>
#include <QDir>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

const char* const watched[]{"replay",    "figures", "timeline", "memory_per_rank", "loss",   "loss_scale",
                            "gradients", "experts", "scales",   "selected",        "events", "counters"};

QSize sizeOf(const QString& id) {
    if (id == QLatin1String("timeline")) return {1000, 420};
    if (id == QLatin1String("figures")) return {1000, 74};
    if (id == QLatin1String("replay")) return {1000, 52};
    if (id == QLatin1String("selected") || id == QLatin1String("events")) return {300, 260};
    return {440, 240};
}

const ViewKind& kindOf(const QString& id) {
    for (const ViewKind& kind : viewKinds()) {
        if (id == QLatin1String(kind.id)) return kind;
    }
    throw std::runtime_error("no such view: " + id.toStdString());
}

/// How many pixels are about that colour.
int pixelsOf(const QImage& image, const QColor& colour) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            if (std::abs(pixel.red() - colour.red()) + std::abs(pixel.green() - colour.green()) +
                    std::abs(pixel.blue() - colour.blue()) <
                12)
                ++count;
        }
    }
    return count;
}

/// Samples of a rank's load until `end`, in percent, under the first name.
std::vector<Event> loadOf(int rank, std::int64_t end) {
    std::vector<Event> samples;
    for (int i = 0; i < 400; ++i) {
        const std::int64_t time = end / 400 * i;
        const double value = 60 + 25 * std::sin(0.2 * i + 0.1 * rank) + rank % 7;
        samples.push_back({time, time, 0, value, namedId(1), -1, static_cast<std::int16_t>(rank), Lane::Host,
                           EventKind::NamedCounter});
    }
    return samples;
}

void fillState(sample::Bench& bench, const QString& state) {
    if (state == QLatin1String("empty")) return;
    if (state == QLatin1String("prediction")) {
        const Plan plan = sample::plan(sample::layout(2, 4, 8));
        bench.model.begin(headerOf(plan), plan.simulation.events);
        return;
    }
    const bool large = state == QLatin1String("large");
    const Plan plan = sample::plan(large ? sample::halfLayout(8, 8, 16) : sample::halfLayout(2, 4, 8));
    sample::fill(bench.model, plan, large ? 12 : 20, 21);
    constexpr int overflowing[]{5, 9};
    sample::addScales(bench.model, overflowing);
    sample::addExponents(bench.model, sample::bell, 300, large ? 2 : 0);
    sample::addRounding(bench.model);
    sample::addExpertLoads(bench.model, large ? 64 : 8, 60, sample::uneven);
    bench.model.report().addName(1, "SMs Active [Throughput %], device 0");
    for (int rank = 0; rank < plan.mesh.ranks(); ++rank) bench.model.append(loadOf(rank, bench.model.recorded().last));
    for (const int step : overflowing)
        bench.model.append(std::vector<Event>{sample::overflow(bench.model, step, 2, ActionKind::Backward, 2, 1, 3)});
    const StepExtent& third = bench.model.steps().extents()[2];
    bench.model.append(
        std::vector<Event>{sample::command(third.begin, Command::Pause), sample::command(third.end, Command::Resume)});
    if (state == QLatin1String("error")) {
        const std::int64_t time = bench.model.recorded().last;
        bench.model.append(std::vector<Event>{{.begin = time,
                                               .end = time,
                                               .action = actionId({ActionKind::Forward, 1, 3}),
                                               .step = 19,
                                               .rank = 1,
                                               .lane = Lane::Host,
                                               .kind = EventKind::Fault}});
        bench.model.report().add(
            LogLine{time, 1, LogLevel::Error, "rank 1 was killed by SIGKILL at step 19, 1F3; the others were stopped"});
        bench.model.report().add(LogLine{time / 2, 3, LogLevel::Warning, "rank 3 is 14 % slower than its neighbours"});
        bench.model.report().setRank({1, "localhost", 4201, plan.mesh.label(1), "killed by SIGKILL at step 19, 1F3"});
        bench.model.report().setEnd({"failed", "rank 1 was killed by SIGKILL at step 19, 1F3"});
    }
    const auto events = eventsOfStep(bench.model, 2, Lane::Compute, 1);
    for (const Event& event : events) {
        if (event.kind == EventKind::Backward && actionFromId(event.action).microbatch == 1)
            bench.selection.select(event);
    }
}

}  // namespace

class ViewPicturesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        QVERIFY(QDir().mkpath(folder()));
        QStandardPaths::setTestModeEnabled(true);
        QVERIFY(settings_.isValid());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings_.path());
    }
    void picture_data();
    void picture();
    void smallPicture_data();
    void smallPicture();
    void wholeRun();
    void workspace_data();
    void workspace();

private:
    QTemporaryDir settings_;
    static QString folder() { return QCoreApplication::applicationDirPath() + QStringLiteral("/pictures"); }
};

void ViewPicturesTest::picture_data() {
    QTest::addColumn<QString>("view");
    QTest::addColumn<QString>("state");
    QTest::addColumn<bool>("dark");
    for (const char* view : watched) {
        for (const char* state : {"empty", "prediction", "run", "large", "error"}) {
            for (const bool dark : {true, false})
                QTest::addRow("%s %s %s", view, state, dark ? "dark" : "light") << view << state << dark;
        }
    }
}

void ViewPicturesTest::picture() {
    QFETCH(QString, view);
    QFETCH(QString, state);
    QFETCH(bool, dark);
    sample::Bench bench(view == QLatin1String("replay") ? Workspace::Replay : Workspace::Run);
    bench.theme.setDark(dark);
    DockPanel panel(kindOf(view), bench.context(), nullptr);
    panel.resize(sizeOf(view));
    panel.show();
    fillState(bench, state);
    if (state == QLatin1String("run") || state == QLatin1String("error")) {
        const StepExtent& extent = bench.model.steps().extents()[state == QLatin1String("run") ? 1 : 19];
        bench.selection.setFollowLive(false);
        if (view == QLatin1String("replay")) bench.selection.setCursor((extent.begin + extent.end) / 2);
        QTest::qWait(250);
        bench.selection.setVisible({extent.begin - 30'000'000, extent.end + 30'000'000});
    }
    QTest::qWait(300);
    const QImage image = panel.widget() ? panel.grab().toImage() : QImage();
    QVERIFY(image.save(QStringLiteral("%1/%2-%3-%4.png")
                           .arg(folder(), view, state, dark ? QStringLiteral("dark") : QStringLiteral("light"))));

    const Theme& theme = bench.theme.theme();
    if (state == QLatin1String("empty")) {
        QCOMPARE(panel.showsView(), panel.view().emptyText().isEmpty());
        QVERIFY(panel.view().emptyText().contains(QStringLiteral("Press")) || view == QLatin1String("figures") ||
                view == QLatin1String("replay"));
        return;
    }
    if (state == QLatin1String("prediction")) {
        if (view == QLatin1String("timeline")) QVERIFY(pixelsOf(image, theme.action(EventKind::Forward)) > 500);
        return;
    }
    QVERIFY(panel.showsView());
    QVERIFY(!panel.view().accessibleName().isEmpty());
    QVERIFY(panel.view().asTable().count(QLatin1Char('\n')) >= 2);
    if (view == QLatin1String("timeline")) {
        for (const EventKind kind : {EventKind::Forward, EventKind::Backward})
            QVERIFY(pixelsOf(image, theme.action(kind)) > 500);
    }
    if (view == QLatin1String("memory_per_rank"))
        QVERIFY(pixelsOf(image, theme.memory(MemoryCategory::Parameters)) > 50);
    if (view == QLatin1String("loss")) QVERIFY(pixelsOf(image, theme.action(EventKind::Loss)) > 50);
    if (view == QLatin1String("loss_scale")) {
        QVERIFY(pixelsOf(image, theme.action(EventKind::LossScale)) > 50);
        QVERIFY(pixelsOf(image, theme.action(EventKind::Overflow)) > 20);
    }
    if (view == QLatin1String("gradients")) QVERIFY(pixelsOf(image, theme.action(EventKind::GradientExponents)) > 500);
    if (view == QLatin1String("experts")) {
        QVERIFY(pixelsOf(image, theme.action(EventKind::Forward)) > 500);
        QVERIFY(pixelsOf(image, theme.action(EventKind::Overflow)) > 20);
    }
    if (view == QLatin1String("scales")) {
        QVERIFY(pixelsOf(image, theme.action(EventKind::Fp8Scale)) > 50);
        QVERIFY(pixelsOf(image, theme.action(EventKind::Fp8Saturated)) > 5);
        QVERIFY(pixelsOf(image, theme.action(EventKind::Fp8Flushed)) > 50);
    }
    if (view == QLatin1String("events") && state == QLatin1String("error")) QVERIFY(pixelsOf(image, theme.bad) > 10);
}

void ViewPicturesTest::smallPicture_data() {
    QTest::addColumn<QString>("view");
    for (const char* view : watched) QTest::addRow("%s", view) << view;
}

void ViewPicturesTest::smallPicture() {
    QFETCH(QString, view);
    sample::Bench bench(view == QLatin1String("replay") ? Workspace::Replay : Workspace::Run);
    DockPanel panel(kindOf(view), bench.context(), nullptr);
    fillState(bench, QStringLiteral("run"));
    panel.resize(view == QLatin1String("figures")  ? QSize(300, 140)
                 : view == QLatin1String("replay") ? QSize(300, 52)
                                                   : QSize(220, 170));
    panel.show();
    QTest::qWait(250);
    QVERIFY2(panel.width() <= 320, "the view can be made small");
    QVERIFY(panel.grab().save(QStringLiteral("%1/%2-small.png").arg(folder(), view)));
}

void ViewPicturesTest::wholeRun() {
    sample::Bench bench;
    DockPanel panel(kindOf(QStringLiteral("timeline")), bench.context(), nullptr);
    panel.resize(sizeOf(QStringLiteral("timeline")));
    panel.show();
    fillState(bench, QStringLiteral("run"));
    bench.selection.setFollowLive(false);
    QTest::qWait(100);
    bench.selection.setVisible({0, bench.model.recorded().last});
    QTest::qWait(100);
    QVERIFY(panel.grab().save(folder() + QStringLiteral("/timeline-whole.png")));
    bench.selection.setVisible({0, 30 * bench.model.recorded().last / 10});
    QTest::qWait(100);
    QVERIFY(panel.grab().save(folder() + QStringLiteral("/timeline-far.png")));
    QVERIFY(pixelsOf(panel.grab().toImage(), bench.theme.theme().action(EventKind::Backward)) > 200);
}

void ViewPicturesTest::workspace_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("dark") << true;
    QTest::newRow("light") << false;
}

void ViewPicturesTest::workspace() {
    QFETCH(bool, dark);
    sample::Bench bench;
    bench.theme.setDark(dark);
    WorkspaceArea area(bench.context(), nullptr);
    area.resize(1340, 810);
    area.show();
    fillState(bench, QStringLiteral("run"));
    QTest::qWait(400);
    const QImage image = area.grab().toImage();
    QVERIFY(image.save(QStringLiteral("%1/workspace-run-%2.png")
                           .arg(folder(), dark ? QStringLiteral("dark") : QStringLiteral("light"))));
    for (const EventKind kind : {EventKind::Forward, EventKind::Backward})
        QVERIFY(pixelsOf(image, bench.theme.theme().action(kind)) > 500);
}

QTEST_MAIN(ViewPicturesTest)
#include "view_pictures_test.moc"
