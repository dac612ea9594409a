// SPDX-License-Identifier: Apache-2.0
// A job is one run, from pressing Run to its last byte on disk. It starts mpirun, collects what ranks send, writes the
// run file, takes commands and knows why each rank ended. It works on threads of its own.
#pragma once

#include "engine/base/result.h"
#include "engine/launch/job/mpirun_extras.h"
#include "engine/launch/job/run_request.h"
#include "engine/layout/layout.h"
#include "engine/predict/plan/measurements.h"
#include "engine/trace/run_file/run_observer.h"
#include "engine/launch/serve/run_server.h"

#include <filesystem>
#include <memory>
#include <string>

namespace shardlab::launch {

struct JobOptions {
    Layout layout;                      ///< legal (check.h), paths absolute
    std::filesystem::path runFile;      ///< where to record
    std::filesystem::path rankProgram;  ///< shardlab-rank; empty: beside this program
    Measurements measurements;          ///< the plan, which the run file keeps, is made from them
    std::filesystem::path profile;      ///< where ranks write what they measure before they train; empty: they do not
    /// The checkpoint to go on from, of any layout with the same model, or a folder whose newest checkpoint it is;
    /// empty: the run starts at the beginning.
    std::filesystem::path resume;
    /// Serves the run to viewers on other machines, and listens already; none: nobody watches. The job takes leave of
    /// it at its end, which may be some seconds after that of the ranks.
    std::shared_ptr<RunServer> server;
    /// The agent that the user has named for this run. The layout's agent is started only where it is the same, or is
    /// allowed (allowed_agents.h).
    std::string agent;
    MpirunExtras mpirun;
    /// The operations within the actions of every k-th step are recorded, and of no others; 0: of none. Not of paced
    /// runs, which show the times of modelled devices, where operations take those of this machine.
    int operationsEvery = 0;
};

/// Where a run keeps its checkpoints: the layout's folder, or "<run>.checkpoints" beside the run file.
std::filesystem::path checkpointFolder(const Layout& layout, const std::filesystem::path& runFile);

class Job {
public:
    /// Makes the plan, creates the run file and the socket, starts mpirun. The observer is told the header and the
    /// predicted events of the plan before this returns, so that nobody who follows the job makes a plan again.
    /// Errors: a layout that cannot run, an unwritable place, mpirun missing, shardlab-rank missing, too few slots, an
    /// agent that is not allowed. Where other hosts take part, what is wrong with them is the run's end. `observer`
    /// must outlive the job.
    static Result<std::unique_ptr<Job>> start(const JobOptions& options, RunObserver& observer);
    /// Ends the run if it still goes on (stop, then kill) and waits for its threads, for some seconds at most.
    virtual ~Job() = default;

    /// The command takes effect at the next step boundary, on all ranks at the same step.
    virtual void send(Command command) = 0;
    /// An elastic run takes a checkpoint at the next step boundary, and goes on from there with `data` replicas. What
    /// cannot be done is told in the log (canResize of elastic_world.h says it before).
    virtual void resize(int data) = 0;
    /// The rank is struck at once, in the middle of whatever it does; what follows is as with any other fault. What
    /// cannot be done is told in the log.
    virtual void inject(const FaultRequest& request) = 0;
    /// Ends all ranks at once, in the middle of whatever they do; the file stays whole. For the second press of Stop.
    virtual void kill() = 0;
    virtual RunState state() const = 0;
    virtual const std::filesystem::path& runFile() const = 0;
    /// Blocks until the run has ended.
    virtual void wait() = 0;
};

}  // namespace shardlab::launch
