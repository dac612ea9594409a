// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/job_starter.h"

namespace shardlab {
namespace {

class LaunchedJob : public RunningJob {
public:
    explicit LaunchedJob(std::unique_ptr<Job> job) : job_(std::move(job)) {}
    void send(Command command) override { job_->send(command); }
    void resize(int data) override { job_->resize(data); }
    void inject(const FaultRequest& request) override { job_->inject(request); }
    std::filesystem::path runFile() const override { return job_->runFile(); }

private:
    std::unique_ptr<Job> job_;
};

}  // namespace

JobStarter launchedJobs() {
    return [](const JobOptions& options, JobObserver& observer) -> Result<std::unique_ptr<RunningJob>> {
        auto job = Job::start(options, observer);
        if (!job) return tl::unexpected(job.error());
        return std::make_unique<LaunchedJob>(std::move(*job));
    };
}

}  // namespace shardlab
