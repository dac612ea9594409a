// SPDX-License-Identifier: GPL-3.0-or-later
// How a run session gets its job: from launch, or from a test's stand-in.
#pragma once

#include "engine/launch/job/job.h"

#include <functional>
#include <memory>

namespace shardlab {

/// A started job; its destructor ends it and may block for seconds, so it is called on another thread.
class RunningJob {
public:
    virtual ~RunningJob() = default;
    virtual void send(Command command) = 0;
    /// The functions resize() and inject() do what those of Job do.
    virtual void resize(int data) = 0;
    virtual void inject(const FaultRequest& request) = 0;
    virtual std::filesystem::path runFile() const = 0;
};

/// Called on a worker thread; may block.
using JobStarter = std::function<Result<std::unique_ptr<RunningJob>>(const JobOptions&, JobObserver&)>;

/// Job::start.
JobStarter launchedJobs();

}  // namespace shardlab
