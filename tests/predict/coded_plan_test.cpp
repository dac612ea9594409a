// SPDX-License-Identifier: Apache-2.0
// Plans of gradients in 8 bits or less: bytes by hand, times by the link, and what lies near where they are refused.
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/search/nearest_legal.h"
#include "engine/predict/search/search.h"
#include "tests/support/legal_plan.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>

using namespace shardlab::test;

namespace {

const char* const formats[]{"full", "8-bit", "4-bit", "1-bit"};

Layout layoutOf(int data, const char* format) {
    Layout layout;
    layout.cluster.hosts = {{"localhost", data}};
    layout.cluster.pace = PaceSpec{};
    layout.cluster.pace->nodeLink = 1;
    layout.parallel.data = data;
    layout.parallel.pipeline = 1;
    layout.precision.exchange = named(format);
    layout.batch = {24, 1};
    return layout;
}

}  // namespace

class CodedPlanTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// One bucket of all parameters n: d parts, each with a scale of 4 bytes for 256 elements.
    void bytesAreThoseByHand() {
        for (const int d : {2, 3, 8})
            for (const char* format : formats)
                for (const int zero : {0, 1}) {
                    if (format == formats[0]) continue;
                    Layout layout = layoutOf(d, format);
                    layout.parallel.bucket = 0;  // with ZeRO a bucket for each unit
                    layout.parallel.zero = zero;
                    const Plan plan = planOf(layout);
                    const std::int64_t bits = *format - '0';
                    std::int64_t bytes = 0, remainders = 0;
                    for (const DataPiece& piece : plan.costs.stages.front().data.reduce) bytes += piece.bytes;
                    const std::int64_t sent = (zero == 0 ? 2 : 1) * (d - 1) * bytes;
                    const auto gradients = std::ranges::find_if(plan.traffic, [](const AxisTraffic& traffic) {
                        return traffic.what.english().starts_with("gradients, ");
                    });
                    QVERIFY(gradients != plan.traffic.end());
                    QVERIFY(std::abs(gradients->bytes - sent) <= d);
                    if (zero == 0) {
                        const std::int64_t part = (plan.parameters + d - 1) / d;
                        QCOMPARE(bytes, 4 * d * ((part + 255) / 256 + (part * bits + 31) / 32));
                    }
                    for (const RankMemory& rank : plan.memory)
                        remainders += rank.bytes[std::size_t(MemoryCategory::Gradients)] - 4 * plan.parameters;
                    QCOMPARE(remainders, 4 * (d + (zero == 0 ? 1 : 0)) * plan.parameters);
                }
    }

    void fewerBitsAreQuickerOverASlowLink() {
        std::vector<double> steps;
        for (const char* format : formats) steps.push_back(planOf(layoutOf(4, format)).stepSeconds);
        QVERIFY(std::ranges::is_sorted(steps, std::greater<>()));
        QVERIFY(steps.back() < 0.8 * steps.front());
    }

    /// What is found keeps the format, and so has replicas to exchange with.
    void searchKeepsTheFormat() {
        Layout base = layoutOf(4, "1-bit");
        base.cluster.hosts = {{"localhost", 8}};
        base.parallel.data = 8;
        const auto found = searchLayouts(base);
        QVERIFY2(found.has_value(), found ? "" : toText(found.error()).c_str());
        QVERIFY(!found->candidates.empty());
        for (const Candidate& candidate : found->candidates) {
            QVERIFY(candidate.choice.parallel.data * candidate.choice.parallel.context > 1);
            QCOMPARE(candidate.choice.parallel.tensor, 1);
        }
    }

    void nearWhereItIsRefusedIsFull() {
        Layout layout = layoutOf(4, "4-bit");
        layout.parallel.zero = 3;
        layout.parallel.partition = PartitionKind::Layers;
        QVERIFY(!check(layout, scheduleMethods()).empty());
        const auto legal = nearestLegal(layout);
        QVERIFY(legal && legal->layout.precision.exchange == ExchangeFormat::Full && legal->layout.parallel.zero == 3);
    }
};

QTEST_GUILESS_MAIN(CodedPlanTest)
#include "coded_plan_test.moc"
