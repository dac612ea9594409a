// SPDX-License-Identifier: GPL-3.0-or-later
// Marks of a run's instants: what is drawn is what a walk over all of them would draw, in whatever order they came.
#include "tests/support/seed.h"
#include "tests/ui/sample_run.h"
#include "tests/support/wings.h"
#include "ui/timeline/happening_marks.h"
#include "ui/timeline/lane_shape.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// Instants of all kinds, several at a moment, in no order.
std::vector<Event> randomInstants(std::mt19937& random, std::size_t count, int ranks) {
    std::vector<Event> events;
    std::uniform_int_distribution<std::int64_t> time(0, 1'000'000'000);
    while (events.size() < count) {
        const EventKind kind = PointEvents::instants[random() % PointEvents::instants.size()];
        if (kind == EventKind::Restart) continue;  // takes others away: run_model_test
        const std::int64_t at = random() % 4 == 0 && !events.empty() ? events.back().begin : time(random);
        events.push_back({.begin = at,
                          .end = at,
                          .value = static_cast<double>(events.size()),
                          .step = 0,
                          .rank = static_cast<std::int16_t>(random() % static_cast<unsigned>(ranks)),
                          .lane = Lane::Host,
                          .kind = kind});
    }
    return events;
}

std::vector<std::int64_t> times(const std::vector<Event>& events) {
    std::vector<std::int64_t> begins;
    for (const Event& event : events) begins.push_back(event.begin);
    return begins;
}

}  // namespace

class HappeningMarksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void marksAreThoseOfAWalkOverAll();
    void noMarkLiesOverAStepsNumber();
};

/// Flags covered the numbers of steps when the whole run was in sight.
void HappeningMarksTest::noMarkLiesOverAStepsNumber() {
    std::mt19937 random(freshSeed());
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<double> marks(random() % 40);
        for (double& mark : marks) mark = random() % 10'000 / 10.0;
        std::ranges::sort(marks);
        const int x = static_cast<int>(random() % 1000), width = 5 + static_cast<int>(random() % 80), size = 8;
        const auto covered = [&](int at) {
            return std::ranges::any_of(marks, [&](double mark) {
                return mark + size / 2.0 > at + labelInset && mark - size / 2.0 < at + labelInset + width;
            });
        };
        const int placed = behindMarks(marks, x, width, size);
        QVERIFY(placed >= x && !covered(placed));
        for (int at = x; at < placed; ++at) QVERIFY(covered(at));
    }
}

void HappeningMarksTest::marksAreThoseOfAWalkOverAll() {
    const auto seed = freshSeed();
    std::mt19937 random(seed);
    const Plan plan = sample::plan(sample::layout(2, 2, 4));
    for (const std::size_t count : {0, 1, 7, 400, 20'000}) {
        RunModel model;
        model.begin(headerOf(plan), plan.simulation.events);
        std::vector<Event> all = randomInstants(random, count, model.ranks());
        for (std::size_t from = 0; from < all.size();) {
            const std::size_t size = std::min<std::size_t>(1 + random() % (count / 4 + 1), all.size() - from);
            model.append(std::span(all).subspan(from, size));
            from += size;
        }
        std::ranges::stable_sort(all, byBegin);
        for (int trial = 0; trial < 20; ++trial) {
            const auto begin = static_cast<std::int64_t>(random() % 900'000'000);
            const std::int64_t length =
                1 + static_cast<std::int64_t>(random() % (trial % 2 == 0 ? 1'000'000'000 : 20'000));
            const TimeScale scale{begin, begin + length, 60, 1 + static_cast<int>(random() % 1500)};
            for (const HappeningMark& mark : happeningMarks) {
                std::vector<Event> walked;
                std::int64_t next = scale.begin;
                for (const Event& event : all) {
                    if (event.kind != mark.kind || event.begin < next || event.begin > scale.end) continue;
                    walked.push_back(event);
                    next = scale.time(scale.x(event.begin) + 1);
                    // However far a pixel is stretched, an event of the same moment is another.
                    if (next <= event.begin) next = event.begin;
                }
                const std::vector<Event> shown = shownHappenings(model, mark.kind, scale);
                QCOMPARE(times(shown), times(walked));
                if (scale.perPixel() > 2) QVERIFY(static_cast<int>(shown.size()) <= scale.width + 2);
            }
            const auto margin = static_cast<std::int64_t>(scale.perPixel() * 8);
            for (int rank = 0; rank < model.ranks(); ++rank) {
                std::vector<Event> walked;
                for (const Event& event : all) {
                    if (event.kind != EventKind::Overflow || event.rank != rank) continue;
                    if (event.begin < scale.begin - margin || event.begin >= scale.end + margin) continue;
                    if (walked.empty() || std::floor(scale.x(event.begin)) > std::floor(scale.x(walked.back().begin)))
                        walked.push_back(event);
                }
                QCOMPARE(times(shownOverflows(model, rank, scale)), times(walked));
            }
        }
        for (const HappeningMark& mark : happeningMarks)
            QCOMPARE(model.points().of(mark.kind).size(),
                     static_cast<std::size_t>(std::ranges::count(all, mark.kind, &Event::kind)));
    }
}

QTEST_GUILESS_MAIN(HappeningMarksTest)
#include "happening_marks_test.moc"
