// SPDX-License-Identifier: Apache-2.0
// The job's thread: it starts mpirun, moves what arrives into the recording, takes commands, ends everything and judges
// how it ended; where the layout or a person asks for it, it starts ranks again from a checkpoint, as many or others.
#pragma once

#include "engine/trace/record/checkpoint_tally.h"
#include "engine/launch/job/checkpoint_lock.h"
#include "engine/launch/job/collector.h"
#include "engine/launch/job/elastic_world.h"
#include "engine/launch/job/job.h"
#include "engine/launch/job/job_attempt.h"
#include "engine/launch/job/job_requests.h"
#include "engine/launch/job/process.h"
#include "engine/trace/record/rank_arguments.h"
#include "engine/launch/job/restart_policy.h"
#include "engine/launch/job/run_hosts.h"
#include "engine/launch/job/run_recording.h"
#include "engine/launch/job/stray_processes.h"
#include "engine/launch/job/temporary_folder.h"
#include "engine/launch/serve/name_table.h"

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <vector>

namespace shardlab::launch {

/// What Job::start has made ready.
struct JobSetup {
    TemporaryFolder folder;
    std::optional<TemporaryFolder> sharedMemory;
    RankArguments arguments;
    RunHosts hosts;
    std::vector<RankRecord> ranks;
    RunHeader header;              ///< what the observer is told first, with the predicted events
    std::vector<Event> predicted;  ///< already written by `writer`
    std::unique_ptr<RunWriter> writer;
    CollectorOptions listening;
    std::unique_ptr<Collector> collector;
    WatchdogSetup watch;
    RestartPolicy restarts;
    ElasticWorld world;
    std::filesystem::path runFile;
    std::shared_ptr<RunServer> server;  ///< none: nobody watches from another machine
    CheckpointLock checkpoints;
};

class JobRun final : public Job {
public:
    JobRun(JobSetup setup, RunObserver& observer);
    ~JobRun() override;

    /// Starts the thread and returns once mpirun runs, or could not be started.
    Status begin();
    void send(Command command) override { requests_.send(command); }
    void resize(int data) override { requests_.resize(data); }
    void inject(const FaultRequest& request) override { requests_.inject(request); }
    void kill() override { requests_.kill(); }
    RunState state() const override { return state_; }
    const std::filesystem::path& runFile() const override { return setup_.runFile; }
    void wait() override { done_.wait(); }
    /// The owner goes away: everything ends soon, and the record with it.
    void abandon() { requests_.abandon(); }
    void waitFor(std::chrono::seconds patience) const { done_.wait_for(patience); }

private:
    // job_run.cpp: from the first start to the last byte
    void run(std::promise<Status>& started);
    Status reachHosts();
    ExitStatus follow(Process& process);
    void takeCommands();
    void endWithin(std::int64_t nanoseconds, const char* why, AttemptEnd::Cause cause = AttemptEnd::Cause::Failure);
    void endWhenDue(Process& process);
    void cleanUp(Process& process);
    Verdict judged(const ExitStatus& mpirun);
    void recordEnds(const Verdict& verdict);
    void concludeUnstarted(const Error& error);
    void conclude(Verdict verdict);
    void setState(RunState state);
    bool starting() const { return state_ == RunState::Starting || state_ == RunState::Restarting; }
    /// Nobody wants the run to go on.
    bool unwanted() const { return requests_.killed() || stopRequested_ || requests_.abandoned(); }

    // job_ranks.cpp: what ranks say, and what is seen of them
    void receive();
    void take(const RankHello& hello);
    void take(const RankName& name);
    void take(std::vector<Event> events);
    void take(LogLine line);
    void take(const RankGoodbye& goodbye);
    void take(const RankLinkLost& lost);
    void takeOutput(const std::vector<OutputLine>& lines);
    void trackHosts();
    void watchRanks();
    void noticeStopped(const Process& process);
    void report(const Hang& hang);
    void recordFlight();
    RankRecord& recordOf(int rank) { return setup_.ranks[static_cast<std::size_t>(setup_.world.placeOf(rank))]; }

    // job_faults.cpp: faults on purpose, and what other programs ask
    void takeInjectedFault(const Event& event);
    void takeFaultsAsked();
    void takeRequest();

    // job_continuation.cpp: how the run goes on after its ranks have ended
    struct Continuation {
        RestartPoint point;
        int data = 1;        ///< replicas
        bool asked = false;  ///< a person asked for it: nothing failed
    };
    /// Begins the resize that was asked for, where it can be begun now.
    void takeResize();
    /// How the run goes on after such an end; none: it has ended, and `verdict` says why it does not go on.
    std::optional<Continuation> continuationAfter(Verdict& verdict);
    std::optional<int> replicasAfter(Verdict& verdict);
    Result<Process> goOn(Continuation next);
    Result<Process> startAgain(const Continuation& next);
    Status changeWorld(int data);
    void recordContinuation(const Continuation& next, const ElasticWorld& before);

    JobSetup setup_;
    RunObserver& observer_;
    RunRecording recording_;
    JobAttempt attempt_;
    JobRequests requests_;
    std::atomic<RunState> state_ = RunState::Starting;

    // What the attempts of the run have in common; used by the job's thread alone.
    NameTable names_{[this](std::uint32_t number, const std::string& text) { recording_.named(number, text); }};
    CheckpointTally checkpoints_;
    std::vector<InjectedFault> faults_;  ///< on purpose: those that have not happened, and those that go on
    std::string refusedRequest_;         ///< why the request beside the run file was ignored; it has been told
    std::optional<int> resizing_;        ///< the ranks are ending, so that so many replicas may go on
    int restarts_ = 0;                   ///< starts of ranks after the first
    bool stopRequested_ = false;
    bool pauseRequested_ = false;
    bool trained_ = false;  ///< some rank ended a step
    std::int64_t watchedAt_ = 0;
    StoppedProcesses stopped_;
    std::int64_t lookedForStopsAt_ = 0;
    struct {
        HostClocks all;
        std::int64_t trackedAt = 0;
        std::int64_t recordedAt = 0;
    } clocks_;

    std::promise<void> doneWord_;
    std::shared_future<void> done_ = doneWord_.get_future().share();
    std::thread thread_;
};

}  // namespace shardlab::launch
