// SPDX-License-Identifier: GPL-3.0-or-later
// What memory, loss, figures and the inspector say, against the model they say it of.
#include "engine/base/units.h"
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "ui/core/step_chart.h"
#include "ui/core/legend.h"
#include "ui/timeline/event_text.h"
#include "ui/views/figures/card.h"
#include "ui/views/figures/figures_view.h"
#include "ui/views/selected/selected_view.h"
#include "ui/views/loss/loss_view.h"
#include "ui/views/memory_per_rank/memory_bars.h"
#include "ui/views/memory_per_rank/memory_per_rank_view.h"
#include "ui/window/dock_panel.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace shardlab;
using namespace shardlab::test;

namespace {

QList<QStringList> cells(const QString& table) {
    QList<QStringList> rows;
    for (const QString& line : table.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        rows += line.split(QLatin1Char('\t'));
    return rows;
}

}  // namespace

class RunViewsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void memoryAtTheCursorAndAtItsFullest();
    void headOfTheNextRunIsItsOwn_data();
    void headOfTheNextRunIsItsOwn();
    void memoryOfADesign();
    void memoryOnTheHost();
    void lossOfTheNextRunIsItsOwn();
    void memoryFigureNamesThePeakItStandsBeside();
    void limitCrossesNoFigure();
    void memoryClickSelectsTheRank();
    void legendTakesTwoLines();
    void noSquareOfALegendIsCut();
    void lossTableAndValues();
    void lossOverTheTimeOfTheDevices();
    void lossIsEmptyUntilMeasured();
    void figuresAreTheStepsFigures();
    void figuresStayWithinTheirCards();
    void aNumberIsReadWholeInTheNarrowestCard();
    void selectionIsShared();
};

void RunViewsTest::memoryAtTheCursorAndAtItsFullest() {
    sample::Bench bench;
    const Plan plan = sample::plan(sample::layout(2, 2, 4));
    sample::fill(bench.model, plan, 5, 2);
    MemoryPerRankView view(bench.context(), nullptr);
    view.flush();
    QVERIFY(view.subtitle().contains(QStringLiteral("step 4")));
    for (int rank = 0; rank < 4; ++rank) {
        // A scan: the largest sum right after any event of the step.
        const StepExtent& extent = bench.model.steps().extents()[4];
        std::int64_t largest = 0;
        for (const Event& event : bench.model.store().lane(rank, Lane::Compute).all()) {
            if (event.end >= extent.begin && event.end <= extent.end)
                largest = std::max(largest, total(bench.model.store().memory(rank).at(event.end)));
        }
        QCOMPARE(total(view.bars().rows()[static_cast<std::size_t>(rank)].bytes), largest);
        // The figure beside it is the step's peak, as the card has it: within an action more may be in use.
        QCOMPARE(view.bars().rows()[static_cast<std::size_t>(rank)].shown,
                 std::max(largest, bench.model.steps().at(-1)->ranks[static_cast<std::size_t>(rank)].peakBytes));
        QCOMPARE(view.bars().rows()[static_cast<std::size_t>(rank)].predictedPeak,
                 plan.memory[static_cast<std::size_t>(rank)].peak);
    }
    const std::int64_t moment = bench.model.steps().extents()[2].begin + 200'000'000;
    bench.selection.setCursor(moment);
    view.flush();
    QVERIFY(view.subtitle().contains(QStringLiteral("cursor, step 2")));
    const auto rows = cells(view.asTable());
    QCOMPARE(rows.size(), 5);
    for (int rank = 0; rank < 4; ++rank) {
        const MemoryBytes bytes = bench.model.store().memory(rank).at(moment);
        for (int category = 0; category < memoryCategoryCount; ++category)
            QCOMPARE(rows[rank + 1][2 + category].toLongLong(), qlonglong(bytes[static_cast<std::size_t>(category)]));
    }
}

void RunViewsTest::lossOfTheNextRunIsItsOwn() {
    const Plan plan = sample::plan(sample::layout(1, 2, 4));
    const auto picture = [](LossView& view) {
        view.resize(500, 260);
        view.show();
        QTest::qWait(150);
        return view.canvas()->grab().toImage();
    };
    sample::Bench first, second;
    sample::fill(first.model, plan, 4, 1);
    LossView used(first.context(), nullptr);
    const QImage before = picture(used);
    sample::fill(first.model, plan, 9, 2);  // all of it before the view's next frame
    sample::fill(second.model, plan, 9, 2);
    LossView fresh(second.context(), nullptr);
    const QImage expected = picture(fresh);
    QVERIFY(picture(used) == expected);
    QVERIFY(before != expected);
}

