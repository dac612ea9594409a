// SPDX-License-Identifier: Apache-2.0
// The collector is the end of every rank's telemetry. It listens on a Unix socket, checks the run's token, hands over
// what ranks send exactly once and in each rank's order whatever the links do, and carries commands back.
#pragma once

#include "engine/base/result.h"
#include "engine/launch/link/listener.h"
#include "engine/trace/event/clock_line.h"
#include "engine/trace/event/event.h"
#include "engine/layout/injected_fault.h"
#include "engine/trace/record/wire.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace shardlab::launch {

struct CollectorOptions {
    std::filesystem::path socket;               ///< created by listen(), removed by stop(); at most 107 bytes long
    std::string token;                          ///< what a rank must show
    int ranks = 1;                              ///< ranks 0 … ranks−1 may join
    std::int64_t clockOrigin = 0;               ///< monotonicNanoseconds() at the run's 0
    std::chrono::milliseconds handshake{2000};  ///< a connection that has not shown its token by then is dropped
};

/// What a rank says of itself when it joins.
struct RankHello {
    int rank = 0;
    int pid = 0;
    std::string host;
    bool resumed = false;  ///< it had joined before: the link broke and is back
};

/// A rank calls events so from here on; the number is the rank's own.
struct RankName {
    int rank = 0;
    EventName name;
};

/// The rank's own last word: "finished", "stopped", or an error. Everything it recorded has come before.
struct RankGoodbye {
    int rank = 0;
    std::string end;
};

/// The link closed without a goodbye: the rank has died, or it will be back.
struct RankLinkLost {
    int rank = 0;
};

/// Something that a rank said; events and log lines name their rank.
using RankMessage = std::variant<RankHello, RankName, std::vector<Event>, LogLine, RankGoodbye, RankLinkLost>;

struct CollectorCounts : CallerCounts {
    std::int64_t events = 0;   ///< handed over
    std::int64_t resumed = 0;  ///< links that broke and came back
};

class Collector {
public:
    /// Errors: the path too long, its folder unwritable, somebody listening there already.
    static Result<std::unique_ptr<Collector>> listen(const CollectorOptions& options);
    ~Collector();

    /// Everything that ranks said since the last call, in order. While a million events wait to be taken, nothing more
    /// is read of the ranks, and their spools hold it.
    std::vector<RankMessage> take();
    /// To every rank, also to those that join or come back later; each rank gets each command once, in this order.
    void send(Command command);
    /// Has the rank, if it is there, kill or stop itself (InjectedFaultKind::Kill, Hang).
    void strike(int rank, InjectedFaultKind kind);
    /// How the rank's host reads the run's clock from now on; also to be told when it joins later or comes back.
    void setClock(int rank, const ClockLine& line);
    /// All of the rank's spool before this offset has been handed over.
    std::uint64_t accepted(int rank) const;
    /// After a rank has died: hands over what its spool still holds beyond what it had sent. Returns when that is done.
    /// Error where the spool is missing or damaged (all before the damage counts).
    Status recover(int rank, const std::filesystem::path& spool);
    CollectorCounts counts() const;
    /// Hands over what has already arrived, closes every link, joins the thread. What has been handed over may still be
    /// taken.
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;

public:
    /// Only the class's own factory calls it: nobody else has an Impl.
    explicit Collector(std::unique_ptr<Impl> impl);
};

}  // namespace shardlab::launch
