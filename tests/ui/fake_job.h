// SPDX-License-Identifier: GPL-3.0-or-later
// A job of the tests: starts no process, says what the test has it say, remembers what it was told.
#pragma once

#include "ui/core/job_starter.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace shardlab {

struct FakeJobs {
    std::mutex mutex;
    JobObserver* observer = nullptr;
    JobOptions options;
    std::vector<Command> commands;
    std::vector<int> sizes;            ///< asked for
    std::vector<FaultRequest> faults;  ///< asked for
    std::atomic<int> started = 0;
    std::atomic<int> destroyed = 0;
    std::optional<Error> refusal;            ///< the next starts fail with it
    std::atomic<int> startMilliseconds = 0;  ///< how long a start blocks

    std::vector<Command> told() {
        const std::scoped_lock lock(mutex);
        return commands;
    }
    std::vector<int> sizesAsked() {
        const std::scoped_lock lock(mutex);
        return sizes;
    }
    std::vector<FaultRequest> faultsAsked() {
        const std::scoped_lock lock(mutex);
        return faults;
    }
    /// Says something from another thread, as a job does.
    template <class Say>
    void say(Say&& words) {
        JobObserver* to = nullptr;
        {
            const std::scoped_lock lock(mutex);  // whoever starts has said its own first
            to = observer;
        }
        std::thread([&] { words(*to); }).join();
    }
    void end(const std::string& outcome, const std::string& reason = {}) {
        say([&](JobObserver& to) {
            to.stateChanged(JobState::Ended);
            to.ended({outcome, reason});
        });
    }
};

class FakeJob : public RunningJob {
public:
    explicit FakeJob(std::shared_ptr<FakeJobs> jobs) : jobs_(std::move(jobs)) {}
    ~FakeJob() override { ++jobs_->destroyed; }
    void send(Command command) override {
        const std::scoped_lock lock(jobs_->mutex);
        jobs_->commands.push_back(command);
    }
    void inject(const FaultRequest& request) override {
        const std::scoped_lock lock(jobs_->mutex);
        jobs_->faults.push_back(request);
    }
    void resize(int data) override {
        const std::scoped_lock lock(jobs_->mutex);
        jobs_->sizes.push_back(data);
    }
    std::filesystem::path runFile() const override { return jobs_->options.runFile; }

private:
    std::shared_ptr<FakeJobs> jobs_;
};

inline JobStarter startFake(std::shared_ptr<FakeJobs> jobs) {
    return [jobs](const JobOptions& options, JobObserver& observer) -> Result<std::unique_ptr<RunningJob>> {
        std::this_thread::sleep_for(std::chrono::milliseconds(jobs->startMilliseconds));
        const std::scoped_lock lock(jobs->mutex);
        if (jobs->refusal) return fail(*jobs->refusal);
        jobs->options = options;
        jobs->observer = &observer;
        ++jobs->started;
        observer.stateChanged(JobState::Starting);
        observer.stateChanged(JobState::Running);
        return std::make_unique<FakeJob>(jobs);
    };
}

}  // namespace shardlab