void RunViewsTest::headOfTheNextRunIsItsOwn_data() {
    QTest::addColumn<QString>("id");
    for (const char* id : {"memory_per_rank", "memory_over_time", "timeline", "loss"})
        QTest::addRow("%s", id) << QString::fromLatin1(id);
}

/// The same run opened again has the same head in the end, but not while its events are still to come.
void RunViewsTest::headOfTheNextRunIsItsOwn() {
    QFETCH(QString, id);
    sample::Bench bench(Workspace::Replay);
    const auto kind =
        std::ranges::find_if(viewKinds(), [&](const ViewKind& each) { return id == QLatin1String(each.id); });
    DockPanel panel(*kind, bench.context(), nullptr);
    panel.resize(600, 300);
    panel.show();
    const Plan plan = sample::plan(sample::layout(2, 2, 4));
    for (int opened = 0; opened < 2; ++opened) {
        sample::fill(bench.model, plan, 5, 2);
        QTest::qWait(150);
        // What the panel last asked its view for.
        QCOMPARE(panel.view().accessibleDescription(), panel.view().subtitle());
    }
}

void RunViewsTest::memoryOfADesign() {
    sample::Bench bench(Workspace::Design);
    const Plan plan = sample::plan(sample::layout(2, 2, 4));
    bench.document.replace(plan.layout, {});
    QVERIFY(bench.document.plan());
    bench.model.begin(headerOf(*bench.document.plan()), bench.document.plan()->simulation.events);
    MemoryPerRankView view(bench.context(), nullptr);
    view.flush();
    QCOMPARE(view.bars().rows().size(), std::size_t{4});
    for (std::size_t rank = 0; rank < 4; ++rank) {
        QVERIFY(view.bars().rows()[rank].bytes == plan.memory[rank].bytes);
        QCOMPARE(view.bars().rows()[rank].shown, plan.memory[rank].peak);
    }
}

/// An optimizer there: as planned, then as a run tells of it; a run without tells of none.
void RunViewsTest::memoryOnTheHost() {
    sample::Bench bench(Workspace::Design);
    Layout layout = sample::layout(2, 2, 4);
    layout.memory.offload = OffloadKind::Optimizer;
    const Plan plan = sample::plan(layout);
    bench.document.replace(layout, {});
    bench.model.begin(headerOf(*bench.document.plan()), bench.document.plan()->simulation.events);
    MemoryPerRankView design(bench.context(), nullptr);
    design.flush();
    for (std::size_t rank = 0; rank < 4; ++rank) {
        QVERIFY(total(plan.memory[rank].host) > 0);
        QVERIFY(design.bars().rows()[rank].host == plan.memory[rank].host);
    }
    const auto planned = cells(design.asTable());
    QCOMPARE(planned[1].last().toLongLong(), qlonglong(total(plan.memory[0].host)));

    sample::Bench measured;
    sample::fill(measured.model, sample::plan(sample::layout(2, 2, 4)), 3, 2);
    MemoryPerRankView view(measured.context(), nullptr);
    view.flush();
    QCOMPARE(total(view.bars().rows()[2].host), std::int64_t{0});
    QVERIFY(!cells(view.asTable())[0].last().contains(QStringLiteral("host")));
    const std::int64_t time = measured.model.recorded().last;
    for (const MemoryCategory category : {MemoryCategory::Gradients, MemoryCategory::Optimizer}) {
        const Event told{time,
                         time,
                         1000 * (1 + std::int64_t(category)),
                         double(category),
                         0,
                         2,
                         2,
                         Lane::Host,
                         EventKind::HostMemory};
        measured.model.append(std::span(&told, 1));
    }
    view.flush();
    QCOMPARE(total(view.bars().rows()[1].host), std::int64_t{0});
    QCOMPARE(total(view.bars().rows()[2].host), std::int64_t{5000});
    QCOMPARE(cells(view.asTable())[3].last(), QStringLiteral("5000"));
    QVERIFY(figureOf(view.bars().rows()[2]).endsWith(QStringLiteral(" host")));
    // Before it was told there was nothing.
    measured.selection.setCursor(measured.model.steps().extents()[0].begin + 10);
    view.flush();
    QCOMPARE(total(view.bars().rows()[2].host), std::int64_t{0});
}

