// SPDX-License-Identifier: GPL-3.0-or-later
// What an action of an own run is made of stands within its bar: layers above, their operations below; each can be
// pointed at, and the bar's number stays readable above them.
#include "tests/support/wings.h"
#include "tests/ui/bench_context.h"
#include "tests/ui/synthetic_run.h"
#include "ui/timeline/action_parts.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/inside/flame_plot.h"
#include "ui/views/inside/inside_view.h"
#include "ui/views/timeline/timeline_view.h"

#include <QTest>

#include <algorithm>

using namespace shardlab;
using namespace shardlab::test;

namespace {

struct Stand {
    sample::Bench bench;
    Plan plan = sample::plan(sample::layout(1, 2, 4));
    TimelineView view{bench.context(), nullptr};
    Event action;

    Stand() {
        view.resize(1000, 420);
        view.show();
        sample::fill(bench.model, plan, 3, 11);
        const char* const names[]{"layer 0", "layer 1", "A·B", "attention"};
        for (std::uint32_t i = 0; i < std::size(names); ++i) bench.model.report().addName(i + 1, names[i]);
        const std::vector<Event> all = eventsOfStep(bench.model, 0, Lane::Compute, 1);
        action = *std::ranges::find(all, EventKind::Forward, &Event::kind);
        bench.model.append(
            std::vector{part(0, 30, 3, 64), part(30, 50, 4, 8), part(0, 50, 1), part(50, 90, 3, 64), part(50, 90, 2)});
        view.plot().flush();
    }
    /// From and to are hundredths of the action.
    Event part(int from, int to, std::uint32_t name, double products = 0) const {
        const std::int64_t length = action.end - action.begin;
        return {.begin = action.begin + length * from / 100,
                .end = action.begin + length * to / 100,
                .bytes = 4096,
                .value = products,
                .action = namedId(name),
                .step = action.step,
                .rank = action.rank,
                .lane = Lane::Host,
                .kind = name <= 2 ? EventKind::Annotation : EventKind::Operation};
    }
    void lookAt(std::int64_t begin, std::int64_t end) {
        view.plot().lookAt({begin, end}, true);
        view.plot().flush();
    }
    const GanttScene& scene() { return view.plot().scene(); }
};

}  // namespace

class ActionPartsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void partsStandWithinTheBar() {
        Stand stand;
        const std::int64_t length = stand.action.end - stand.action.begin;
        stand.lookAt(stand.action.begin - length / 4, stand.action.end + length / 4);
        const TimelineState& state = stand.view.plot().state();
        const Row row = state.rows.row(state.rows.positionOf(0));
        const QRect bar = eventRect(state, stand.action);
        const auto& parts = stand.scene().parts;
        QCOMPARE(parts.size(), std::size_t{5});
        for (const GanttScene::Part& part : parts) {
            QVERIFY(bar.adjusted(-1, 0, 1, 0).contains(part.box));
            QVERIFY(part.box.bottom() < row.barTop + row.barHeight - row.tickHeight + 1);
            QCOMPARE(part.layer, part.name.startsWith(QStringLiteral("layer")));
            QCOMPARE(part.products, part.name == QStringLiteral("A·B") || part.name == QStringLiteral("attention"));
        }
        QCOMPARE(std::ranges::count(parts, true, &GanttScene::Part::layer), 2);
        for (const GanttScene::Part& one : parts)
            for (const GanttScene::Part& other : parts) QVERIFY(&one == &other || !one.box.intersects(other.box));
        for (const GanttScene::Number& number : stand.scene().numbers)
            for (const GanttScene::Part& part : parts) QVERIFY(!number.box.intersects(part.box));
        // Each is what lies at its middle; above them is the action.
        const auto at = [&](const QPoint& point) {
            return eventAt(stand.bench.model, stand.view.plot().index(), state.scale, state.rows, point.x(), point.y());
        };
        for (const GanttScene::Part& part : parts) {
            const auto found = at(part.box.center());
            QVERIFY(found);
            QCOMPARE(actionText(stand.bench.model, *found), part.name);
            QVERIFY(eventRect(state, *found).contains(part.box.center()));
        }
        QCOMPARE(at({bar.center().x(), bar.top() + 2})->kind, EventKind::Forward);
    }

    /// Where a pixel holds many of them none is drawn, nor where rows are low.
    void fewAreDrawnAndOnlyWithRoom() {
        Stand stand;
        stand.view.resize(1000, 130);
        stand.view.plot().flush();
        stand.lookAt(stand.action.begin, stand.action.end);
        QVERIFY(stand.scene().parts.empty());
        stand.view.resize(1000, 420);
        stand.view.plot().flush();
        stand.lookAt(stand.action.begin, stand.action.end);
        QCOMPARE(stand.scene().parts.size(), std::size_t{5});
    }

    /// The view Inside has the layers above their operations, and all of it as a table.
    void insideHasTheSame() {
        Stand stand;
        InsideView inside(stand.bench.context(), nullptr);
        inside.resize(500, 200);
        stand.bench.selection.select(stand.action);
        inside.flush();
        const Flame& flame = inside.plot().flame();
        QCOMPARE(flame.bars.size(), std::size_t{6});
        for (const Flame::Bar& bar : flame.bars)
            QCOMPARE(bar.row, bar.event == stand.action ? 0 : bar.event.kind == EventKind::Annotation ? 1 : 2);
        const QString table = inside.asTable();
        for (const char* name : {"layer 0", "layer 1", "A·B", "attention"})
            QVERIFY2(table.contains(QString::fromUtf8(name)), qPrintable(table));
    }
};

QTEST_MAIN(ActionPartsTest)
#include "action_parts_test.moc"
