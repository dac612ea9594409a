// SPDX-License-Identifier: GPL-3.0-or-later
// A job of the tests: it starts no process, tells what the test has it tell, and remembers what was asked of it.
#pragma once

#include "engine/launch/job/run_header.h"
#include "ui/core/run_session.h"
#include "tests/support/wings.h"

#include <QTest>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace shardlab::test {

struct FakeJobs {
    std::mutex mutex;
    RunObserver* observer = nullptr;
    JobOptions options;
    std::vector<Command> commands;
    std::vector<int> sizes;            ///< asked for
    std::vector<FaultRequest> faults;  ///< asked for
    std::atomic<int> started = 0;
    std::atomic<int> ended = 0;
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
        RunObserver* to = nullptr;
        {
            const std::scoped_lock lock(mutex);  // whoever starts has said its own first
            to = observer;
        }
        std::thread([&] { words(*to); }).join();
    }
    /// The options of the job that has started and not ended; a session starts its job on another thread.
    JobOptions underWay() {
        if (!QTest::qWaitFor([this] { return started > ended; }))
            qFatal("no job has started: %d, %d ended", started.load(), ended.load());
        const std::scoped_lock lock(mutex);
        return options;
    }
    void end(const std::string& outcome, const std::string& reason = {}) {
        ++ended;
        say([&](RunObserver& to) {
            to.stateChanged(RunState::Ended);
            to.ended({outcome, reason});
        });
    }
};

class FakeJob : public Job {
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
    void kill() override {}
    RunState state() const override { return RunState::Running; }
    const std::filesystem::path& runFile() const override { return jobs_->options.runFile; }
    void wait() override {}

private:
    std::shared_ptr<FakeJobs> jobs_;
};

inline JobStarter startFake(std::shared_ptr<FakeJobs> jobs) {
    return [jobs](const JobOptions& options, RunObserver& observer) -> Result<std::unique_ptr<Job>> {
        std::this_thread::sleep_for(std::chrono::milliseconds(jobs->startMilliseconds));
        const std::scoped_lock lock(jobs->mutex);
        if (jobs->refusal) return fail(*jobs->refusal);
        jobs->options = options;
        jobs->observer = &observer;
        ++jobs->started;
        const auto plan = makePlan(options.layout, options.measurements);
        if (!plan) return fail({"the layout cannot run", options.layout.name, toText(plan.error()), {}});
        observer.begun(headerOf(*plan));
        observer.predictedArrived(plan->simulation.events);
        observer.stateChanged(RunState::Starting);
        observer.stateChanged(RunState::Running);
        return std::make_unique<FakeJob>(jobs);
    };
}

}  // namespace shardlab::test
