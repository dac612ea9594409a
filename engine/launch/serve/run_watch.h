// SPDX-License-Identifier: Apache-2.0
// A viewer's side: follows a run that another machine serves, from its start; where the connection is lost it comes
// back and goes on where it was. Works on a thread of its own.
#pragma once

#include "engine/base/tcp_socket.h"
#include "engine/launch/link/link_pass.h"
#include "engine/trace/run_file/row_decoder.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace shardlab::launch {

struct WatchOptions {
    TcpAddress address;
    LinkPass pass;
    std::chrono::milliseconds connectPatience{5'000};
    std::chrono::milliseconds silence{10'000};  ///< a connection counts as lost after so long without a word
    std::chrono::milliseconds giveUpAfter{0};   ///< a lost connection; 0: it is tried again for ever
};

struct WatchStatus {
    /// Ended: everything has arrived. Failed: refused, or never reached, or given up.
    enum class State : std::uint8_t { Connecting, CatchingUp, Live, Lost, Ended, Failed };
    State state = State::Connecting;
    double share = 0;  ///< how much of the run so far has arrived, in [0, 1], while catching up
    Sentence reason;   ///< why it is lost or failed; else what the server had to say, mostly nothing
    bool over() const { return state == State::Ended || state == State::Failed; }
    bool operator==(const WatchStatus&) const = default;
};

/// Hears what a run that is made elsewhere tells, and besides how the link to it is. Only the link's status may change
/// after the run's end.
class WatchObserver : public RunObserver {
public:
    virtual void statusChanged(const WatchStatus&) {}
    /// Everything that has arrived by now has been handed over: a moment to store it.
    virtual void paused() {}
    /// A copy that is written on the way (run_copy.h) ends here.
    virtual void copyFailed(const Error&) {}
};

class RunWatch {
public:
    /// Connects and follows the run until stopped, refused or ended. `observer` must outlive the watch.
    RunWatch(WatchOptions options, WatchObserver& observer);
    /// Takes leave and joins the thread; no call after it.
    ~RunWatch();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace shardlab::launch