void RunViewsTest::memoryFigureNamesThePeakItStandsBeside() {
    constexpr std::int64_t mega = 1 << 20;
    const auto figure = [](std::int64_t shown, std::int64_t peak, std::int64_t predicted) {
        return figureOf({.peak = peak, .predictedPeak = predicted, .shown = shown});
    };
    QCOMPARE(figure(7 * mega, 0, 18 * mega), QStringLiteral("7.00 of 18.0 MiB"));
    QCOMPARE(figure(7 * mega, 20 * mega, 18 * mega), QStringLiteral("7.00 of 20.0 MiB"));
    QCOMPARE(figure(mega / 2, 0, 18 * mega), QStringLiteral("512 KiB of 18.0 MiB"));
    QCOMPARE(figure(18 * mega, 18 * mega, 18 * mega), QStringLiteral("18.0 MiB"));
    QCOMPARE(figure(18 * mega, 0, 0), QStringLiteral("18.0 MiB"));
}

void RunViewsTest::limitCrossesNoFigure() {
    ThemeSource theme;
    theme.setDark(true);
    MemoryBars bars(theme, nullptr);
    constexpr std::int64_t giga = std::int64_t{1} << 30;
    std::vector<MemoryRow> rows;
    for (int rank = 0; rank < 2; ++rank) {
        MemoryRow row{.rank = rank, .shown = (56 + 20 * rank) * giga};
        row.bytes[0] = row.shown;
        rows.push_back(row);
    }
    bars.resize(300, 80);
    bars.setRows(rows, {.capacityBytes = 64 * giga}, -1);
    QVERIFY(bars.limitInSight());
    const QImage picture = bars.grab().toImage();
    const auto red = [&](int x, int from, int to) {
        int count = 0;
        for (int y = from; y < to; ++y) count += picture.pixelColor(x, y) == theme.theme().bad ? 1 : 0;
        return count;
    };
    // Rows are 24 high from 16 on. The line is the column that is red above, between and below them; in the middle of
    // the first it would run through that row's figure, in the second over its bar.
    int lines = 0;
    for (int x = 100; x < picture.width(); ++x) {
        if (red(x, 14, 66) < 10) continue;
        ++lines;
        QCOMPARE(red(x, 22, 34), 0);
        QVERIFY(red(x, 44, 58) > 0);
    }
    QCOMPARE(lines, 1);
}

void RunViewsTest::memoryClickSelectsTheRank() {
    sample::Bench bench;
    sample::fill(bench.model, sample::plan(sample::layout(2, 2, 4)), 2, 2);
    MemoryPerRankView view(bench.context(), nullptr);
    view.resize(400, 240);
    view.show();
    view.flush();
    auto* bars = view.findChild<MemoryBars*>();
    const int row = std::min(40, (bars->height() - 20) / 4);  // four ranks, below 16 pixels of the scale
    QTest::mouseClick(bars, Qt::LeftButton, {}, {60, 16 + row + row / 2});
    QCOMPARE(bench.selection.rank(), 1);
}

void RunViewsTest::legendTakesTwoLines() {
    sample::Bench bench;
    MemoryPerRankView view(bench.context(), nullptr);
    view.resize(420, 240);
    view.show();
    auto* legend = view.findChild<Legend*>();
    QCOMPARE(legend->height(), legend->heightForWidth(legend->width()));
    QVERIFY(legend->height() > legend->minimumSizeHint().height());
    view.resize(1200, 240);
    QTest::qWait(20);
    QCOMPARE(legend->height(), legend->minimumSizeHint().height());
    // In a low panel it once took half of the room of the bars.
    for (const int height : {120, 160, 240}) {
        view.resize(260, height);
        QTest::qWait(20);
        QVERIFY2(legend->height() <= height / 4, qPrintable(QString::number(legend->height())));
    }
}

