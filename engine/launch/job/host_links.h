// SPDX-License-Identifier: Apache-2.0
// The launcher's side of all other hosts of a run: it starts their forwarders, listens for them, joins their ranks to
// the collector, compares clocks and knows who is silent. It works on a thread of its own.
#pragma once

#include "engine/base/tcp_socket.h"
#include "engine/trace/event/host_clock.h"
#include "engine/launch/job/host_link.h"
#include "engine/launch/link/listener.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace shardlab::launch {

struct HostLinksOptions {
    std::vector<RemoteHost> hosts;
    Agent agent;
    std::string network;                ///< the layout's /cluster/network
    std::filesystem::path rankProgram;  ///< at the same path everywhere
    std::filesystem::path folder;       ///< the job's folder, of the same name everywhere
    std::filesystem::path
        sharedMemory;                 ///< the folder for Open MPI's segments, of the same name everywhere; may be empty
    std::filesystem::path collector;  ///< the collector's Unix socket on this host
    std::int64_t clockOrigin = 0;     ///< monotonicNanoseconds() here at the run's 0
    Orders orders;
};

/// How one of the hosts is joined to this one.
struct HostState {
    std::string name;
    bool ready = false;
    std::optional<Error> failure;  ///< why it cannot take part
    int cores = 1;                 ///< once it is ready
    ClockReading clock;            ///< once it is ready
    std::string unshared;          ///< a wished file's folder that it does not have as this host has it; empty: it does
    Fabrics fabrics;               ///< once it is ready
};

struct HostCounts : CallerCounts {
    std::int64_t reconnected = 0;  ///< trunks that broke and came back
};

class HostLinks {
public:
    /// Returns while the hosts are still being called. Errors: no network, no port, no token.
    static Result<std::unique_ptr<HostLinks>> start(HostLinksOptions options);
    ~HostLinks();

    /// Whether all are ready; an error: why one cannot take part, and how many more cannot.
    Result<bool> ready() const;
    /// The state of each host, in the order of the hosts.
    std::vector<HostState> states() const;
    /// The name of a host of which nothing was heard for so long that it is given up; empty: there is none.
    std::string lost() const;
    /// Some host is not connected at this moment, or was not until just now.
    bool interrupted() const;
    /// The names of hosts of which nothing was heard for more than a second.
    std::vector<std::string> silent() const;

    bool holds(int rank) const { return linkOf(rank) != nullptr; }  ///< whether the rank is on one of these hosts
    int cores(int index) const;
    /// "host c": the first that does not share the folder for checkpoints, with the folder; empty: all do.
    std::string unshared() const;
    /// The clocks of all hosts now; their `time` is the run's.
    std::vector<HostClock> clocks() const;
    std::optional<RankReport> report(int rank) const;
    /// Writes the rank's file of that kind, from its host, to `file`; waits as long as `patience`. False: it did not
    /// come.
    bool fetch(const FetchOrder& order, const std::filesystem::path& file, std::chrono::milliseconds patience);
    void attempt(int number);
    /// Ends what the run has left on the hosts that can be reached.
    void kill(std::chrono::milliseconds patience);
    HostCounts counts() const;

private:
    HostLinks(HostLinksOptions options, Descriptor listener, std::string token, std::vector<std::string> addresses);
    void loop();
    void callAll();
    std::optional<Refusal> welcome(FrameLink& trunk, const TrunkGreeting& greeting, std::int64_t now);
    const HostLink* linkOf(int rank) const;
    HostLink* linkOf(int rank) { return const_cast<HostLink*>(std::as_const(*this).linkOf(rank)); }
    const HostLink* linkAt(int index) const;

    const HostLinksOptions options_;
    Listener<TrunkGreeting> listener_;
    const std::string token_;
    const std::vector<std::string> addresses_;

    mutable std::mutex mutex_;  ///< guards what follows
    std::condition_variable changed_;
    std::vector<HostLink> links_;
    std::uint32_t attempt_ = 0;
    bool stopping_ = false;
    WakeUp wake_;
    std::thread thread_;
};

}  // namespace shardlab::launch
