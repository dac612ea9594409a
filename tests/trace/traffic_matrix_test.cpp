// SPDX-License-Identifier: Apache-2.0
// Bytes from rank to rank, against what the plan says crosses each axis, and against messages counted one by one.
#include "engine/trace/analysis/traffic_matrix.h"

#include "engine/launch/job/run_header.h"
#include "engine/predict/plan/plan.h"
#include "tests/support/wings.h"

#include <QTest>

#include <cmath>
#include <map>

using namespace shardlab::test;

namespace {

struct Shape {
    int data, pipeline, tensor, zero;
    const char* schedule;
    int chunks;
    int context = 1;
    int expert = 1;
    int shard = 0;
    ContextKind method = ContextKind::Ring;
    int expertTensor = 0;
};

Plan planOf(const Shape& shape, AllReduceKind kind = AllReduceKind::Backend) {
    Layout layout;
    layout.parallel.allReduce = kind;
    layout.parallel.data = shape.data;
    layout.parallel.pipeline = shape.pipeline;
    layout.parallel.tensor = shape.tensor;
    layout.parallel.zero = shape.zero;
    layout.parallel.shard = shape.shard;
    layout.schedule.kind = shape.schedule;
    layout.schedule.chunks = shape.chunks;
    layout.model.layers = 2 * shape.pipeline * shape.chunks;
    layout.batch.micro = 1;
    layout.batch.global = 8 * shape.data;
    layout.parallel.context = shape.context;
    layout.parallel.contextKind = shape.method;
    layout.parallel.expert = shape.expert;
    layout.parallel.expertTensor = shape.expertTensor;
    if (shape.expert > 1) {
        layout.model.kind = ModelKind::GptMoe;
        layout.parallel.bucket = 0.5;
    }
    layout.cluster.hosts = {{"localhost", shape.data * shape.pipeline * shape.tensor * shape.context}};
    auto plan = makePlan(layout);
    if (!plan) qFatal("%s", plan.error().front().what.english().c_str());
    return *plan;
}

}  // namespace

class TrafficMatrixTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sumsAreThePlans_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<bool>("ring");
        for (int i = 0; i < int(std::size(shapes)); ++i)
            for (const bool ring : {false, true})
                QTest::addRow("dp%d sh%d pp%d cp%d tp%d ep%d et%d zero %d %s%s", shapes[i].data, shapes[i].shard,
                              shapes[i].pipeline, shapes[i].context, shapes[i].tensor, shapes[i].expert,
                              shapes[i].expertTensor, shapes[i].zero, shapes[i].schedule, ring ? " ring" : "")
                    << i << ring;
    }

    void sumsAreThePlans() {
        QFETCH(int, index);
        QFETCH(bool, ring);
        const Plan plan = planOf(shapes[index], ring ? AllReduceKind::Ring : AllReduceKind::Backend);
        TrafficMatrix matrix(headerOf(plan));
        for (const Event& event : plan.simulation.events) matrix.add(event);
        const auto hops = std::ranges::count(plan.simulation.events, EventKind::RingHop, &Event::kind);
        if (!ring) QCOMPARE(hops, 0);
        std::int64_t all = 0, sent = 0;
        for (const AxisTraffic& traffic : plan.traffic) {
            all += traffic.bytes;
            if (traffic.what.english().find("send") != std::string::npos) sent += traffic.bytes;
        }
        QCOMPARE(matrix.steps(), 1);
        QCOMPARE(matrix.total(TrafficMatrix::Part::Messages), sent);
        // Shares of a ring are whole bytes each.
        const double off = std::abs(static_cast<double>(matrix.total(TrafficMatrix::Part::All) - all)),
                     rounding = 1e-6 * static_cast<double>(all) + 64 + 8 * static_cast<double>(hops);
        QVERIFY2(off <= rounding,
                 qPrintable(QStringLiteral("%1 against %2").arg(matrix.total(TrafficMatrix::Part::All)).arg(all)));
        // A run's figures of its steps count the same.
        Summarizer summarizer(plan.mesh.ranks(), true, sentBytesOf(headerOf(plan)));
        std::vector<Event> events = plan.simulation.events;
        for (Event& event : events) event.step = 0;
        summarizer.add(events);
        QCOMPARE(summarizer.steps().size(), std::size_t{1});
        const std::int64_t moved = summarizer.steps().front().moved;
        QVERIFY2(std::abs(static_cast<double>(moved - plan.sentBytes)) <= rounding,
                 qPrintable(QStringLiteral("%1 against %2").arg(moved).arg(plan.sentBytes)));
        std::int64_t ofRanks = 0;
        for (const RankStep& rank : summarizer.steps().front().ranks) ofRanks += rank.moved;
        QCOMPARE(ofRanks, moved);
        std::int64_t cells = 0, least = 0;
        for (int from = 0; from < matrix.ranks(); ++from)
            for (int to = 0; to < matrix.ranks(); ++to) {
                const auto cell = matrix.cell(from, to, TrafficMatrix::Part::All);
                cells += cell.bytes;
                QVERIFY(cell.bytes <= matrix.largest(TrafficMatrix::Part::All));
                if (cell.bytes > 0 && (least == 0 || cell.bytes < least)) least = cell.bytes;
                if (from == to) QCOMPARE(cell.bytes, std::int64_t{0});
            }
        QCOMPARE(cells, matrix.total(TrafficMatrix::Part::All));
        QCOMPARE(least, matrix.smallest(TrafficMatrix::Part::All));
    }

    /// Ranks of a host share a copy: between hosts goes what copies sum, of each rank to its like alone.
    void onlySumsBetweenCopiesLeaveAHost() {
        const Plan plan = planOf({8, 1, 1, 3, "1f1b", 1, 1, 1, 4});
        TrafficMatrix matrix(headerOf(plan));
        for (const Event& event : plan.simulation.events) matrix.add(event);
        std::int64_t within = 0, between = 0, told = 0;
        for (int from = 0; from < 8; ++from)
            for (int to = 0; to < 8; ++to) {
                const std::int64_t bytes = matrix.cell(from, to, TrafficMatrix::Part::All).bytes;
                (from / 4 == to / 4 ? within : between) += bytes;
                if (from / 4 != to / 4 && bytes > 0) QCOMPARE(from % 4, to % 4);
            }
        for (const AxisTraffic& traffic : plan.traffic) {
            if (traffic.axis == Axis::Data) told += traffic.bytes;
            else QCOMPARE(traffic.axis, Axis::Shard);
        }
        // Two copies: each rank sends its quarter of the gradients once, and in its copy Ψ of weights and gradients for
        // each of eight microbatches, of which three quarters leave it.
        QVERIFY(std::abs(static_cast<double>(between - told)) <= 1e-6 * static_cast<double>(told) + 64);
        QVERIFY(std::abs(static_cast<double>(within) / static_cast<double>(between) - 8 * 3 * 3) < 4);
    }

    /// An exchange of heads sends each other member of the context group as much.
    void anExchangeGoesToEachMember() {
        const Plan plan = planOf({1, 1, 1, 0, "1f1b", 1, 4, 1, 0, ContextKind::Ulysses});
        TrafficMatrix matrix(headerOf(plan));
        for (const Event& event : plan.simulation.events)
            if (event.kind == EventKind::ExchangeHeads) matrix.add(event);
        const std::int64_t each = matrix.cell(0, 1, TrafficMatrix::Part::All).bytes;
        QVERIFY(each > 0);
        for (int from = 0; from < 4; ++from)
            for (int to = 0; to < 4; ++to)
                QCOMPARE(matrix.cell(from, to, TrafficMatrix::Part::All).bytes, from == to ? 0 : each);
    }

    void aMessageGoesToItsStage() {
        const Plan plan = planOf({2, 4, 1, 0, "1f1b", 1});
        TrafficMatrix matrix(headerOf(plan));
        Coordinates place{};
        place[Axis::Pipeline] = 2;
        place[Axis::Data] = 1;
        const int from = plan.mesh.rank(place);
        Event event{.begin = 0,
                    .end = 10,
                    .bytes = 1000,
                    .action = actionId({ActionKind::SendBackward, 2, 3}),
                    .step = 4,
                    .rank = static_cast<std::int16_t>(from),
                    .lane = Lane::Comm,
                    .kind = EventKind::SendBackward};
        matrix.add(event);
        matrix.add(event);
        place[Axis::Pipeline] = 1;
        const auto cell = matrix.cell(from, plan.mesh.rank(place), TrafficMatrix::Part::Messages);
        QCOMPARE(cell.bytes, std::int64_t{2000});
        QCOMPARE(cell.count, std::int64_t{2});
        QCOMPARE(matrix.total(TrafficMatrix::Part::All), std::int64_t{2000});
        QCOMPARE(matrix.total(TrafficMatrix::Part::Collectives), std::int64_t{0});
    }

