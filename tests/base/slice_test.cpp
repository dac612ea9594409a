// SPDX-License-Identifier: Apache-2.0
#include "engine/base/slice.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QRandomGenerator>
#include <QTest>
#include <map>

using namespace shardlab::test;

namespace {

/// The part's elements by their place in the whole, from the definition alone: index by index.
std::vector<std::int64_t> places(const Slice& slice) {
    std::vector<std::int64_t> held;
    for (std::int64_t place = 0; place < wholeElements(slice); ++place) {
        std::int64_t inner = 1;
        for (std::size_t i = static_cast<std::size_t>(slice.axis) + 1; i < slice.whole.size(); ++i)
            inner *= slice.whole[i];
        const int extent = slice.whole[static_cast<std::size_t>(slice.axis)];
        const int index = static_cast<int>(place / inner % extent);
        const int run = extent / slice.groups, bundles = run / slice.together, bundle = index % run / slice.together;
        // The last range that begins at the bundle or before it: floor(bundles·part ÷ parts) ≤ bundle.
        if (((bundle + 1) * slice.parts - 1) / bundles == slice.part) held.push_back(place);
    }
    return held;
}

}  // namespace

class SliceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runsAreTheDefinition() {
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        for (int i = 0; i < 300; ++i) {
            Slice slice;
            slice.parts = random.bounded(1, 5);
            slice.part = random.bounded(slice.parts);
            slice.groups = random.bounded(1, 4);
            slice.together = random.bounded(1, 4);
            slice.whole.resize(static_cast<std::size_t>(random.bounded(1, 4)));
            for (int& extent : slice.whole) extent = random.bounded(1, 6);
            slice.axis = random.bounded(static_cast<int>(slice.whole.size()));
            slice.whole[static_cast<std::size_t>(slice.axis)] =
                slice.groups * slice.together * (slice.parts + random.bounded(9));
            const std::vector<std::int64_t> held = places(slice);
            QCOMPARE(sliceElements(slice), static_cast<std::int64_t>(held.size()));
            const std::int64_t begin = random.bounded(static_cast<int>(held.size()));
            const std::int64_t count = random.bounded(static_cast<int>(held.size()) - static_cast<int>(begin) + 1);
            std::int64_t at = begin;
            for (const SliceRun& run : sliceRuns(slice, begin, count))
                for (std::int64_t k = 0; k < run.count; ++k, ++at) {
                    QVERIFY2(run.part + k == at && run.whole + k == held[static_cast<std::size_t>(at)],
                             qPrintable(QString("seed %1, case %2").arg(seed).arg(i)));
                }
            QCOMPARE(at, begin + count);
        }
    }

    /// Where parts share bundles, each has a range of what lies before the tail, and then one of the tail; all parts
    /// together have every index once.
    void partsOfABundleAreTheDefinition() {
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        for (int i = 0; i < 300; ++i) {
            const int bundles = random.bounded(1, 4), sharers = random.bounded(2, 5), unit = random.bounded(1, 4);
            const int units = sharers + random.bounded(4), tail = random.bounded(1, 9), rows = random.bounded(1, 4);
            const int before = units * unit, together = before + tail;
            std::map<std::int64_t, int> held;
            for (int part = 0; part < bundles * sharers; ++part) {
                const Slice slice{{rows, bundles * together}, 1, bundles * sharers, part, 1, together, tail, unit};
                const int member = part % sharers;
                std::vector<std::int64_t> wanted;
                for (int row = 0; row < rows; ++row)
                    for (int index = 0; index < together; ++index) {
                        const bool first = index < before;
                        const int number = first ? index / unit : index - before, of = first ? units : tail;
                        if (((number + 1) * sharers - 1) / of != member) continue;
                        wanted.push_back((std::int64_t{row} * bundles + part / sharers) * together + index);
                    }
                QCOMPARE(sliceElements(slice), static_cast<std::int64_t>(wanted.size()));
                QCOMPARE(sharersOfBundle(slice), sharers);
                const auto all = static_cast<int>(wanted.size()), begin = random.bounded(all);
                std::int64_t at = begin;
                for (const SliceRun& run : sliceRuns(slice, begin, all - begin))
                    for (std::int64_t k = 0; k < run.count; ++k, ++at)
                        QVERIFY2(run.part + k == at && run.whole + k == wanted[static_cast<std::size_t>(at)],
                                 qPrintable(QString("seed %1, case %2").arg(seed).arg(i)));
                QCOMPARE(at, std::int64_t{all});
                for (const std::int64_t place : wanted) ++held[place];
            }
            QCOMPARE(held.size(), static_cast<std::size_t>(rows * bundles * together));
            for (const auto& [place, times] : held) QCOMPARE(times, 1);
        }
    }

    void withoutAnAxisItIsOneRun() {
        const Slice whole{{3, 4}};
        QCOMPARE(sliceElements(whole), 12);
        const auto runs = sliceRuns(whole, 5, 6);
        QCOMPARE(runs.size(), std::size_t{1});
        QVERIFY(runs[0].whole == 5 && runs[0].part == 5 && runs[0].count == 6);
    }
};

QTEST_GUILESS_MAIN(SliceTest)
#include "slice_test.moc"
