// SPDX-License-Identifier: Apache-2.0
// A rank's line to the collector: drains the recorder to the local spool and streams the spool to the collector;
// brings commands back. Runs on a thread of its own; training never waits for it.
#pragma once

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/trace/record/recorder.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace shardlab::trace {

struct TelemetryOptions {
    int rank = 0;
    std::string socket;           ///< path of the collector's Unix socket
    std::string token;            ///< the run's token
    std::filesystem::path spool;  ///< this rank's spool file; created
    std::int64_t clockOrigin = 0;
    std::size_t ringEvents = 1 << 15;          ///< per recording thread
    std::int64_t giveUpAfter = 3'000'000'000;  ///< nanoseconds without a collector until orphaned
    FileSystem* files = nullptr;               ///< where the spool lies; null: the machine's own disk
};

class Telemetry {
public:
    /// Returns once the collector has said welcome. Error: none did within giveUpAfter. A spool that cannot be written
    /// is no error: events then wait in memory, and a log line says why.
    static Result<std::unique_ptr<Telemetry>> connect(const TelemetryOptions& options);
    ~Telemetry();

    Recorder& recorder();
    void log(LogLevel level, const std::string& text);
    /// The number by which events have this name from now on (namedId); another one at each call.
    std::uint32_t name(const std::string& text);
    /// Returns once all that was recorded and logged so far lies in the spool, which outlives this process.
    void settle();
    /// The oldest command not yet taken; Command::None where there is none. Never blocks.
    Command takeCommand();
    /// True once the collector has gone away for good: the rank must end.
    bool orphaned() const;
    /// Call once, after the last event. Sends what is left, says goodbye with this rank's own end ("finished",
    /// "stopped", or an error), waits for the acknowledgement at most two seconds.
    void finish(const std::string& end);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;

public:
    /// Only the class's own factory calls it: nobody else has an Impl.
    explicit Telemetry(std::unique_ptr<Impl> impl);
};

}  // namespace shardlab::trace
