// SPDX-License-Identifier: Apache-2.0
// A run's figures against sums made by hand from random events.
#include "engine/launch/job/run_summary.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>
#include <optional>

using namespace shardlab::test;

namespace {

RunHeader headerOfTwoRanks() {
    RunHeader header;
    header.layout.name = "two";
    header.layout.parallel.data = 1;
    header.layout.parallel.pipeline = 2;
    header.layout.run.steps = 50;
    header.predictedStepSeconds = 0.25;
    header.predictedBubble = 0.5;
    header.theoreticalBubble = 0.4;
    header.predictedPeak = {111, 222};
    return header;
}

Event counter(EventKind kind, int rank, int step, double value, std::int64_t bytes = 0) {
    Event event;
    event.kind = kind;
    event.rank = static_cast<std::int16_t>(rank);
    event.step = step;
    event.value = value;
    event.bytes = bytes;
    event.lane = Lane::Host;
    return event;
}

Event span(EventKind kind, Lane lane, int rank, int step, std::int64_t begin, std::int64_t end) {
    Event event = counter(kind, rank, step, 0);
    event.lane = lane;
    event.begin = begin;
    event.end = end;
    return event;
}

/// Each step lasts 100 ms; a rank computes during half of the time between first forward and last backward.
void addStep(RunFigures& figures, int step, double loss) {
    const std::int64_t begin = step * 100'000'000LL;
    std::vector<Event> events;
    for (int rank = 0; rank < 2; ++rank) {
        const std::int64_t mine = begin + rank * 20'000'000LL;
        events.push_back(span(EventKind::Forward, Lane::Compute, rank, step, mine, mine + 20'000'000));
        events.push_back(span(EventKind::Backward, Lane::Compute, rank, step, mine + 40'000'000, mine + 60'000'000));
        if (rank == 1) events.push_back(counter(EventKind::Loss, rank, step, loss));
        events.push_back(span(EventKind::Step, Lane::Host, rank, step, begin, begin + 100'000'000));
    }
    figures.add(events);
}

QJsonObject jsonOf(const RunSummary& summary) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(toJson(summary, "a file.shardlab"))).object();
}

}  // namespace

class RunSummaryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void figuresOfSteadySteps() {
        RunFigures figures(headerOfTwoRanks());
        for (int step = 0; step < 6; ++step) addStep(figures, step, 3.0 - 0.25 * step);
        const RunSummary summary = figures.summary();
        QCOMPARE(summary.losses, (std::vector<double>{3.0, 2.75, 2.5, 2.25, 2.0, 1.75}));
        QCOMPARE(summary.stepSeconds, 0.1);
        QCOMPARE(summary.bubble, 0.5);  // 40 of 80 ms, both ranks
        QCOMPARE(summary.tokensPerSecond, static_cast<double>(tokensPerStep(headerOfTwoRanks().layout)) / 0.1);
        QCOMPARE(summary.stepsAsked, 50);
    }

    /// The clock of this paced run shows a device's times 20 × as long.
    void figuresAreDeviceTimeAndThePaceIsNamed() {
        RunHeader header = headerOfTwoRanks();
        header.paced = true;
        header.stretch = 20;
        RunFigures figures(header), plain(headerOfTwoRanks());
        for (RunFigures* each : {&figures, &plain})
            for (int step = 0; step < 6; ++step) {
                addStep(*each, step, 2);
                each->add(std::vector{counter(EventKind::HiddenComm, 0, step, 0.01),
                                      counter(EventKind::ExposedComm, 0, step, 0.03),
                                      counter(EventKind::PaceOverrun, 0, step, 0.002)});
            }
        const RunSummary summary = figures.summary(), onClock = plain.summary();
        QCOMPARE(onClock.stepSeconds, 0.1);
        QCOMPARE(summary.stepSeconds, 0.1 / 20);
        QCOMPARE(summary.predictedStepSeconds, 0.25 / 20);
        QCOMPARE(summary.tokensPerSecond, 20 * onClock.tokensPerSecond);
        QCOMPARE(summary.bubble, onClock.bubble);
        QVERIFY(onClock.paceOverrun > 0 && summary.communication && onClock.communication);
        QCOMPARE(summary.paceOverrun, onClock.paceOverrun / 20);
        QCOMPARE(summary.communication->hidden, onClock.communication->hidden / 20);
        QCOMPARE(summary.communication->exposed, onClock.communication->exposed / 20);
        const auto jsonOf = [](const RunSummary& of) {
            return QJsonDocument::fromJson(QByteArray::fromStdString(toJson(of, "a.shardlab"))).object();
        };
        const QJsonObject json = jsonOf(summary), paced = json["paced_step_seconds"].toObject();
        QCOMPARE(json["step_seconds"].toObject()["measured"].toDouble(), 0.1 / 20);
        QCOMPARE(paced["measured"].toDouble(), 0.1);
        QCOMPARE(paced["predicted"].toDouble(), 0.25);
        QVERIFY(jsonOf(onClock)["paced_step_seconds"].isNull());
    }

    void communicationBesideComputeIsTheMeanOfSteadySteps() {
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        RunFigures figures(headerOfTwoRanks());
        QVERIFY(!figures.summary().communication);
        double hidden = 0, exposed = 0;
        for (int step = 0; step < 10; ++step)
            for (int rank = 0; rank < 2; ++rank) {
                const double behind = random.generateDouble(), waited = random.generateDouble();
                figures.add(std::vector{counter(EventKind::ExposedComm, rank, step, waited),
                                        counter(EventKind::HiddenComm, rank, step, behind)});
                if (step < 2) continue;
                hidden += behind / 16;
                exposed += waited / 16;
            }
        const QJsonObject json = jsonOf(figures.summary())["data_communication_seconds"].toObject();
        // Counted in whole nanoseconds.
        QVERIFY2(std::abs(json["hidden"].toDouble() - hidden) < 1e-9, qPrintable(QString("seed %1").arg(seed)));
        QVERIFY2(std::abs(json["exposed"].toDouble() - exposed) < 1e-9, qPrintable(QString("seed %1").arg(seed)));
    }

    void memoryIsThePeakOfEachCategory() {
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        RunFigures figures(headerOfTwoRanks());
        std::vector<MemoryBytes> expected(2, MemoryBytes{});
        std::vector<std::int64_t> peaks(2, 0);
        for (int i = 0; i < 500; ++i) {
            const std::size_t rank = random.bounded(2u);
            const std::size_t category = random.bounded(static_cast<quint32>(memoryCategoryCount));
            const std::int64_t bytes = random.bounded(1'000'000);
            const auto kind = random.bounded(2u) == 0 ? memoryKind : peakKind;
            const Event used =
                counter(kind(static_cast<MemoryCategory>(category)), static_cast<int>(rank), i, 0, bytes);
            expected[rank][category] = std::max(expected[rank][category], bytes);
            const Event peak = counter(EventKind::MemoryPeak, static_cast<int>(rank), i, 0, 2 * bytes);
            peaks[rank] = std::max(peaks[rank], 2 * bytes);
            figures.add(std::vector{used, peak});
        }
        const RunSummary summary = figures.summary();
        for (std::size_t rank = 0; rank < 2; ++rank) {
            QVERIFY2(summary.ranks[rank].memory == expected[rank], qPrintable(QString("seed %1").arg(seed)));
            QCOMPARE(summary.ranks[rank].peak, peaks[rank]);
            QCOMPARE(summary.ranks[rank].predictedPeak, rank == 0 ? 111 : 222);
        }
    }

    /// Told in the first step, and again in the first after a restart, and so no figure of steps: found in a run's file
    /// all the same.
    void memoryOfTheHostIsReadFromTheFile() {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("run.shardlab").toStdString();
        RunHeader header = headerOfTwoRanks();
        header.layout.memory.offload = OffloadKind::Optimizer;
        std::vector<Event> events;
        for (int step = 0; step < 3; ++step)
            for (int rank = 0; rank < 2; ++rank) {
                const std::int64_t begin = step * 100'000'000LL;
                events.push_back(span(EventKind::Step, Lane::Host, rank, step, begin, begin + 100'000'000));
                for (const MemoryCategory category : {MemoryCategory::Gradients, MemoryCategory::Optimizer}) {
                    if (step == 1) continue;
                    const std::int64_t bytes = 1000 * (rank + 1) + (step == 2 && rank == 1 ? 500
                                                                    : step == 2            ? -500
                                                                                           : 0);
                    Event told = counter(EventKind::HostMemory, rank, step, static_cast<double>(category), bytes);
                    told.begin = told.end = begin + 100'000'000;
                    events.push_back(told);
                }
            }
        // After a restart at another size the second rank has more on its host, and the first one less.
        Event restart = span(EventKind::Restart, Lane::Host, -1, 2, 200'000'000, 200'000'000);
        restart.bytes = 2;
        restart.value = 1;
        events.push_back(restart);
        auto writer = RunWriter::create(file, header);
        QVERIFY(writer.has_value());
        for (int rank = 0; rank < 2; ++rank)
            QVERIFY((*writer)->setRank({rank, "host", 1, "pp" + std::to_string(rank), "finished"}).has_value());
        QVERIFY((*writer)->append(events).has_value() && (*writer)->finish({"finished", {}}).has_value());
        const auto reader = RunReader::open(file);
        QVERIFY(reader.has_value());
        const auto summary = summarize(**reader);
        QVERIFY(summary.has_value());
        for (std::size_t rank = 0; rank < 2; ++rank) {
            const std::int64_t bytes = rank == 0 ? 1000 : 2500;
            QCOMPARE(total(summary->ranks[rank].host), 2 * bytes);
            QCOMPARE(summary->ranks[rank].host[static_cast<std::size_t>(MemoryCategory::Optimizer)], bytes);
        }
        const QJsonObject first = jsonOf(*summary)["memory"].toArray()[0].toObject();
        QCOMPARE(first["host"].toObject()["optimizer"].toInt(), 1000);
    }

    void whatIsUnknownIsNull() {
        const QJsonObject json = jsonOf(RunFigures(headerOfTwoRanks()).summary());
        QVERIFY(json["step_seconds"].toObject()["measured"].isNull());
        QVERIFY(json["bubble"].toObject()["measured"].isNull());
        QVERIFY(json["tokens_per_second"].isNull());
        QVERIFY(json["data_communication_seconds"].isNull());
        QCOMPARE(json["step_seconds"].toObject()["predicted"].toDouble(), 0.25);
        QCOMPARE(json["bubble"].toObject()["theory"].toDouble(), 0.4);
        QVERIFY(json["losses"].toArray().isEmpty());
        QCOMPARE(json["run"].toString(), QString("a file.shardlab"));
    }

    /// Another program tells the losses of some steps; those after the last of them were "nan".
    void whatAProgramDidNotTellIsNoLoss() {
        for (const bool withLayout : {true, false}) {
            RunHeader header = headerOfTwoRanks();
            header.origin = "train.py";
            header.layoutGiven = withLayout;
            RunFigures figures(header);
            const auto withoutDetails = [&](int step, std::optional<double> loss) {
                std::vector<Event> events;
                for (int rank = 0; rank < 2; ++rank) {
                    events.push_back(span(EventKind::Step, Lane::Host, rank, step, step * 100, step * 100 + 100));
                    events.back().value = 1;
                }
                if (loss) events.push_back(counter(EventKind::Loss, 1, step, *loss));
                figures.add(events);
            };
            withoutDetails(0, std::nullopt);
            addStep(figures, 1, 3.0);
            withoutDetails(2, std::nullopt);
            withoutDetails(3, 2.5);
            QCOMPARE(figures.summary().losses.back(), 2.5);
            withoutDetails(4, std::nullopt);
            const std::vector<double> losses = figures.summary().losses;
            QCOMPARE(losses.size(), std::size_t{4});
            QVERIFY(std::isnan(losses[0]) && std::isnan(losses[2]));
            QCOMPARE(losses[3], 2.5);
            // A step with details tells its loss, though that is no number: the run has diverged.
            addStep(figures, 5, std::numeric_limits<double>::quiet_NaN());
            QCOMPARE(figures.summary().losses.size(), withLayout ? std::size_t{6} : std::size_t{4});
        }
        RunHeader header = headerOfTwoRanks();
        header.origin = "train.py";
        RunFigures silent(header);
        addStep(silent, 0, std::numeric_limits<double>::quiet_NaN());
        QVERIFY(silent.summary().losses.empty());
    }

    void aDivergedLossKeepsItsPlace() {
        RunFigures figures(headerOfTwoRanks());
        addStep(figures, 0, 3.0);
        addStep(figures, 1, std::numeric_limits<double>::infinity());
        addStep(figures, 2, 2.0);
        const QJsonArray losses = jsonOf(figures.summary())["losses"].toArray();
        QCOMPARE(losses.size(), 3);
        QCOMPARE(losses[0].toDouble(), 3.0);
        QVERIFY(losses[1].isNull());
        QCOMPARE(losses[2].toDouble(), 2.0);
    }

    void checkpointsAreCountedFromTheLog() {
        CheckpointTally tally;
        tally.add({1, 0, LogLevel::Info, "2 windows to train on"});
        tally.add({1, -1, LogLevel::Info, tookCheckpoint(1, "the launcher says so")});
        QCOMPARE(tally.taken + tally.failed, 0);
        QCOMPARE(tally.text(), std::string());
        tally.add({2, 0, LogLevel::Warning, noCheckpoint(10, "cannot write: no room")});
        QVERIFY(tally.none());
        QCOMPARE(tally.text(),
                 std::string("the one checkpoint, of step 10, could not be taken: cannot write: no room"));
        tally.add({3, 0, LogLevel::Warning, noCheckpoint(20, "cannot write: still no room")});
        QVERIFY(tally.none());
        QCOMPARE(
            tally.text(),
            std::string("none of 2 checkpoints could be taken; the last, of step 20: cannot write: still no room"));
        tally.add({4, 0, LogLevel::Info, tookCheckpoint(30, "1.00 MiB in 2.00 ms: there")});
        QVERIFY(!tally.none());
        QCOMPARE(
            tally.text(),
            std::string("2 of 3 checkpoints could not be taken, the newest is of step 30; the last that failed, of "
                        "step 20: cannot write: still no room"));
        RunSummary summary = RunFigures(headerOfTwoRanks()).summary();
        QVERIFY(jsonOf(summary)["checkpoints"].toObject()["newest_step"].isNull());
        summary.checkpoints = tally;
        const QJsonObject json = jsonOf(summary)["checkpoints"].toObject();
        QCOMPARE(json["taken"].toInt(), 1);
        QCOMPARE(json["failed"].toInt(), 2);
        QCOMPARE(json["newest_step"].toInt(), 30);
        QCOMPARE(json["last_failed_step"].toInt(), 20);
        QCOMPARE(json["last_failure"].toString(), QString("cannot write: still no room"));
    }

    void overrunsDropsRanksAndEnd() {
        RunFigures figures(headerOfTwoRanks());
        figures.add(std::vector{counter(EventKind::PaceOverrun, 0, 1, 0.5), counter(EventKind::PaceOverrun, 1, 1, 0.25),
                                counter(EventKind::Dropped, 1, 1, 17)});
        figures.set(RankRecord{1, "host", 4321, "pp1", "killed by SIGKILL at step 1 in 1F2"});
        figures.set(RankRecord{9, "nowhere", 1, "", ""});  // no such rank: ignored
        figures.set(RunEnd{"failed", "rank 1 was killed"});
        const RunSummary summary = figures.summary();
        QCOMPARE(summary.paceOverrun, 0.75);
        QCOMPARE(summary.droppedEvents, 17);
        QCOMPARE(summary.ranks.size(), std::size_t{2});
        const QJsonObject json = jsonOf(summary);
        QCOMPARE(json["ranks"].toArray()[1].toObject()["pid"].toInt(), 4321);
        QCOMPARE(json["ranks"].toArray()[1].toObject()["end"].toString(),
                 QString("killed by SIGKILL at step 1 in 1F2"));
        QCOMPARE(json["outcome"].toString(), QString("failed"));
    }
};

QTEST_GUILESS_MAIN(RunSummaryTest)
#include "run_summary_test.moc"
