// SPDX-License-Identifier: GPL-3.0-or-later
// Staleness, overwritten elements and elastic distance as a view, and a server's exchanges in the timeline.
#include "tests/support/named.h"
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "ui/store/paint.h"
#include "ui/views/exchange/exchange_view.h"

#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

Layout exchanging(const char* exchange) {
    Layout layout = sample::layout(3, 1, 2);
    layout.parallel.exchange = named(exchange);
    layout.batch.global = 12;
    return layout;
}

/// `value(step, k)` of the k-th of `each` a step, from replica k + 1.
template <class Value>
void add(RunModel& model, EventKind kind, int each, Value value) {
    std::vector<Event> events;
    for (const StepExtent& extent : model.steps().extents())
        for (int k = 0; k < each; ++k) {
            const std::int64_t time = extent.begin + (extent.end - extent.begin) * (k + 1) / (each + 1);
            const auto rank = static_cast<std::int16_t>(kind == EventKind::Staleness ? 0 : extent.step % 3);
            events.push_back({time, time, k + 1, value(extent.step, k), 0, extent.step, rank, Lane::Host, kind});
        }
    model.append(events);
}

int columnOf(const ExchangeView& view, const QString& wanted) {
    for (int x = 0; x < view.canvas()->width(); ++x)
        if (view.valueAt(x) == wanted) return x;
    return -1;
}

}  // namespace

class ExchangeViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyUpdateIsAPoint() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan(exchanging("async-server")), 10, 5);
        add(bench.model, EventKind::Staleness, 2, [](int step, int k) { return step == 4 && k == 1 ? 3.0 : 1.0; });
        ExchangeView view(bench.context(), nullptr);
        view.resize(400, 240);
        view.show();
        QTest::qWait(150);
        QVERIFY(view.emptyText().isEmpty());
        QCOMPARE(view.subtitle(), QStringLiteral("1.10 updates late on average, of 20"));
        const QStringList rows = view.asTable().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 21);
        QCOMPARE(rows[10], QStringLiteral("4\t2\t3"));
        const int x = columnOf(view, QStringLiteral("step 4 · gradient of replica 2 · 3 updates late"));
        QVERIFY(x >= 0);
        QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, {x, 60});
        const StepExtent& step = bench.model.steps().extents()[4];
        QCOMPARE(bench.selection.cursor(), step.begin + (step.end - step.begin) * 2 / 3);
    }

    void distancesAreALine() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan([] {
                         Layout layout = exchanging("easgd");
                         layout.optimizer.kind = OptimizerKind::Sgd;
                         return layout;
                     }()),
                     9, 5);
        add(bench.model, EventKind::ElasticDistance, 1, [](int step, int) { return 0.25 * step; });
        ExchangeView view(bench.context(), nullptr);
        view.resize(400, 240);
        view.show();
        QTest::qWait(150);
        QCOMPARE(view.subtitle(), QStringLiteral("step 8 · rank 2 · distance 2"));
        QVERIFY(columnOf(view, QStringLiteral("step 4 · rank 1 · distance 1")) >= 0);
        QVERIFY(view.asTable().contains(QStringLiteral("4\t1\t1\n")));
    }

    void whatIsOverwrittenIsAPoint() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan([] {
                         Layout layout = exchanging("hogwild");
                         layout.optimizer.kind = OptimizerKind::Sgd;
                         layout.optimizer.weightDecay = 0;
                         return layout;
                     }()),
                     9, 5);
        add(bench.model, EventKind::OverwrittenUpdates, 1, [](int step, int) { return step == 4 ? 3.0 : 0.0; });
        std::vector<Event> late;
        for (const Event& event : bench.model.points().of(EventKind::OverwrittenUpdates)) {
            late.push_back(event);
            late.back().kind = EventKind::Staleness;
            late.back().bytes = event.rank;
            late.back().value = 2;
        }
        bench.model.append(late);
        ExchangeView view(bench.context(), nullptr);
        view.resize(400, 240);
        view.show();
        QTest::qWait(150);
        QVERIFY(view.emptyText().isEmpty());
        QCOMPARE(view.subtitle(), QStringLiteral("3 of 9 elements overwritten · 2.00 updates late on average, of 9"));
        QVERIFY(columnOf(view, QStringLiteral("step 4 · update of worker 1 · 3 of 1 elements overwritten")) >= 0);
        const QStringList rows = view.asTable().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 10);
        QCOMPARE(rows[0], QStringLiteral("step\tworker\telements written\telements overwritten\tupdates late"));
        QCOMPARE(rows[5], QStringLiteral("4\t1\t1\t3\t2"));
    }

    void othersAreToldWhatWouldFillIt() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan(sample::layout(2, 2, 4)), 3, 5);
        const ExchangeView view(bench.context(), nullptr);
        for (const char* exchange : {"async-server", "easgd", "hogwild"})
            QVERIFY(view.emptyText().contains(QLatin1String(exchange)));
    }

    void exchangesFillTheTimelinesBar() {
        for (const EventKind kind : {EventKind::PushGradients, EventKind::PullWeights, EventKind::ExchangeElastic})
            QVERIFY(isBar(paintOf(kind)));
    }
};

QTEST_MAIN(ExchangeViewTest)
#include "exchange_view_test.moc"