/// Where the second line had no room for an item, the … was added to a full first line, and pushed it out of sight.
void RunViewsTest::noSquareOfALegendIsCut() {
    sample::Bench bench;
    Legend legend(bench.theme, Qt::AlignRight, 2, nullptr);
    const QColor red(0xfe, 0x01, 0x02);
    legend.setItems({{QStringLiteral("F"), red}, {QStringLiteral("an item of many letters"), Qt::blue}});
    for (int width = 20; width < 200; ++width) {
        legend.resize(width, legend.heightForWidth(width));
        const QImage picture = legend.grab().toImage().convertToFormat(QImage::Format_RGB32);
        int drawn = 0;
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x) drawn += picture.pixelColor(x, y) == red ? 1 : 0;
        QVERIFY2(drawn == (legend.shown(width) > 0 ? 81 : 0), QByteArray::number(width));
    }
}

void RunViewsTest::lossTableAndValues() {
    sample::Bench bench;
    sample::fill(bench.model, sample::plan(sample::layout(1, 2, 4)), 12, 7);
    LossView view(bench.context(), nullptr);
    view.resize(500, 260);
    view.show();
    view.flush();
    const auto& losses = bench.model.points().of(EventKind::Loss);
    const auto rows = cells(view.asTable());
    QCOMPARE(rows.size(), qsizetype(losses.size()) + 1);
    for (std::size_t i = 0; i < losses.size(); ++i) {
        QCOMPARE(rows[qsizetype(i) + 1][0].toInt(), losses[i].step);
        QVERIFY(std::abs(rows[qsizetype(i) + 1][1].toDouble() - losses[i].value) < 1e-6);
        QCOMPARE(rows[qsizetype(i) + 1][2].isEmpty(), losses[i].step % 5 != 4);
    }
    QVERIFY(view.subtitle().contains(QString::number(losses.back().value, 'f', 4)));
    QVERIFY2(view.valueAt(view.canvas()->width() - 10).contains(QStringLiteral("step 11")),
             qPrintable(view.valueAt(view.canvas()->width() - 10)));
    QVERIFY(!view.logarithmic());
    QTest::mouseClick(view.findChild<QPushButton*>(), Qt::LeftButton);
    QVERIFY(view.logarithmic());
    // The timeline once stayed where it was, and the cursor was out of its sight.
    const auto& extents = bench.model.steps().extents();
    bench.selection.setVisible({extents[0].begin, extents[1].end});
    QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, {view.canvas()->width() / 2, 60});
    const int step = bench.model.steps().indexAt(bench.selection.cursor());
    QVERIFY(step > 3 && step < 9);
    const TimeRange visible = bench.selection.visible();
    QVERIFY(visible.begin <= bench.selection.cursor() && bench.selection.cursor() <= visible.end);
    QCOMPARE(visible.end - visible.begin, (extents[1].end - extents[0].begin) / 2 * 2);
}

void RunViewsTest::lossOverTheTimeOfTheDevices() {
    sample::Bench bench;
    const Plan plan = sample::plan(sample::layout(1, 2, 4));
    QVERIFY(plan.costs.stretch > 2);
    sample::fill(bench.model, plan, 12, 7);
    LossView view(bench.context(), nullptr);
    view.resize(500, 260);
    view.show();
    view.flush();
    const auto& chart = static_cast<const StepChart&>(*view.canvas());
    QCOMPARE(chart.xAxis->label(), QStringLiteral("step"));
    QPushButton* button = nullptr;
    for (QPushButton* each : view.findChildren<QPushButton*>())
        if (each->accessibleName() == QStringLiteral("Loss over time")) button = each;
    QVERIFY(button);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(view.overTime());
    // The last loss lies where the twelve steps of the devices end, whatever the run's clock says.
    const auto& losses = bench.model.points().of(EventKind::Loss);
    const auto& extents = bench.model.steps().extents();
    const double end = static_cast<double>(losses.back().begin - extents.front().begin) * 1e-9 / plan.costs.stretch;
    QVERIFY(std::abs(chart.xOf(losses.back()) / end - 1) < 1e-9);
    QVERIFY(end < 24 * plan.stepSeconds && end > 6 * plan.stepSeconds);
    QVERIFY(chart.xAxis->range().upper > end && chart.xAxis->range().upper < 1.1 * end);
    QVERIFY(std::abs(chart.graph(1)->data()->at(11)->key / end - 1) < 1e-9);
    // A place is the step that goes on there, and says when it is.
    const QString last = view.valueAt(static_cast<int>(chart.xAxis->coordToPixel(end)));
    QVERIFY2(last.contains(QStringLiteral("step 11")) && last.startsWith(QString::fromStdString(formatSeconds(end))),
             qPrintable(last));
    QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, {view.canvas()->width() / 2, 60});
    const int step = bench.model.steps().indexAt(bench.selection.cursor());
    QVERIFY(step > 3 && step < 9);
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(chart.xAxis->label(), QStringLiteral("step"));
    QCOMPARE(chart.graph(1)->data()->at(11)->key, 11.0);
}

