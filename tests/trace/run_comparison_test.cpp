// SPDX-License-Identifier: Apache-2.0
// Two runs compared, against sums made by hand from the random durations they were given.
#include "engine/trace/analysis/run_comparison.h"

#include "engine/layout/mesh/mesh.h"

#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace shardlab::test;

namespace {

/// Seconds of what is asked for: rank, step, action.
using Durations = std::map<std::tuple<int, int, ActionId>, double>;

RunHeader headerOf(int data, int pipeline) {
    RunHeader header;
    header.layout.name = "sample";
    header.layout.model.layers = 2 * pipeline;
    header.layout.parallel.data = data;
    header.layout.parallel.pipeline = pipeline;
    header.layout.cluster.hosts = {{"localhost", data * pipeline}};
    header.predictedStepSeconds = 0.5;
    header.predictedBubble = 0.25;
    return header;
}

Event span(EventKind kind, Lane lane, int rank, int step, std::int64_t begin, std::int64_t end, ActionId action = 0) {
    Event event;
    event.kind = kind;
    event.lane = lane;
    event.rank = static_cast<std::int16_t>(rank);
    event.step = step;
    event.begin = begin;
    event.end = end;
    event.action = action;
    return event;
}

/// Every rank does F and B of two microbatches of its stage in each of the steps; durations are random.
std::vector<Event> runOf(const RunHeader& header, int firstStep, int lastStep, RandomEvents& random, Durations& given,
                         int microbatches = 2) {
    std::vector<Event> events;
    const Mesh mesh(header.layout);
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        std::int64_t time = 0;
        for (int step = firstStep; step <= lastStep; ++step) {
            const std::int64_t begin = time;
            for (const ActionKind kind : {ActionKind::Forward, ActionKind::Backward}) {
                for (int microbatch = 0; microbatch < microbatches; ++microbatch) {
                    const ActionId action = actionId({kind, mesh.coordinate(rank, Axis::Pipeline), microbatch});
                    const std::int64_t lasts = 1'000'000 + random.below(9'000'000);
                    events.push_back(span(eventKind(kind), Lane::Compute, rank, step, time, time + lasts, action));
                    given[{rank, step, action}] = static_cast<double>(lasts) * 1e-9;
                    time += lasts;
                }
            }
            const std::int64_t waits = random.below(3'000'000);
            events.push_back(span(EventKind::Wait, Lane::Compute, rank, step, time, time + waits));
            time += waits;
            events.push_back(span(EventKind::Step, Lane::Host, rank, step, begin, time));
        }
    }
    return events;
}

bool near(std::optional<double> value, double expected) {
    return value && std::abs(*value - expected) < 1e-12 + 1e-9 * std::abs(expected);
}

}  // namespace

class RunComparisonTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The same run beside itself, shown on a slower clock: what the devices did is the same.
    void pacesAreNoDifference() {
        RandomEvents random(freshSeed());
        RunHeader a = headerOf(2, 2), b = a;
        a.paced = b.paced = true;
        a.stretch = 8;
        b.stretch = 32;
        b.predictedStepSeconds = 4 * a.predictedStepSeconds;
        Durations given;
        const std::vector<Event> events = runOf(a, 0, 6, random, given);
        std::vector<Event> slower = events;
        for (Event& event : slower) {
            event.begin *= 4;
            event.end *= 4;
        }
        RunComparer comparer(a, false, b);
        comparer.add(RunComparer::Side::A, events);
        comparer.add(RunComparer::Side::B, slower);
        const auto comparison = comparer.comparison();
        QVERIFY(comparison && comparison->notes.empty());
        QVERIFY(*comparison->stepSeconds.a > 0 && near(comparison->stepSeconds.b, *comparison->stepSeconds.a));
        for (const RunComparison::Rank& rank : comparison->ranks) QVERIFY(near(rank.computing.b, *rank.computing.a));
        // Nanoseconds of device time are whole.
        for (const RunComparison::Difference& one : comparison->largest)
            QVERIFY(*one.seconds.a > 0 && std::abs(*one.seconds.difference()) < 2e-9 && std::abs(one.worst) < 2e-9);
        b.paced = false;
        b.stretch = 1;
        RunComparer mixed(a, false, b);
        mixed.add(RunComparer::Side::A, events);
        mixed.add(RunComparer::Side::B, events);
        const auto told = mixed.comparison();
        QVERIFY(told && near(told->stepSeconds.b, 8 * *told->stepSeconds.a));
        QCOMPARE(told->notes.size(), std::size_t{1});
        QVERIFY(
            told->notes.front().english().starts_with("A is paced: its times are those of the devices that it models"));
    }

    void figuresAreThoseByHand() {
        RandomEvents random(freshSeed());
        const RunHeader header = headerOf(2, 2);
        Durations a, b;
        RunComparer comparer(header, false, header);
        comparer.add(RunComparer::Side::A, runOf(header, 0, 9, random, a));
        comparer.add(RunComparer::Side::B, runOf(header, 0, 6, random, b));
        const auto comparison = comparer.comparison();
        QVERIFY(comparison);
        // Steps 7 to 9 are A's alone; the first two warm up.
        QCOMPARE(comparison->firstStep, 2);
        QCOMPARE(comparison->lastStep, 6);
        QCOMPARE(comparison->stepCount, 5);
        QVERIFY(std::ranges::find(comparison->notes, "steps only in A: 7–9") != comparison->notes.end());
        QCOMPARE(comparison->a.steps, 10);
        QCOMPARE(comparison->b.steps, 7);
        QCOMPARE(comparison->steps.size(), std::size_t{7});

        std::map<int, double> computingA, computingB, stageA;
        std::map<std::pair<int, ActionId>, double> difference;
        double forwardA = 0;
        for (const auto& [key, seconds] : a) {
            const auto& [rank, step, action] = key;
            if (step < 2 || step > 6) continue;
            computingA[rank] += seconds / 5;
            computingB[rank] += b.at(key) / 5;
            stageA[actionFromId(action).stage] += seconds / 5 / 2;  // two replicas
            difference[{rank, action}] += (b.at(key) - seconds) / 5;
            if (actionFromId(action).kind == ActionKind::Forward) forwardA += seconds / 5 / 4;
        }
        for (const RunComparison::Rank& rank : comparison->ranks) {
            QCOMPARE(rank.a, rank.b);
            QVERIFY(near(rank.computing.a, computingA.at(rank.a)));
            QVERIFY(near(rank.computing.b, computingB.at(rank.a)));
        }
        QCOMPARE(comparison->ranks.size(), std::size_t{4});
        const auto forward = std::ranges::find(comparison->kinds, EventKind::Forward, &RunComparison::Kind::kind);
        QVERIFY(forward != comparison->kinds.end());
        QVERIFY(near(forward->seconds.a, forwardA));
        QVERIFY(near(forward->count.a, 8));
        QCOMPARE(comparison->stages.size(), std::size_t{2});
        for (const RunComparison::Stage& stage : comparison->stages) {
            QVERIFY(near(stage.seconds.a, stageA.at(stage.stage)));
            QCOMPARE(stage.layersA, std::pair(2 * stage.stage, 2 * stage.stage + 1));
        }
        QCOMPARE(comparison->layers.size(), std::size_t{4});
        QVERIFY(near(comparison->layers[3].seconds.a, stageA.at(1) / 2));

        std::vector<double> sizes;
        for (const auto& [key, seconds] : difference) sizes.push_back(std::abs(seconds));
        std::ranges::sort(sizes, std::greater{});
        QCOMPARE(comparison->largest.size(), std::size_t{10});
        for (std::size_t i = 0; i < 10; ++i) {
            const RunComparison::Difference& one = comparison->largest[i];
            QVERIFY(near(std::abs(*one.seconds.difference()), sizes[i]));
            QVERIFY(near(one.seconds.difference(), difference.at({one.rankA, one.action})));
            double worst = 0;
            for (int step = 2; step <= 6; ++step) {
                const double here = b.at({one.rankA, step, one.action}) - a.at({one.rankA, step, one.action});
                if (std::abs(here) > std::abs(worst)) worst = here;
            }
            QVERIFY(near(one.worst, worst));
        }
        QCOMPARE(comparison->alignedActions, std::int64_t{4 * 5 * 5});  // and a wait on each rank
    }

    /// Ranks of other meshes meet where they stand, and what has no counterpart is named.
    void otherMeshesMeetByPlace() {
        RandomEvents random(freshSeed());
        const RunHeader small = headerOf(1, 2);
        const RunHeader large = headerOf(2, 4);
        Durations a, b;
        RunComparer comparer(small, false, large);
        comparer.add(RunComparer::Side::A, runOf(small, 0, 3, random, a));
        comparer.add(RunComparer::Side::B, runOf(large, 0, 3, random, b, 3));
        const auto comparison = comparer.comparison();
        QVERIFY(comparison);
        const Mesh mesh(large.layout);
        QCOMPARE(comparison->ranks.size(), std::size_t{2});
        for (const RunComparison::Rank& rank : comparison->ranks) {
            QCOMPARE(mesh.coordinate(rank.b, Axis::Pipeline), rank.a);
            QCOMPARE(mesh.coordinate(rank.b, Axis::Data), 0);
        }
        QStringList notes;
        for (const Sentence& note : comparison->notes) notes.append(QString::fromStdString(note.english()));
        const QString all = notes.join('\n');
        QVERIFY2(all.contains("ranks of B whose place in the mesh A does not have: 1, 3–7"), qPrintable(all));
        QVERIFY2(all.contains("4 actions only in B"), qPrintable(all));  // F2 and B2 of two ranks
        QVERIFY2(all.contains("stages do not hold the same layers"), qPrintable(all));
        QCOMPARE(comparison->layers.size(), std::size_t{8});
        QCOMPARE(comparison->layers[3].stageA, 1);
        QCOMPARE(comparison->layers[3].stageB, 1);
        QCOMPARE(comparison->layers[7].stageA, -1);
        QVERIFY(!comparison->layers[7].seconds.a);
        QVERIFY(!comparison->layers[7].seconds.difference());
        QVERIFY(QJsonDocument::fromJson(QByteArray::fromStdString(toJson(*comparison, "a", "b"))).isObject());
    }

    void aPredictionIsComparedWithEveryStep() {
        RandomEvents random(freshSeed());
        const RunHeader header = headerOf(1, 2);
        Durations measured, predicted;
        const std::vector<Event> steps = runOf(header, 0, 7, random, measured);
        std::vector<Event> one;
        for (Event event : runOf(header, 0, 0, random, predicted)) {
            if (event.kind == EventKind::Step) continue;
            event.step = -1;
            one.push_back(event);
        }
        const QTemporaryDir folder;
        const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "x.shardlab";
        auto writer = RunWriter::create(file, header);
        QVERIFY(writer);
        QVERIFY((*writer)->appendPredicted(one));
        QVERIFY((*writer)->append(steps));
        QVERIFY((*writer)->finish({"finished", ""}));
        const auto reader = RunReader::open(file);
        QVERIFY(reader);
        const auto comparison = compareWithPrediction(**reader);
        QVERIFY(comparison);
        QVERIFY(comparison->a.predicted);
        QCOMPARE(comparison->stepCount, 6);
        QVERIFY(near(comparison->stepSeconds.a, 0.5));
        QVERIFY(near(comparison->bubble.a, 0.25));
        double expected = 0;
        for (const auto& [key, seconds] : predicted)
            if (std::get<0>(key) == 1) expected += seconds;
        QVERIFY(near(comparison->ranks[1].computing.a, expected));
        const RunComparison::Difference& first = comparison->largest.front();
        double sum = 0;
        for (int step = 2; step < 8; ++step) sum += measured.at({first.rankA, step, first.action});
        QVERIFY(near(first.seconds.b, sum / 6));
        QVERIFY(near(first.seconds.a, predicted.at({first.rankA, 0, first.action})));
        bool asked = false;
        const auto cancelled = compareWithPrediction(**reader, [&] { return asked = true; });
        QVERIFY(!cancelled && asked);
    }

    void lossesAreComparedStepByStep() {
        RandomEvents random(freshSeed());
        RunHeader header = headerOf(1, 2);
        const auto run = [&](const std::map<int, double>& changed) {
            Durations given;
            std::vector<Event> events = runOf(header, 0, 9, random, given);
            for (int step = 0; step <= 9; ++step) {
                Event loss = span(EventKind::Loss, Lane::Host, 0, step, 0, 0);
                loss.value = changed.contains(step) ? changed.at(step) : 4.0 - 0.1 * step;
                events.push_back(loss);
            }
            return events;
        };
        const auto compared = [&](const std::map<int, double>& changed) {
            RunComparer comparer(header, false, header);
            comparer.add(RunComparer::Side::A, run({}));
            comparer.add(RunComparer::Side::B, run(changed));
            const auto comparison = comparer.comparison();
            return comparison ? comparison->losses : std::nullopt;
        };
        const auto alike = compared({{4, 3.6 * (1 + 4e-6)}});
        QVERIFY(alike);
        QCOMPARE(alike->steps, 10);
        QVERIFY(!alike->firstApart);
        QCOMPARE(alike->largestStep, 4);
        QVERIFY(std::abs(alike->largest - 4e-6) < 1e-9);
        const auto apart = compared({{4, 3.6 * (1 + 4e-5)}, {7, 3.3 * (1 - 1e-2)}});
        QVERIFY(apart && apart->firstApart);
        QCOMPARE(*apart->firstApart, 4);
        QCOMPARE(apart->largestStep, 7);
        QVERIFY(std::abs(apart->largest - 1e-2) < 1e-9);
        const auto diverged = compared({{8, std::nan("")}});
        QVERIFY(diverged && diverged->firstApart);
        QCOMPARE(*diverged->firstApart, 8);
        QVERIFY(std::isinf(diverged->largest));
        // What is rounding in bf16 is not in fp32.
        header.layout.precision.compute = NumberFormat::Bf16;
        const auto rounded = compared({{4, 3.6 * (1 + 4e-3)}});
        QVERIFY(rounded && !rounded->firstApart);
    }

    void largeChangesAreMultiples() {
        const auto change = [](double a, double b) { return formatChange({a, b}); };
        QCOMPARE(change(2, 2.5), std::string("+25.0 %"));
        QCOMPARE(change(2, 1), std::string("−50.0 %"));
        QCOMPARE(change(1, 10.9), std::string("+990.0 %"));
        QCOMPARE(change(1, 11), std::string("×11.0"));
        QCOMPARE(change(1, 1440.486), std::string("×1440"));
        QCOMPARE(formatChange({std::nullopt, 1}), std::string("–"));
    }

    void nothingInCommonIsAnError() {
        RandomEvents random(freshSeed());
        const RunHeader header = headerOf(1, 1);
        Durations a, b;
        RunComparer comparer(header, false, header);
        comparer.add(RunComparer::Side::A, runOf(header, 0, 2, random, a));
        comparer.add(RunComparer::Side::B, runOf(header, 5, 6, random, b));
        const auto comparison = comparer.comparison();
        QVERIFY(!comparison);
        QVERIFY(comparison.error().text().find("no step is complete in both runs") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(RunComparisonTest)
#include "run_comparison_test.moc"
