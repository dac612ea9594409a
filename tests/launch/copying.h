// SPDX-License-Identifier: Apache-2.0
// Whoever watches a run that is served, in a test.
#pragma once

#include "engine/launch/serve/run_copy.h"
#include "engine/launch/serve/run_watch.h"
#include "tests/support/wings.h"

#include <mutex>
#include <string>

namespace shardlab::test {

/// Copies what it watches, and can be waited for.
class Copying final : public RunCopy {
public:
    using RunCopy::RunCopy;
    void statusChanged(const WatchStatus& status) override {
        const std::lock_guard lock(mutex_);
        if (status.state == WatchStatus::State::Lost && last_.state != status.state) ++losses_;
        last_ = status;
        if (!status.reason.empty()) reasons_ += status.reason.english() + "\n";
    }
    WatchStatus last() const {
        const std::lock_guard lock(mutex_);
        return last_;
    }
    int losses() const {
        const std::lock_guard lock(mutex_);
        return losses_;
    }
    std::string reasons() const {
        const std::lock_guard lock(mutex_);
        return reasons_;
    }
    bool is(WatchStatus::State state) const { return last().state == state; }

private:
    mutable std::mutex mutex_;
    WatchStatus last_;
    int losses_ = 0;
    std::string reasons_;
};

}  // namespace shardlab::test
