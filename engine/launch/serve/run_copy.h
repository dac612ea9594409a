// SPDX-License-Identifier: Apache-2.0
// Writes a run that is watched into a run file of its own, which has everything the watched one has.
#pragma once

#include "engine/trace/run_file/run_file.h"
#include "engine/launch/serve/run_watch.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

namespace shardlab {

/// For a RunWatch, whose thread it is used by; what it says of itself may be asked once that has ended.
class RunCopy : public WatchObserver {
public:
    explicit RunCopy(std::filesystem::path file) : file_(std::move(file)) {}
    /// Of a run whose end never came the copy has no end.
    ~RunCopy() override;

    void begun(const RunHeader& header) override;
    void predictedArrived(std::span<const Event> events) override;
    void eventsArrived(std::span<const Event> events) override;
    void logged(const LogLine& line) override;
    void rankChanged(const RankRecord& record) override;
    void clocksMeasured(std::span<const HostClock> clocks) override;
    void named(std::uint32_t number, const std::string& text) override;
    void paused() override;
    void ended(const RunEnd& end) override;

    /// Leaves one file, readable as any other: `reason` says why it holds only a part of the run. Nothing, where the
    /// run had ended, or had not begun.
    void close(const std::string& reason);
    /// The first failure to write; nothing is written after it.
    const std::optional<Error>& error() const { return error_; }

protected:
    /// The file of that name is a run from now on.
    virtual void created() {}
    /// A first failure to write.
    virtual void broken(const Error&) {}

private:
    void keep(const Status& status);

    std::filesystem::path file_;
    std::unique_ptr<RunWriter> writer_;
    std::optional<Error> error_;
    std::chrono::steady_clock::time_point flushedAt_{};
};

}  // namespace shardlab
