// SPDX-License-Identifier: Apache-2.0
// Figures that a run file stores against the same figures counted from its events, and against sums made by hand.
#include "engine/base/file.h"
#include "engine/trace/event/number_table.h"
#include "engine/trace/event/zstd_bytes.h"
#include "engine/trace/metrics/figure_codec.h"
#include "engine/trace/metrics/figure_recording.h"
#include "engine/launch/job/run_summary.h"
#include "engine/trace/run_file/run_schema.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/trace/random_run.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>

using namespace shardlab::test;

namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::vector<StepFigures> figuresOf(const RunReader& run) {
    std::vector<StepFigures> all;
    const Status read = run.readFigures([&](const StepFigures& step) {
        all.push_back(step);
        return true;
    });
    if (!read) qWarning("%s", read.error().text().c_str());
    return all;
}

/// Empty where `steps` are what `events`, none of them superseded, come to.
QString difference(const std::vector<StepFigures>& steps, const std::vector<Event>& events, int ranks) {
    Summarizer summarizer(ranks, true, SentBytes(layoutOfRanks(ranks)));
    summarizer.add(events);
    std::map<std::tuple<int, int, EventKind, int>, KindTime> kinds;
    std::map<std::pair<int, int>, MemoryBytes> memory;
    std::set<int> outside;
    for (const Event& event : events) {
        if (event.rank < 0) continue;
        if (event.step < 0) outside.insert(-1);
        if (const auto category = memoryCategory(event.kind, EventKind::MemoryUsed)) {
            std::int64_t& bytes = memory[{event.step, event.rank}][static_cast<std::size_t>(*category)];
            bytes = std::max(bytes, event.bytes);
        }
        if (!isSpan(event.kind) || event.kind == EventKind::Step) continue;
        const int stage = event.action == 0 ? -1 : actionFromId(event.action).stage;
        KindTime& time = kinds[{event.step, event.rank, event.kind, stage}];
        ++time.count;
        time.nanoseconds += event.end - event.begin;
        time.bytes += event.bytes;
    }
    if (steps.size() != summarizer.steps().size() + outside.size())
        return QString("%1 steps in place of %2").arg(steps.size()).arg(summarizer.steps().size());
    std::size_t counted = 0;
    for (const StepFigures& figures : steps) {
        const int number = figures.times.step;
        const auto wrong = [&](const char* what) { return QString("step %1: %2").arg(number).arg(what); };
        for (int rank = 0; rank < ranks; ++rank) {
            const RankDetail& detail = figures.details[static_cast<std::size_t>(rank)];
            if (detail.memory != memory[{number, rank}]) return wrong("memory");
            for (const KindTime& time : detail.kinds) {
                const auto found = kinds.find({number, rank, time.kind, time.stage});
                if (found == kinds.end() || found->second.count != time.count || found->second.bytes != time.bytes ||
                    found->second.nanoseconds != time.nanoseconds)
                    return wrong("kinds");
                ++counted;
            }
        }
        if (number < 0) continue;
        const auto place = std::ranges::lower_bound(summarizer.steps(), number, {}, &StepSummary::step);
        if (place == summarizer.steps().end() || place->step != number) return wrong("it is not there");
        const StepSummary &a = figures.times, &b = *place;
        if (a.ranks != b.ranks) return wrong("ranks");
        if (a.begin != b.begin || a.end != b.end || a.firstForward != b.firstForward ||
            a.lastBackward != b.lastBackward)
            return wrong("times");
        if (a.withoutDetails != b.withoutDetails) return wrong("details");
        if (a.busy != b.busy || a.complete != b.complete || a.seconds != b.seconds || a.bubble != b.bubble)
            return wrong("sums");
        if (!same(a.loss, b.loss) || a.validation != b.validation) return wrong("losses");
    }
    return counted == kinds.size() ? QString() : QString("%1 kinds in place of %2").arg(counted).arg(kinds.size());
}

std::string jsonOf(const RunReader& run) {
    const auto summary = summarize(run);
    return summary ? toJson(*summary, "file") : summary.error().text();
}

RunHeader headerOfRanks(int ranks) {
    RunHeader header;
    header.layout = layoutOfRanks(ranks);
    return header;
}

}  // namespace

class StoredFiguresTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    /// However the events arrive, and whatever is done again.
    void theyEqualThoseOfTheEvents() {
        RandomEvents random(freshSeed());
        for (int round = 0; round < 12; ++round) {
            const int ranks = static_cast<int>(1 + random.below(5));
            RandomRuns runs(random);
            runs.sparse = round % 3 == 1;
            const RandomRun run = runs.make(ranks, static_cast<int>(1 + random.below(400)),
                                            static_cast<int>(random.below(4)), 2, round % 2 == 1);
            write(run, random, true);
            const auto reader = RunReader::open(file());
            QVERIFY2(reader, reader ? "" : reader.error().text().c_str());
            QVERIFY((*reader)->storesFigures());
            const std::vector<StepFigures> stored = figuresOf(**reader);
            const QString wrong = difference(stored, run.counting, ranks);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            const auto overview = (*reader)->overview();
            QVERIFY(overview);
            std::size_t at = 0;
            for (const StepFigures& figures : stored) {
                if (figures.times.step < 0) continue;
                QVERIFY(at < overview->size());
                const StepSummary brief = summaryOf((*overview)[at++], figures.times.active, true);
                QVERIFY(figures.times.complete);  // by as many ranks as did it
                QCOMPARE(brief.step, figures.times.step);
                QCOMPARE(brief.seconds, figures.times.seconds);
                QCOMPARE(brief.bubble, figures.times.bubble);
                QCOMPARE(brief.complete, figures.times.complete);
                QCOMPARE(brief.withoutDetails, figures.times.withoutDetails);
                QVERIFY(same(brief.loss, figures.times.loss));
            }
            QCOMPARE(at, overview->size());

            // The same file without them: what is then counted from its events is the same, and so is all that is told
            // of it.
            const std::string told = jsonOf(**reader);
            {
                auto older = Database::open(file(), DatabaseMode::Write);
                QVERIFY(older->run("DROP TABLE step; DROP TABLE rank_step; PRAGMA user_version = 3"));
            }
            const auto old = RunReader::open(file());
            QVERIFY2(old, old ? "" : old.error().text().c_str());
            QVERIFY(!(*old)->storesFigures());
            const QString different = difference(figuresOf(**old), run.counting, ranks);
            QVERIFY2(different.isEmpty(), qPrintable(different));
            QCOMPARE(jsonOf(**old), told);
        }
    }

    /// What its killed recorder had flushed.
    void anAbortedRunHasThemToo() {
        RandomEvents random(freshSeed());
        const RandomRun run = RandomRuns(random).make(3, 60, 1, 3);
        const pid_t child = ::fork();
        if (child == 0) {
            auto writer = RunWriter::create(file(), headerOfRanks(3));
            const bool flushed = writer && (*writer)->append(run.events) && (*writer)->flush();
            ::_exit(flushed ? 0 : 1);  // no destructor: as if killed
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        QCOMPARE(status, 0);
        const auto reader = RunReader::open(file());
        QVERIFY(reader);
        const QString wrong = difference(figuresOf(**reader), run.counting, 3);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// While it is recorded, at every moment.
    void aLiveRunHasThemToo() {
        RandomEvents random(freshSeed());
        const RandomRun run = RandomRuns(random).make(2, 40, 2, 2);
        auto writer = RunWriter::create(file(), headerOfRanks(2));
        QVERIFY(writer);
        std::vector<Event> given;
        for (std::size_t at = 0; at < run.events.size();) {
            const auto count = std::min(run.events.size() - at, static_cast<std::size_t>(1 + random.below(900)));
            const auto part = std::span(run.events).subspan(at, count);
            QVERIFY((*writer)->append(part));
            QVERIFY((*writer)->flush());
            at += count;
            given.insert(given.end(), part.begin(), part.end());
            Restarts restarts;
            for (const Event& event : given) restarts.add(event);
            std::vector<Event> counting;
            std::ranges::copy_if(given, std::back_inserter(counting),
                                 [&](const Event& event) { return !restarts.superseded(event); });
            const auto reader = RunReader::open(file());
            QVERIFY(reader);
            const QString wrong = difference(figuresOf(**reader), counting, 2);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
    }

    /// Ranks may be far apart: what comes late for a step long written joins it.
    void lateEventsFindTheirStep() {
        RandomEvents random(freshSeed());
        constexpr int ranks = 16;
        // Some are read back.
        constexpr int steps = stepsPerBlock(ranks) * static_cast<int>(FigureRecording::mostBlocks + 20);
        const RandomRun run = RandomRuns(random).make(ranks, steps, 0, 1);
        auto writer = RunWriter::create(file(), headerOfRanks(ranks));
        QVERIFY(writer);
        for (int rank = 0; rank < ranks; ++rank) {
            std::vector<Event> part;
            std::ranges::copy_if(run.events, std::back_inserter(part),
                                 [&](const Event& event) { return event.rank == rank; });
            for (std::size_t at = 0; at < part.size(); at += 5000) {
                QVERIFY((*writer)->append(std::span(part).subspan(at, std::min<std::size_t>(5000, part.size() - at))));
                QVERIFY((*writer)->flush());
            }
        }
        QVERIFY((*writer)->finish({"finished", ""}));
        const auto reader = RunReader::open(file());
        const QString wrong = difference(figuresOf(**reader), run.events, ranks);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// Where what is stored is damaged, the events still tell.
    void damagedFiguresAreCountedAnew() {
        RandomEvents random(freshSeed());
        const RandomRun run = RandomRuns(random).make(2, 600, 0, 1);
        write(run, random, false);
        {
            auto database = Database::open(file(), DatabaseMode::Write);
            QVERIFY(database->run(
                "UPDATE rank_step SET data = zeroblob(length(data)) WHERE first = 256; UPDATE step SET crc = crc + 1"));
        }
        const auto reader = RunReader::open(file());
        QVERIFY(reader);
        const QString wrong = difference(figuresOf(**reader), run.events, 2);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QCOMPARE((*reader)->overview()->size(), std::size_t{600});
    }

    void readingFromAStepOn() {
        RandomEvents random(freshSeed());
        write(RandomRuns(random).make(3, 500, 0, 1), random, true);
        const auto reader = RunReader::open(file());
        for (int i = 0; i < 20; ++i) {
            const int first = static_cast<int>(random.below(510));
            std::vector<int> steps;
            QVERIFY((*reader)->readFigures(
                [&](const StepFigures& step) {
                    steps.push_back(step.times.step);
                    return steps.size() < 100;
                },
                first));
            QCOMPARE(steps.size(), static_cast<std::size_t>(std::clamp(500 - first, 0, 100)));
            for (std::size_t at = 0; at < steps.size(); ++at) QCOMPARE(steps[at], first + static_cast<int>(at));
        }
    }

    /// The hidden and exposed time of a step that was done twice counted twice, and so did its overruns.
    void stepsDoneAgainCountOnceBesideCompute() {
        RandomEvents random(freshSeed());
        for (int round = 0; round < 5; ++round) {
            const RandomRun run = RandomRuns(random).make(2, 12, 3, 1);
            RunFigures live(headerOfRanks(2)), once(headerOfRanks(2));
            live.add(run.events);
            once.add(run.counting);
            write(run, random, false);
            const auto reader = RunReader::open(file());
            const auto read = summarize(**reader);
            QVERIFY(read);
            const RunSummary wanted = once.summary();
            for (const RunSummary& told : {live.summary(), *read}) {
                QCOMPARE(told.paceOverrun, wanted.paceOverrun);
                QCOMPARE(told.communication.has_value(), wanted.communication.has_value());
                if (!wanted.communication) continue;
                QCOMPARE(told.communication->hidden, wanted.communication->hidden);
                QCOMPARE(told.communication->exposed, wanted.communication->exposed);
            }
        }
    }

    /// Kept as it was recorded by the version before figures were stored; and as the versions before had it.
    void filesOfEveryFormatOpen() {
        const std::string kept = std::string(SHARDLAB_SOURCE_DIR) + "/tests/trace/runs/format-3.shardlab";
        for (int version = 3; version >= 1; --version) {
            std::filesystem::copy_file(kept, file(), std::filesystem::copy_options::overwrite_existing);
            if (version < 3) {
                auto older = Database::open(file(), DatabaseMode::Write);
                const std::string sql = std::string("DROP TABLE note;") + (version < 2 ? "DROP TABLE name;" : "") +
                                        "PRAGMA user_version = " + std::to_string(version);
                QVERIFY(older->run(sql.c_str()));
            }
            const auto before = readFile(file());
            const auto reader = RunReader::open(file());
            QVERIFY2(reader, reader ? "" : reader.error().text().c_str());
            QCOMPARE((*reader)->eventCount(), std::int64_t{610});
            std::vector<Event> events;
            QVERIFY((*reader)->readEvents([&](std::span<const Event> block) {
                events.insert(events.end(), block.begin(), block.end());
                return true;
            }));
            const auto steps = figuresOf(**reader);
            QCOMPARE(steps.back().times.step, 5);
            QCOMPARE(steps.back().times.ranks.size(), std::size_t{2});
            QVERIFY(steps.back().times.complete);
            const QJsonObject told = QJsonDocument::fromJson(QByteArray::fromStdString(jsonOf(**reader))).object();
            // As that version told it.
            QCOMPARE(told["outcome"].toString(), QString("finished"));
            QCOMPARE(told["steps"].toInt(), 6);
            QVERIFY(qAbs(told["losses"].toArray()[5].toDouble() - 5.5372) < 1e-4);
            QCOMPARE(told["bubble"].toObject()["theory"].toDouble(), 0.2);
            QVERIFY(told["size_limit"].isNull());
            QVERIFY((*reader)->notes() && (*reader)->notes()->empty());
            QCOMPARE(*readFile(file()), *before);  // nobody wrote into it
            // A note brings the file itself to the newest format; its figures are still those of its events.
            Note note{.time = 5, .text = "kept", .created = "2026-01-01T00:00:00Z"};
            QVERIFY(keepNote(file(), note));
            const auto noted = RunReader::open(file());
            QVERIFY(noted);
            QCOMPARE((*noted)->notes()->size(), std::size_t{1});
            QVERIFY(!(*noted)->storesFigures());
            QCOMPARE(figuresOf(**noted).size(), steps.size());
        }
    }

    /// Whatever bytes claim to be figures.
    void strangeBytesAreRefused() {
        RandomEvents random(freshSeed());
        const RandomRun run = RandomRuns(random).make(2, 5, 0, 1);
        write(run, random, false);
        const auto steps = figuresOf(**RunReader::open(file()));
        const Bytes packed = packFigures(steps);
        QVERIFY(unpackFigures(packed, 2, true));
        QVERIFY(!unpackFigures(packed, 1, true));  // rows of a rank that is not there
        for (int i = 0; i < 2000; ++i) {
            Bytes wrong = packed;
            const auto at = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(wrong.size())));
            if (random.below(2) == 0) wrong.resize(at);
            else wrong[at] ^= static_cast<std::byte>(1 + random.below(255));
            static_cast<void>(unpackFigures(wrong, 2, true));
            static_cast<void>(unpackOverviews(wrong));
        }
        QVERIFY(!unpackFigures(std::span(packed).first(packed.size() - 1), 2, true));
        QVERIFY(!unpackFigures({}, 2, true));

        // Some bytes that claim a million rows, all of the same rank of the same step.
        NumberTable step(5), ranks(26), kinds(7);
        step.add({0, 0, 0, 0, 0});
        const std::initializer_list<std::int64_t> rank{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                       0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        const auto claimed = [&] {
            Bytes bytes;
            for (const NumberTable* table : {&step, &ranks, &kinds}) table->append(bytes);
            return unpackFigures(packBytes(bytes), 2, true).has_value();
        };
        ranks.add(rank);
        QVERIFY(claimed());
        for (int row = 0; row < 1'000'000; ++row) ranks.add(rank);
        QVERIFY(!claimed());
    }

private:
    std::string file() const { return folder_->filePath("run.shardlab").toStdString(); }

    /// In pieces; `mixed`: lanes in another order than they were recorded in, but each in its own.
    void write(const RandomRun& run, RandomEvents& random, bool mixed) {
        auto writer = RunWriter::create(file(), headerOfRanks(run.ranks));
        QVERIFY2(writer, writer ? "" : writer.error().text().c_str());
        for (std::size_t at = 0; at < run.events.size();) {
            const auto count = std::min(run.events.size() - at, static_cast<std::size_t>(1 + random.below(2000)));
            std::vector<Event> part(run.events.begin() + static_cast<std::ptrdiff_t>(at),
                                    run.events.begin() + static_cast<std::ptrdiff_t>(at + count));
            const bool restarts = std::ranges::any_of(part, isRestart);
            if (mixed && !restarts)
                std::ranges::stable_sort(part, {},
                                         [](const Event& event) { return std::pair(event.lane, -event.rank); });
            QVERIFY((*writer)->append(part));
            if (random.below(3) == 0) QVERIFY((*writer)->flush());
            at += count;
        }
        QVERIFY((*writer)->finish({"finished", ""}));
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(StoredFiguresTest)
#include "stored_figures_test.moc"
