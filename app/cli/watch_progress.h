// SPDX-License-Identifier: Apache-2.0
// What `watch` says on standard error, and the copy that it writes.
#pragma once

#include "app/cli/run_progress.h"
#include "engine/launch/serve/run_copy.h"

#include <condition_variable>
#include <mutex>
#include <optional>

namespace shardlab::cli {

class WatchProgress : public WatchObserver {
public:
    /// `copy`: none, where nothing is written.
    WatchProgress(bool terminal, RunCopy* copy) : terminal_(terminal), copy_(copy) {}

    void begun(const RunHeader& header) override;
    void predictedArrived(std::span<const Event> events) override;
    void eventsArrived(std::span<const Event> events) override;
    void logged(const LogLine& line) override;
    void rankChanged(const RankRecord& record) override;
    void named(std::uint32_t number, const std::string& text) override;
    void paused() override;
    void ended(const RunEnd& end) override;
    void statusChanged(const WatchStatus& status) override;

    /// From the main thread, a few times a second: writes what is new.
    void show();
    void close();
    bool over() const;
    WatchStatus status() const;
    std::optional<RunEnd> end() const;

private:
    const bool terminal_;
    RunCopy* const copy_;
    mutable std::mutex mutex_;  ///< guards what follows
    std::optional<RunProgress> progress_;
    WatchStatus status_;
    WatchStatus::State shown_ = WatchStatus::State::Connecting;
    std::optional<RunEnd> end_;
};

}  // namespace shardlab::cli
