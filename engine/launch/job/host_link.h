// SPDX-License-Identifier: Apache-2.0
// The launcher's side of one other host: the agent that started its forwarder, the trunk to it, the links of its ranks
// as they come out of the trunk, its clock. One thread uses it at a time; nothing in it blocks.
#pragma once

#include "engine/launch/hosts/agent.h"
#include "engine/launch/hosts/clock_estimate.h"
#include "engine/launch/hosts/silence.h"
#include "engine/launch/hosts/trunk_channel.h"
#include "engine/launch/job/forwarder_setup.h"
#include "engine/launch/job/process.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

struct pollfd;

namespace shardlab::launch {

/// One host of a run that is not the launcher's.
struct RemoteHost {
    std::string name;
    int index = 0;  ///< in the layout's list
    int firstRank = 0;
    int ranks = 1;
};

class HostLink {
public:
    HostLink(RemoteHost host, std::filesystem::path collector, std::filesystem::path folder)
        : host_(std::move(host)), collector_(std::move(collector)), folder_(std::move(folder)) {}

    const RemoteHost& host() const { return host_; }

    /// Starts the forwarder there. The calling thread must live as long as the forwarder may.
    void call(const Agent& agent, const std::filesystem::path& program, const ForwarderSetup& setup, std::int64_t now);
    /// The forwarder has connected and shown the token.
    void welcome(FrameLink trunk, const TrunkGreeting& greeting, const Orders& orders, std::int64_t now);
    void watch(std::vector<pollfd>& watched) const;
    /// Does what can be done now. `now`: monotonicNanoseconds().
    void serve(std::int64_t now);

    /// The orders are carried out there and its clock is known.
    bool ready() const { return ready_ && clock_.ready(); }
    /// Why it cannot take part, once that is certain.
    const std::optional<Error>& failure() const { return failure_; }
    bool connected() const { return trunk_.has_value(); }
    /// When the present connection was made; 0: there is none.
    std::int64_t connectedAt() const { return trunk_ ? connectedAt_ : 0; }
    /// For how many nanoseconds nothing was heard of the host; 0 until something was.
    std::int64_t silence() const { return heard_ ? silence_.length() : 0; }
    /// A folder for checkpoints that the host does not share; empty: it does.
    const std::string& unshared() const { return unshared_; }
    int cores() const { return cores_; }
    const Fabrics& fabrics() const { return fabrics_; }
    int reconnected() const { return reconnected_; }  ///< how often the connection broke and came back
    std::int64_t garbage() const { return garbage_; }
    const ClockEstimate& clock() const { return clock_; }
    /// What a rank there did last; none: nothing is known.
    std::optional<RankReport> report(int rank) const;

    void attempt(std::uint32_t number);
    void order(TrunkFrame type);  ///< Kill or End
    bool killed() const { return killed_; }
    void fetch(const FetchOrder& order, const std::filesystem::path& file);
    /// Whether a file is still on its way.
    bool fetching() const { return trunk_ && !fetches_.empty(); }
    /// The agent's process has ended.
    bool agentEnded() const { return agentEnd_.has_value(); }
    void endAgent() const;

private:
    struct Fetching {
        FetchOrder order;
        std::filesystem::path file;
        Bytes content;
    };

    void readAgent(std::int64_t now);
    void judgeAgent(std::int64_t now);
    void giveUp(Error error);
    bool serveTrunk();
    bool take(const Frame& frame, std::int64_t came);
    /// The fetch that is under way, where it is the one for that file.
    Fetching* fetchOf(std::int32_t rank, RankFile what);
    bool takePiece(const FilePiece& piece);
    bool takeFetched(const FileFetched& fetched);
    void ping(std::int64_t now);
    void dropTrunk();

    RemoteHost host_;
    std::filesystem::path collector_;  ///< the collector's Unix socket
    std::filesystem::path folder_;     ///< the job's folder on this host
    std::string program_;              ///< the agent's program; errors name it, and the rank's
    std::string rankProgram_;
    std::optional<Process> agent_;
    std::optional<ExitStatus> agentEnd_;
    std::deque<std::string> said_;  ///< the agent's last lines
    bool banner_ = false;
    std::int64_t calledAt_ = 0;

    std::optional<FrameLink> trunk_;
    std::map<std::uint32_t, TrunkChannel> channels_;
    std::map<int, RankReport> reports_;
    std::deque<Fetching> fetches_;
    ClockEstimate clock_;
    std::deque<std::pair<std::uint64_t, std::int64_t>> pings_;  ///< under way: number, when it was sent
    std::uint64_t lastPing_ = 0;
    std::int64_t nextPing_ = 0;
    std::int64_t connectedAt_ = 0;
    Silence silence_;
    bool heard_ = false;
    std::int64_t garbage_ = 0;
    int cores_ = 1;
    int reconnected_ = 0;
    std::string unshared_;
    Fabrics fabrics_;
    bool ready_ = false;
    bool killed_ = false;
    std::optional<Error> failure_;
};

}  // namespace shardlab::launch
