// SPDX-License-Identifier: Apache-2.0
// Profiling is a job whose ranks measure the parts of a layout and then train some steps of it, at full speed on this
// machine. What it finds is completed with what those steps took and what would have been predicted for them.
#pragma once

#include "engine/launch/job/job.h"
#include "engine/launch/job/temporary_folder.h"
#include "engine/predict/plan/profile.h"

#include <memory>

namespace shardlab::launch {

class Profiling {
public:
    /// Errors: those of Job::start. `observer` must outlive this; it sees a run of `steps` steps.
    static Result<std::unique_ptr<Profiling>> start(const Layout& layout, RunObserver& observer,
                                                    const std::filesystem::path& rankProgram = {});

    Job& job() { return *job_; }
    /// Called once the job has ended. Error: it failed, or was stopped before it had measured enough.
    Result<Profile> result() const;

    static constexpr int steps = 12;

    /// Used by start() alone.
    Profiling(TemporaryFolder folder, std::unique_ptr<Job> job) : folder_(std::move(folder)), job_(std::move(job)) {}

private:
    /// Outlives the job, which writes into it.
    TemporaryFolder folder_;
    std::unique_ptr<Job> job_;
};

/// The layout as it is profiled: not paced, Profiling::steps steps long, without validation between them.
Layout profiledLayout(Layout layout);

}  // namespace shardlab::launch
