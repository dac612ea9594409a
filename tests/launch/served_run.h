// SPDX-License-Identifier: Apache-2.0
// A run that is recorded bit by bit, as a job does it, and what it must come out as wherever it is watched.
#pragma once

#include "engine/trace/event/event_codec.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace shardlab::test {

class ServedRun {
public:
    ServedRun(std::filesystem::path path, std::uint64_t seed, int ranks = 3)
        : file(std::move(path)), random_(seed), ranks_(ranks) {
        RunHeader header;
        header.layout.name = "served";
        header.layout.parallel.pipeline = ranks;
        header.created = "2026-01-02T03:04:05Z";
        header.version = "0.1.0";
        header.predictedStepSeconds = 0.75;
        header.predictedPeak = {1, 2, 3};
        auto made = RunWriter::create(file, header);
        if (!made) qFatal("%s", made.error().text().c_str());
        writer_ = std::move(*made);
        for (int rank = 0; rank < ranks; ++rank) {
            check(writer_->appendPredicted(random_.plausible(static_cast<std::size_t>(1 + random_.below(6000)), rank)));
            check(writer_->setRank({rank, "host", 0, "pp" + std::to_string(rank), ""}));
        }
        check(writer_->flush());
    }

    /// Some events of some ranks, some lines, now and then a rank that has something new to say; flushed.
    void grow(std::size_t most = 5000) {
        for (int rank = 0; rank < ranks_; ++rank) {
            if (random_.below(3) == 0) continue;
            check(writer_->append(
                random_.plausible(static_cast<std::size_t>(1 + random_.below(static_cast<std::int64_t>(most))), rank)));
        }
        for (std::int64_t lines = random_.below(4); lines > 0; --lines)
            check(writer_->append(LogLine{random_.below(1 << 30), static_cast<int>(random_.below(ranks_)) - 1,
                                          LogLevel::Warning, "line " + std::to_string(random_.below(1'000'000))}));
        if (random_.below(4) == 0) check(writer_->addName(++names_, "name " + std::to_string(random_.below(1000))));
        const int rank = static_cast<int>(random_.below(ranks_));
        if (random_.below(4) == 0)
            check(writer_->setRank(
                {rank, "host", static_cast<int>(random_.below(40000)), "pp" + std::to_string(rank), ""}));
        check(writer_->flush());
    }

    void restart(std::int64_t time, int step) {
        Event event;
        event.begin = event.end = time;
        event.step = step;
        event.value = 1;
        event.rank = -1;
        event.lane = Lane::Host;
        event.kind = EventKind::Restart;
        check(writer_->append(std::span(&event, 1)));
        check(writer_->flush());
    }

    void finish(const RunEnd& end) {
        check(writer_->finish(end));
        writer_.reset();
    }

    const std::filesystem::path file;
    RandomEvents& random() { return random_; }

private:
    static void check(const Status& status) {
        if (!status) qFatal("%s", status.error().text().c_str());
    }
    RandomEvents random_;
    int ranks_;
    std::uint32_t names_ = 0;
    std::unique_ptr<RunWriter> writer_;
};

/// Everything in a run file, each lane's events in its order as bytes, which also compares what is no number.
struct WholeRun {
    std::string layout, created;
    double predictedStep = 0;
    std::vector<std::tuple<int, std::string, int, std::string, std::string>> ranks;
    std::vector<std::tuple<std::int64_t, int, int, std::string>> log;
    std::vector<std::string> names;
    std::map<std::pair<int, int>, Bytes> measured, predicted;
    std::int64_t events = 0, dropped = 0;
    std::size_t restarts = 0;
    std::string outcome, reason;
    bool operator==(const WholeRun&) const = default;

    static Result<WholeRun> read(const std::filesystem::path& file) {
        const auto opened = RunReader::open(file);
        if (!opened) return fail(opened.error());
        const RunReader& run = **opened;
        WholeRun whole{run.header().layoutJson, run.header().created, run.header().predictedStepSeconds};
        for (const RankRecord& rank : run.ranks())
            whole.ranks.emplace_back(rank.rank, rank.host, rank.pid, rank.label, rank.end);
        const auto log = run.log();
        if (!log) return fail(log.error());
        for (const LogLine& line : *log)
            whole.log.emplace_back(line.time, line.rank, static_cast<int>(line.level), line.text);
        whole.names = run.names().all();
        const auto add = [](auto& lanes, std::span<const Event> events) {
            for (const Event& event : events)
                encodeEvents(std::span(&event, 1), lanes[{event.rank, static_cast<int>(event.lane)}]);
        };
        const auto predicted = run.predicted();
        if (!predicted) return fail(predicted.error());
        add(whole.predicted, *predicted);
        const Status read = run.readEvents([&](std::span<const Event> events) {
            add(whole.measured, events);
            return true;
        });
        if (!read) return fail(read.error());
        whole.events = run.eventCount();
        whole.dropped = run.droppedEvents();
        whole.restarts = run.restarts().size();
        whole.outcome = run.end().outcome;
        whole.reason = run.end().reason;
        return whole;
    }
};

}  // namespace shardlab::test
