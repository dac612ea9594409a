// SPDX-License-Identifier: Apache-2.0
// Writes a run that is watched into a run file of its own, which has everything the watched one has.
#pragma once

#include "engine/trace/run_file/run_file.h"
#include "engine/launch/serve/run_watch.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

namespace shardlab::launch {

/// Stands between a RunWatch or a LiveListener, whose thread calls it, and `next`, which hears everything it hears. Its
/// error may be asked for once that thread has ended.
class RunCopy : public WatchObserver {
public:
    explicit RunCopy(std::filesystem::path file) : RunCopy(std::move(file), nobody_) {}
    RunCopy(std::filesystem::path file, WatchObserver& next) : file_(std::move(file)), next_(next) {}
    /// The copy of a run whose end never came has no end.
    ~RunCopy() override;
    RunCopy(const RunCopy&) = delete;
    RunCopy& operator=(const RunCopy&) = delete;

    void begun(const RunHeader& header) override;
    void predictedArrived(std::span<const Event> events) override;
    void restartsKnown(std::span<const Event> restarts) override { next_.restartsKnown(restarts); }
    void eventsArrived(std::span<const Event> events) override;
    void logged(const LogLine& line) override;
    void rankChanged(const RankRecord& record) override;
    void clocksMeasured(std::span<const HostClock> clocks) override;
    void named(std::uint32_t number, const std::string& text) override;
    void stateChanged(RunState state) override { next_.stateChanged(state); }
    void ended(const RunEnd& end) override;
    void statusChanged(const WatchStatus& status) override { next_.statusChanged(status); }
    void paused() override;
    void copyFailed(const Error& error) override { next_.copyFailed(error); }

    /// Leaves one file, readable as any other: `reason` says why it holds only a part of the run. Does nothing where
    /// the run had ended, or had not begun.
    void close(const std::string& reason);
    /// The first failure to write; nothing is written after it.
    const std::optional<Error>& error() const { return error_; }

private:
    bool writing() const { return writer_ && !error_; }
    void keep(const Status& status);
    void finish(const RunEnd& end);

    WatchObserver nobody_;
    std::filesystem::path file_;
    WatchObserver& next_;
    std::unique_ptr<RunWriter> writer_;
    std::optional<Error> error_;
    std::chrono::steady_clock::time_point flushedAt_{};
};

}  // namespace shardlab::launch
