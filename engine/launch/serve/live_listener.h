// SPDX-License-Identifier: Apache-2.0
// Listens for the events of other programs, such as the ranks of a training script, and makes a run of them while they
// come. It tells the same observer as RunWatch does, so that the run is shown and written the same way.
#pragma once

#include "engine/base/tcp_socket.h"
#include "engine/launch/link/listener.h"
#include "engine/trace/interchange/expected_run.h"
#include "engine/launch/serve/run_watch.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace shardlab::launch {

struct ListenOptions {
    TcpAddress address;  ///< loopback unless another is written out
    LinkPass pass;       ///< what lets a sender in
    std::size_t mostSenders = 1024;
    std::chrono::milliseconds handshake{2000};
    std::chrono::milliseconds returnWithin{10'000};  ///< how long a rank whose connection broke may take to come back
    std::chrono::milliseconds silence{30'000};  ///< after so long without an event of any rank it is said who hangs
    std::optional<ExpectedRun> expected;        ///< what the program is held against; none: it has no layout
};

class LiveListener {
public:
    /// The first sender says how many ranks there are; then the run begins. It ends once every rank has taken leave, or
    /// is lost for good. `observer` must outlive the listener. Errors: those of listenTcp.
    static Result<std::unique_ptr<LiveListener>> listen(const ListenOptions& options, WatchObserver& observer);
    /// Ends a run that still goes as stopped, and joins the thread; no call after it.
    ~LiveListener();

    const TcpAddress& address() const;
    CallerCounts counts() const;
    /// Why no run began: a program came that is not of the expected layout. No other program is let in after it.
    std::optional<std::string> misfit() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;

public:
    /// Only the class's own factory calls it: nobody else has an Impl.
    explicit LiveListener(std::unique_ptr<Impl> impl);
};

}  // namespace shardlab::launch
