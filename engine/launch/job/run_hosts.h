// SPDX-License-Identifier: Apache-2.0
// The hosts of a run as its job sees them: where each rank is, what it does and what it has left, whether it is on this
// host or on another. For a run on this host alone, files of the job's folder say all of that.
#pragma once

#include "engine/launch/job/host_links.h"
#include "engine/launch/job/mpirun.h"
#include "engine/trace/record/rank_arguments.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/trace/record/flight_record.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace shardlab::launch {

struct RunHostsSetup {
    Layout layout;
    MpirunOptions mpirun;             ///< complete but for hosts and agent
    std::filesystem::path program;    ///< mpirun's program
    std::filesystem::path collector;  ///< the collector's Unix socket
    std::string agent;                ///< JobOptions::agent
};

class RunHosts {
public:
    explicit RunHosts(RunHostsSetup setup);
    RunHosts(RunHosts&&) noexcept;
    ~RunHosts();

    /// Whether any host is another machine, as far as names tell.
    bool several() const { return several_; }
    /// Starts to call the other hosts; the calling thread must live as long as the run. Errors: no network; files that
    /// are to be shared cannot be read; a text that is no agent.
    Status call(const RankArguments& arguments);
    /// Whether all hosts are ready for ranks; an error says which is not and why.
    Result<bool> ready();
    /// What starts the ranks; `arguments` are those of this host.
    ProcessSpec command(const RankArguments& arguments) const;
    /// What all hosts with ranks have besides TCP, once they are ready and where no network is named.
    Fabrics fabrics() const;
    /// Takes another layout's hosts and ranks, after end(); the other hosts are then to be called anew.
    void change(Layout layout);
    /// Ranks are about to be started anew, with `arguments`.
    void attempt(int restart);

    Result<RankStatus> status(const RankArguments& arguments, int rank) const;
    bool isStopped(int rank, const RankStatus& status) const;
    /// Whether a rank whose link is lost may have died: on another host its forwarder knows.
    bool mayBeGone(int rank) const;
    /// What the rank's flight record says, wherever the rank is.
    Result<std::vector<FlightEntry>> flight(const RankArguments& arguments, int rank) const;
    /// Ends what the run has left on the other hosts, and waits for that as long as `patience`.
    void kill(std::chrono::milliseconds patience) const;
    /// Brings the rest of the rank's spool here, from the offset on. Error: its host cannot be reached.
    Status fetchSpool(const RankArguments& arguments, int rank, std::uint64_t from) const;

    /// Says which host is given up; empty: none is.
    std::string lost() const;
    /// Says which hosts have not been heard just now; empty: all were. Asked after a run has ended badly.
    std::string silent() const;
    /// The names of hosts that are lost, or could not take part.
    std::vector<std::string> missing() const;
    /// Ranks of some host may be out of sight at this moment without being dead.
    bool interrupted() const { return links_ && links_->interrupted(); }
    /// Why no checkpoint can be taken; empty: it can.
    std::string unshared() const { return links_ ? links_->unshared() : std::string(); }

    struct RankClock {
        int rank = 0;
        ClockLine line;
    };
    /// How the hosts of the ranks read the run's clock, from one look at the clocks of the other hosts. A run whose 0
    /// is `origin` on this host's clock.
    std::vector<RankClock> rankClocks(std::span<const HostClock> measured, std::int64_t origin) const;
    std::vector<HostClock> clocks() const { return links_ ? links_->clocks() : std::vector<HostClock>(); }
    /// The name of each rank's host; empty where there is one host.
    std::vector<std::string> names() const;
    HostCounts counts() const { return links_ ? links_->counts() : HostCounts{}; }
    /// Takes leave of the other hosts; waits some seconds for them at most.
    void end() { links_.reset(); }

private:
    struct Host {
        std::string name;
        int index = 0;
        int firstRank = 0;
        int ranks = 1;
        bool here = true;
    };
    struct Shared;
    std::string ranksOf(const std::string& name) const;
    RankArguments argumentsOn(const Host& host, const RankArguments& here) const;

    RunHostsSetup setup_;
    Mesh mesh_;
    bool several_;
    int attempt_ = 0;
    std::vector<Host> hosts_;
    std::unique_ptr<Shared> shared_;    ///< a marker that the other hosts look for; none once all have
    std::unique_ptr<HostLinks> links_;  ///< null: all ranks are on this host
};

}  // namespace shardlab::launch
