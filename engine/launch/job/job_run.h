// SPDX-License-Identifier: Apache-2.0
// The job's thread: starts mpirun, moves what arrives into the recording, takes commands, ends everything, judges; and
// where the layout or a person asks for it starts again from a checkpoint, with as many ranks or with others.
#pragma once

#include "engine/trace/record/checkpoint_tally.h"
#include "engine/launch/job/collector.h"
#include "engine/launch/job/elastic_world.h"
#include "engine/launch/job/job.h"
#include "engine/launch/job/process.h"
#include "engine/trace/record/rank_arguments.h"
#include "engine/launch/job/rank_ends.h"
#include "engine/launch/job/restart_policy.h"
#include "engine/launch/job/run_request.h"
#include "engine/launch/job/run_hosts.h"
#include "engine/launch/job/run_recording.h"
#include "engine/launch/job/temporary_folder.h"
#include "engine/launch/job/watchdog.h"

#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace shardlab {

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
    std::shared_ptr<RunServer> server;  ///< none: nobody watches from elsewhere
};

class JobRun final : public Job {
public:
    JobRun(JobSetup setup, RunObserver& observer);
    ~JobRun() override;

    /// Starts the thread and returns once mpirun runs, or could not be started.
    Status begin();
    void send(Command command) override;
    void kill() override {
        killRequested_ = true;
        if (dismissing_) leaveViewers_ = true;
    }
    void resize(int data) override { resizeAsked_ = data; }
    void inject(const FaultRequest& request) override;
    RunState state() const override { return state_; }
    const std::filesystem::path& runFile() const override { return setup_.runFile; }
    void wait() override { done_.wait(); }

private:
    void run(std::promise<Status>& started);
    Status reachHosts();
    void trackHosts();
    void receive();
    void take(const RankHello& hello);
    void take(std::vector<Event> events);
    void takeInjectedFault(const Event& event);
    void takeFaultsAsked();
    void takeRequest();
    void take(LogLine line);
    void take(const RankGoodbye& goodbye);
    void take(const RankLinkLost& lost);
    void takeOutput(const std::vector<OutputLine>& lines);
    void takeCommands();
    void watchRanks();
    void noticeStopped(const Process& process);
    void report(const Hang& hang);
    void recordFlight();
    void endWhenDue(Process& process);
    enum class Cause : std::uint8_t { Failure, Request };
    void endWithin(std::int64_t nanoseconds, const char* why, Cause cause = Cause::Failure);
    ExitStatus follow(Process& process);
    void cleanUp(Process& process);
    Verdict judged(const ExitStatus& mpirun);
    void recordEnds(const Verdict& verdict);
    /// How the run goes on.
    struct Continuation {
        RestartPoint point;
        int data = 1;        ///< replicas
        bool asked = false;  ///< by a person: nothing failed
    };
    /// Of what was asked for, begins what can be begun now.
    void takeResize();
    /// After such an end; none: the run has ended, and `verdict` says why it does not go on.
    std::optional<Continuation> continuationAfter(Verdict& verdict);
    std::optional<int> replicasAfter(Verdict& verdict);
    Result<Process> goOn(Continuation next);
    Result<Process> startAgain(const Continuation& next);
    Status changeWorld(int data);
    void recordContinuation(const Continuation& next, const ElasticWorld& before);
    RankRecord& recordOf(int rank) { return setup_.ranks[static_cast<std::size_t>(setup_.world.placeOf(rank))]; }
    void concludeUnstarted(const Error& error);
    void conclude(Verdict verdict);
    void setState(RunState state);

    JobSetup setup_;
    RunObserver& observer_;
    RunRecording recording_;
    std::vector<RankFate> fates_;
    Watchdog watchdog_;
    std::optional<HungRank> hung_;
    std::string cutOff_;  ///< a host that is given up, in words
    HostClocks clocks_;
    std::int64_t clocksAt_ = 0;
    std::int64_t clocksRecordedAt_ = 0;
    MpirunReport report_;
    CheckpointTally checkpoints_;  ///< of all starts

    std::mutex mutex_;  ///< of the next two
    std::vector<Command> commands_;
    std::vector<FaultRequest> faultsAsked_;
    std::atomic<RunState> state_ = RunState::Starting;
    std::atomic<bool> killRequested_ = false;
    std::atomic<bool> abandoned_ = false;     ///< the owner goes away
    std::atomic<bool> dismissing_ = false;    ///< the ranks have ended, viewers still take the rest
    std::atomic<bool> leaveViewers_ = false;  ///< viewers do not get what they have not taken by now

    std::vector<InjectedFault> faults_;  ///< on purpose: those that have not happened, and those that go on
    std::atomic<int> resizeAsked_ = 0;   ///< replicas; 0: nothing
    std::string refusedRequest_;         ///< why what lies there was ignored; it has been told
    std::optional<int> resizing_;        ///< the ranks are ending, so that so many replicas may go on
    int starts_ = 0;                     ///< after the first
    bool stopRequested_ = false;
    bool pauseRequested_ = false;
    bool trained_ = false;                     ///< some rank ended a step
    bool stepped_ = false;                     ///< since the last start
    std::optional<std::int64_t> terminateAt_;  ///< run clock; mpirun is asked to end
    const char* terminateWhy_ = "";
    Cause terminateCause_ = Cause::Failure;
    std::optional<std::int64_t> endedAt_;  ///< run clock; mpirun was asked to end
    std::optional<std::int64_t> killAt_;   ///< run clock; everything is killed
    std::int64_t watchedAt_ = 0;
    std::int64_t lookedForStopsAt_ = 0;
    std::vector<int> stopped_;  ///< processes that a signal had stopped when they were looked at

    std::promise<void> doneWord_;
    std::shared_future<void> done_ = doneWord_.get_future().share();
    std::thread thread_;
};

}  // namespace shardlab
