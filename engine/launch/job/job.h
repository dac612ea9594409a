// SPDX-License-Identifier: Apache-2.0
// A job: one run from pressing Run to its last byte on disk. Starts mpirun, collects what ranks send, writes the run
// file, takes commands, knows why each rank ended. Works on threads of its own; nothing here blocks the caller.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/event/event.h"
#include "engine/launch/job/run_request.h"
#include "engine/layout/layout.h"
#include "engine/predict/plan/measurements.h"
#include "engine/trace/run_file/run_file.h"
#include "engine/launch/serve/run_server.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace shardlab {

enum class JobState : std::uint8_t { Starting, Running, Paused, Stopping, Restarting, Ended };
std::string_view name(JobState state);

struct JobOptions {
    Layout layout;                      ///< legal (check.h), paths absolute
    std::filesystem::path runFile;      ///< where to record
    std::filesystem::path rankProgram;  ///< shardlab-rank; empty: beside this program
    Measurements measurements;          ///< what the prediction in the run file is made from
    std::filesystem::path profile;      ///< where ranks write what they measure before they train; empty: they do not
    /// The checkpoint to go on from, or a folder of checkpoints: its newest; empty: from the beginning. Of any layout
    /// with the same model.
    std::filesystem::path resume;
    /// Whoever watches from other machines; listens already. The job serves its run file there and takes leave of it at
    /// its end, which may be some seconds after that of the ranks.
    std::shared_ptr<RunServer> server;
    /// The agent that the user has named for this run: the layout's may be started where it is the same, or is allowed
    /// (allowed_agents.h).
    std::string agent;
};

/// Where a run keeps its checkpoints: the layout's folder, or "<run>.checkpoints" beside the run file.
std::filesystem::path checkpointFolder(const Layout& layout, const std::filesystem::path& runFile);

/// Called from the job's thread, one call at a time, in the order things happen.
class JobObserver {
public:
    virtual ~JobObserver() = default;
    virtual void stateChanged(JobState) {}
    virtual void eventsArrived(std::span<const Event>) {}
    virtual void logged(const LogLine&) {}
    virtual void rankChanged(const RankRecord&) {}              ///< joined or ended
    virtual void clocksMeasured(std::span<const HostClock>) {}  ///< of other hosts; all that the run file keeps
    virtual void ended(const RunEnd&) {}                        ///< last call; the file is complete
};

class Job {
public:
    /// Makes the plan, creates the run file and the socket, starts mpirun. Errors: an unwritable place, mpirun missing,
    /// shardlab-rank missing, too few slots, an agent that is not allowed. Where other hosts take part, what is wrong
    /// with them is the run's end. `observer` must outlive the job.
    static Result<std::unique_ptr<Job>> start(const JobOptions& options, JobObserver& observer);
    /// Ends the run if it still runs (stop, then kill) and waits for its threads.
    ~Job();
    struct Impl;
    explicit Job(std::unique_ptr<Impl> impl);  ///< for start()

    /// Takes effect at the next step boundary, on all ranks at the same step.
    void send(Command command);
    /// An elastic run takes a checkpoint at the next step boundary, and goes on from there with `data` replicas. What
    /// cannot be is told in the log (canResize of elastic_world.h says it before).
    void resize(int data);
    /// At once, in the middle of whatever the rank does; what follows is as with any other fault. What cannot be is
    /// told in the log.
    void inject(const FaultRequest& request);
    /// Ends all ranks at once, in the middle of whatever they do; the file stays whole. For the second press of Stop.
    void kill();
    JobState state() const;
    const std::filesystem::path& runFile() const;
    /// Blocks until ended.
    void wait();

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace shardlab