void RunViewsTest::lossIsEmptyUntilMeasured() {
    sample::Bench bench;
    LossView view(bench.context(), nullptr);
    QVERIFY(view.emptyText().contains(QStringLiteral("Press")));
    const Plan plan = sample::plan(sample::layout(1, 2, 4));
    bench.model.begin(headerOf(plan), plan.simulation.events);
    QVERIFY(view.emptyText().contains(QStringLiteral("first complete step")));
    QSignalSpy told(&view, &View::subtitleChanged);
    bench.model.append(sample::events(plan, 1, 1));
    view.flush();
    QVERIFY(view.emptyText().isEmpty());
    QVERIFY(told.count() > 0);
}

void RunViewsTest::figuresAreTheStepsFigures() {
    sample::Bench bench;
    const Plan plan = sample::plan(sample::layout(2, 2, 4));
    sample::fill(bench.model, plan, 6, 3);
    FiguresView view(bench.context(), nullptr);
    for (const int step : {5, 2}) {
        if (step != 5)
            bench.selection.setCursor(bench.model.steps().extents()[static_cast<std::size_t>(step)].begin + 10);
        view.flush();
        const StepSummary& summary = bench.model.steps().all()[static_cast<std::size_t>(step)];
        const auto rows = cells(view.asTable());
        QCOMPARE(rows.size(), 9);
        // The modelled devices' time, and not that of the clock that the run is slowed on.
        const double own = summary.seconds / plan.costs.stretch;
        QCOMPARE(rows[1][1].toStdString(), formatCount(static_cast<double>(tokensPerStep(plan.layout)) / own));
        QVERIFY(rows[1][2].contains(QString::fromStdString(formatCount(plan.tokensPerSecond))));
        QCOMPARE(rows[2][0], QStringLiteral("MFU"));
        QCOMPARE(rows[2][1].toStdString(),
                 utilisationText(plan.flopsPerStep / (own * 4 * findDevice("h100-sxm")->fp32Flops)));
        QVERIFY(rows[2][2].contains(QString::fromStdString(utilisationText(plan.mfu))));
        QVERIFY(rows[2][3].contains(QStringLiteral("4 × NVIDIA H100 SXM 80 GB, fp32")));
        QCOMPARE(rows[3][1].toStdString(), formatPercent(summary.bubble));
        QVERIFY(rows[3][2].contains(QString::fromStdString(formatPercent(plan.bubbleTheory))));
        QCOMPARE(rows[4][1].toStdString(), formatSeconds(own));
        QVERIFY(rows[4][2].contains(QString::fromStdString(formatSeconds(plan.stepSeconds))));
        QVERIFY(rows[4][3].contains(DeviceTime(plan.costs.stretch).text(plan.stepSeconds).english().c_str()));
        QCOMPARE(rows[5][1], QString::number(summary.loss, 'f', 3));
        QVERIFY(rows[5][2].startsWith(QStringLiteral("grad norm")));
        std::int64_t peak = 0;
        for (const RankStep& rank : summary.ranks) peak = std::max(peak, rank.peakBytes);
        QCOMPARE(rows[6][1].toStdString(), formatBytes(peak));
        qsizetype overruns = 0;
        for (const Event& event : bench.model.points().of(EventKind::PaceOverrun))
            overruns += event.step == step ? 1 : 0;
        QCOMPARE(rows[7][1].toLongLong(), qlonglong(overruns));
        QCOMPARE(rows[8][0], QStringLiteral("Tokens/device"));
        QCOMPARE(rows[8][1].toStdString(),
                 formatCount(static_cast<double>(tokensPerStep(plan.layout)) * 3600 / own / plan.mesh.ranks()) + "/h");
        QVERIFY(rows[8][2].contains(QString::fromStdString(formatCount(plan.tokensPerSecond * 3600 / 4))));
    }
    sample::Bench nothing;
    FiguresView empty(nothing.context(), nullptr);
    for (const QStringList& row : cells(empty.asTable()).mid(1)) QCOMPARE(row[1], QStringLiteral("—"));
    // Where the peak is not known there is no card, and none is left of the run before.
    RunHeader header = bench.model.header();
    header.peak = {};
    bench.model.begin(header, {});
    view.flush();
    QCOMPARE(cells(view.asTable()).size(), 8);
    QVERIFY(!view.asTable().contains(QStringLiteral("MFU")));
}

