// SPDX-License-Identifier: Apache-2.0
// A job of fake ranks and everything its observer was told.
#pragma once

#include "engine/launch/job/job.h"
#include "engine/launch/job/process.h"
#include "tests/support/fake_rank.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <mutex>
#include <vector>

namespace shardlab::test {

class Witness : public RunObserver {
public:
    void stateChanged(RunState state) override {
        locked([&] { states_.push_back(state); });
    }
    void eventsArrived(std::span<const Event> events) override {
        locked([&] {
            events_.insert(events_.end(), events.begin(), events.end());
            for (const Event& event : events) lastStep_ = std::max(lastStep_, static_cast<int>(event.step));
        });
    }
    void logged(const LogLine& line) override {
        locked([&] { log_.push_back(line); });
    }
    void rankChanged(const RankRecord& record) override {
        locked([&] { ranks_[record.rank] = record; });
    }
    void ended(const RunEnd& end) override {
        locked([&] { ends_.push_back(end); });
    }

    std::vector<RunState> states() const { return copy(states_); }
    std::vector<Event> events() const { return copy(events_); }
    std::vector<LogLine> log() const { return copy(log_); }
    std::map<int, RankRecord> ranks() const { return copy(ranks_); }
    std::vector<RunEnd> ends() const { return copy(ends_); }
    bool rankJoined(int rank) const {
        const auto all = ranks();
        return all.contains(rank) && all.at(rank).pid > 0;
    }
    int lastStep() const {
        const std::lock_guard lock(mutex_);
        return lastStep_;
    }

private:
    template <class Change>
    void locked(Change change) {
        const std::lock_guard lock(mutex_);
        change();
    }
    template <class T>
    T copy(const T& value) const {
        const std::lock_guard lock(mutex_);
        return value;
    }

    mutable std::mutex mutex_;
    std::vector<RunState> states_;
    std::vector<Event> events_;
    int lastStep_ = -1;
    std::vector<LogLine> log_;
    std::map<int, RankRecord> ranks_;
    std::vector<RunEnd> ends_;
};

/// Two fake ranks (a pipeline of two), recorded in a folder of its own.
class WatchedJob {
public:
    explicit WatchedJob(const FakeRun& run = {}) {
        run.toEnvironment();
        options.layout.parallel.data = 1;
        options.layout.parallel.pipeline = 2;
        options.layout.cluster.hosts.front().devices = 2;
        options.runFile = folder.filePath("run.shardlab").toStdString();
        options.rankProgram = std::filesystem::read_symlink("/proc/self/exe");
    }

    bool start() {
        auto started = Job::start(options, witness);
        if (!started) {
            error = started.error();
            return false;
        }
        job = std::move(*started);
        return true;
    }
    /// Waits until the job has recorded something of the step. False: it ended before, or did not get that far; story()
    /// then says what happened instead.
    bool reaches(int step) const {
        return QTest::qWaitFor([&] { return witness.lastStep() >= step || !witness.ends().empty(); }) &&
               witness.lastStep() >= step;
    }
    /// How far the job came and how it ended, for the message of a test that fails.
    QByteArray story() const {
        std::string told = "step " + std::to_string(witness.lastStep());
        for (const RunEnd& end : witness.ends()) told += "; " + end.outcome + ": " + end.reason;
        for (const LogLine& line : witness.log()) told += "\n" + line.text;
        return QByteArray::fromStdString(told);
    }
    /// The run file once the job has ended.
    std::unique_ptr<RunReader> reader() const {
        auto opened = RunReader::open(options.runFile);
        return opened ? std::move(*opened) : nullptr;
    }

    QTemporaryDir folder;
    JobOptions options;
    Witness witness;
    Error error;
    std::unique_ptr<Job> job;
};

}  // namespace shardlab::test
