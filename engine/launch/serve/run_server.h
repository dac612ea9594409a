// SPDX-License-Identifier: Apache-2.0
// Gives viewers on other machines a run while it is recorded: from its start, however late they join, out of its file.
// Each viewer has its own place in the file, so a slow one holds back nothing but itself: no rank, no recorder, no
// other viewer. Viewers only read. Works on a thread of its own.
#pragma once

#include "engine/base/tcp_socket.h"
#include "engine/launch/link/listener.h"
#include "engine/trace/run_file/run_file.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace shardlab::launch {

struct ServeOptions {
    TcpAddress address;  ///< loopback unless another is written out
    LinkPass pass;       ///< what lets a viewer in
    std::size_t mostViewers = 16;
    std::chrono::milliseconds handshake{2000};
    std::chrono::milliseconds stallLimit{10'000};     ///< a viewer that takes nothing for so long is dropped
    std::chrono::milliseconds lastStallLimit{2'000};  ///< the limit once the run has ended
    std::chrono::milliseconds lingerLimit{30'000};    ///< for all viewers together, after the run's end
};

struct ServeCounts : CallerCounts {
    std::int64_t stalled = 0;   ///< viewers dropped because they took nothing
    std::int64_t resumed = 0;   ///< viewers that came back and went on where they had been
    std::int64_t complete = 0;  ///< viewers that got the run to its end
    /// "3 viewers, 1 dropped: it took nothing for 10 s; refused: 2 wrong tokens".
    std::string text() const;
};

class RunServer {
public:
    /// Takes the address; callers wait until serve(). Errors: those of listenTcp.
    static Result<std::unique_ptr<RunServer>> listen(const ServeOptions& options);
    ~RunServer();

    /// The address with the port that is really listened on.
    const TcpAddress& address() const;
    /// Begins to serve `file`, a run that is being recorded, or has been.
    void serve(const std::filesystem::path& file);
    /// Lets go of the file; viewers wait. Returns once it is closed, so that its writer may make one file of it.
    void release();
    /// The file is complete: every viewer gets the rest, and `end`. Returns once all have it or were dropped, or the
    /// limit has passed, or `cancelled`; then nobody is served any more.
    void conclude(const RunEnd& end, const std::atomic<bool>& cancelled);
    ServeCounts counts() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;

public:
    /// Only the class's own factory calls it: nobody else has an Impl.
    explicit RunServer(std::unique_ptr<Impl> impl);
};

}  // namespace shardlab::launch