/// Whether a comparison stands beside its figure follows the widths that cards have, not those they had.
void RunViewsTest::figuresStayWithinTheirCards() {
    sample::Bench bench;
    const Plan plan = sample::plan(sample::layout(2, 2, 4));
    FiguresView view(bench.context(), nullptr);
    view.resize(1600, 80);
    view.show();
    const auto require = [&] {
        view.flush();
        QTest::qWait(50);
        const auto cards = view.findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
        const auto fits = [](const QWidget* card) { return dynamic_cast<const Card&>(*card).fitsBeside(); };
        for (QWidget* card : cards) {
            QCOMPARE(dynamic_cast<const Card&>(*card).beside(), std::ranges::all_of(cards, fits));
            // The last line keeps off the edge below it.
            const QImage picture = card->grab().toImage();
            for (int y = picture.height() - 6; y < picture.height() - 2; ++y)
                for (int x = 12; x < picture.width() - 12; ++x)
                    QCOMPARE(picture.pixelColor(x, y), bench.theme.theme().panel);
        }
    };
    require();
    sample::fill(bench.model, plan, 3, 3);  // one card more
    for (const int width : {1600, 730, 560, 1000, 700, 400, 1400}) {
        view.resize(width, view.minimumHeight());
        require();
    }
}

/// Eight cards side by side said "grad norm 4.31e-…".
void RunViewsTest::aNumberIsReadWholeInTheNarrowestCard() {
    sample::Bench bench;
    Card card(bench.theme, nullptr);
    card.setFigure({QStringLiteral("Loss"), QStringLiteral("2.538"), QStringLiteral("grad norm 4.31e-05"), {}});
    for (const auto& [width, shown] :
         {std::pair(200, "grad norm 4.31e-05"), {102, "norm 4.31e-05"}, {88, "4.31e-05"}}) {
        card.resize(width, 64);
        QCOMPARE(card.shownDetail(), QLatin1String(shown));
    }
    card.setFigure({QStringLiteral("Peak memory"), QStringLiteral("1 GiB"), QStringLiteral("123456789012 GiB"), {}});
    QVERIFY(card.shownDetail().startsWith(QStringLiteral("123456")));  // no unit without its number
    card.setFigure({QStringLiteral("Tokens/device"), QStringLiteral("1.33 G/hour"), QStringLiteral("–"), {}});
    QCOMPARE(card.shownValue(), QStringLiteral("1.33 G/hour"));
}

void RunViewsTest::selectionIsShared() {
    sample::Bench bench;
    sample::fill(bench.model, sample::plan(sample::layout(2, 2, 4)), 3, 3);
    SelectedView inspector(bench.context(), nullptr);
    FiguresView cards(bench.context(), nullptr);
    LossView loss(bench.context(), nullptr);
    QSignalSpy events(&bench.selection, &Selection::eventChanged), ranks(&bench.selection, &Selection::rankChanged);
    const Event event = eventsOfStep(bench.model, 2, Lane::Compute, 1).front();
    bench.selection.select(event);
    bench.selection.select(event);
    QCOMPARE(events.count(), 1);
    QCOMPARE(ranks.count(), 1);
    QCOMPARE(bench.selection.rank(), 2);
    bench.selection.setArea(TimeRange{50, 20});
    QVERIFY(bench.selection.area() == (TimeRange{20, 50}));
    bench.selection.setCursor(bench.model.steps().extents()[1].begin + 1);
    cards.flush();
    loss.flush();
    QCOMPARE(cards.subtitle(), QStringLiteral("step 1"));
    QVERIFY(loss.subtitle().startsWith(QStringLiteral("step 1 ")));
    bench.selection.clear();
    QVERIFY(!bench.selection.event() && !bench.selection.area() && bench.selection.followLive());
    QCOMPARE(bench.selection.rank(), -1);
}

QTEST_MAIN(RunViewsTest)
#include "run_views_test.moc"
