// SPDX-License-Identifier: Apache-2.0
// The collector: the end of every rank's telemetry. Listens on a Unix socket, checks the run's token, hands over what
// ranks send exactly once and in each rank's order whatever the links do, and carries commands back.
#pragma once

#include "engine/base/result.h"
#include "engine/launch/link/listener.h"
#include "engine/trace/event/clock_line.h"
#include "engine/trace/event/event.h"
#include "engine/layout/injected_fault.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace shardlab {

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

/// Called from the collector's thread, one call at a time.
class CollectorObserver {
public:
    virtual ~CollectorObserver() = default;
    virtual void rankJoined(const RankHello&) {}
    /// False: nothing more is read of the ranks for now, and their spools hold it. What was begun may still arrive, and
    /// commands go on being sent.
    virtual bool hasRoom() const { return true; }
    virtual void eventsArrived(int /*rank*/, std::span<const Event>) {}
    virtual void logArrived(const LogLine&) {}
    /// The rank's own last word: "finished", "stopped", or an error. Everything it recorded has been handed over.
    virtual void rankSaidGoodbye(int /*rank*/, const std::string& /*end*/) {}
    /// The link closed without a goodbye: the rank died, or it will be back.
    virtual void linkLost(int /*rank*/) {}
};

struct CollectorCounts : CallerCounts {
    std::int64_t events = 0;   ///< handed over
    std::int64_t resumed = 0;  ///< links that broke and came back
};

class Collector {
public:
    /// Errors: the path too long, its folder unwritable, somebody listening there already.
    /// `observer` must outlive the collector.
    static Result<std::unique_ptr<Collector>> listen(const CollectorOptions& options, CollectorObserver& observer);
    ~Collector();

    /// To every rank, also to those that join or come back later; each rank gets each command once, in this order.
    void send(Command command);
    /// Has the rank, if it is there, kill or stop itself (InjectedFaultKind::Kill, Hang).
    void strike(int rank, InjectedFaultKind kind);
    /// How the rank's host reads the run's clock from now on; also to be told when it joins later or comes back.
    void setClock(int rank, const ClockLine& line);
    /// All of the rank's spool before this offset has been handed over.
    std::uint64_t accepted(int rank) const;
    /// After a rank has died: hands over what its spool still holds beyond what it had sent. Returns when that is done;
    /// must not be called from the observer. Error where the spool is missing or damaged (all before the damage
    /// counts).
    Status recover(int rank, const std::filesystem::path& spool);
    CollectorCounts counts() const;
    /// Hands over what has already arrived, closes every link, joins the thread. No observer call after it returns.
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;

public:
    explicit Collector(std::unique_ptr<Impl> impl);  ///< for its own factory: nobody else has an Impl
};

}  // namespace shardlab