private:
    static constexpr Shape shapes[]{{1, 4, 1, 0, "1f1b", 1},
                                    {2, 4, 1, 0, "gpipe", 1},
                                    {4, 1, 1, 0, "1f1b", 1},
                                    {2, 2, 2, 0, "1f1b", 1},
                                    {4, 1, 1, 2, "1f1b", 1},
                                    {2, 2, 1, 0, "interleaved-1f1b", 2},
                                    {1, 1, 4, 0, "1f1b", 1},
                                    {4, 1, 1, 3, "1f1b", 1},
                                    {1, 1, 1, 0, "1f1b", 1, 4},
                                    {2, 2, 2, 0, "1f1b", 1, 2},
                                    {2, 1, 1, 0, "1f1b", 1, 1, 2},
                                    {4, 2, 1, 0, "1f1b", 1, 1, 2},
                                    {4, 1, 1, 0, "1f1b", 1, 1, 4},
                                    {2, 1, 1, 1, "1f1b", 1, 1, 2},
                                    {4, 2, 1, 1, "1f1b", 1, 1, 2},
                                    {4, 1, 1, 2, "1f1b", 1, 1, 2},
                                    {4, 1, 1, 2, "1f1b", 1, 1, 4},
                                    {4, 2, 1, 3, "1f1b", 1, 1, 2},
                                    {8, 1, 1, 3, "1f1b", 1, 1, 2},
                                    {4, 1, 1, 3, "gpipe", 1, 1, 4},
                                    {4, 1, 1, 1, "1f1b", 1, 1, 1, 2},
                                    {6, 2, 1, 3, "1f1b", 1, 1, 1, 2},
                                    {4, 1, 2, 2, "gpipe", 1, 2, 1, 2},
                                    {3, 1, 1, 3, "1f1b", 1, 2, 1, 1},
                                    {8, 1, 1, 1, "1f1b", 1, 1, 2, 4},
                                    {8, 1, 1, 3, "1f1b", 1, 1, 4, 4},
                                    {2, 2, 2, 0, "1f1b", 1, 2, 1, 0, ContextKind::Ulysses},
                                    {1, 1, 1, 0, "1f1b", 1, 4, 1, 0, ContextKind::Ulysses},
                                    {2, 1, 2, 0, "1f1b", 1, 1, 4, 0, ContextKind::Ring, 1},
                                    {4, 1, 2, 2, "1f1b", 1, 1, 4, 0, ContextKind::Ring, 1},
                                    {2, 2, 4, 1, "1f1b", 1, 1, 4, 0, ContextKind::Ring, 2},
                                    {1, 1, 4, 0, "1f1b", 1, 1, 4, 0, ContextKind::Ring, 1}};
};

QTEST_GUILESS_MAIN(TrafficMatrixTest)
#include "traffic_matrix_test.moc"
