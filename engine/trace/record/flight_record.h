// SPDX-License-Identifier: Apache-2.0
// The last messages and collectives of a rank, in a small mapped file beside its status page: after a hang or a SIGKILL
// the launcher still reads what was under way and what came before.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/event/event.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

struct FlightEntry {
    std::uint64_t number = 0;  ///< counted from 1 over the rank's whole life
    EventKind kind = EventKind::None;
    ActionId action = 0;
    std::int32_t step = -1;
    int peer = -1;  ///< world rank of a message's other end; -1: a collective
    std::int64_t bytes = 0;
    std::int64_t begin = 0;  ///< run clock, nanoseconds; while it is under way, when begin() was called
    std::int64_t end = 0;    ///< 0: under way
    bool operator==(const FlightEntry&) const = default;
};

/// "step 12: 1RECV_F3 from rank 0, 64.0 KiB, under way for 5.1 s" or ", took 1.2 ms"; `now`: run clock.
std::string toText(const FlightEntry& entry, std::int64_t now);

/// The rank's side. For one thread.
class FlightRecord {
public:
    /// Operations that are remembered.
    static constexpr std::size_t capacity = 256;

    static Result<FlightRecord> create(const std::filesystem::path& file);
    FlightRecord(FlightRecord&&) noexcept;
    FlightRecord& operator=(FlightRecord&&) noexcept;
    ~FlightRecord();

    /// An operation that begins; `entry.number` is given here, `entry.end` is 0.
    void begin(FlightEntry entry);
    /// One that is over: the oldest under way of that kind and action, whose begin and end are from now on the entry's;
    /// or, where begin() was not called for it, all of it.
    void complete(const FlightEntry& entry);

private:
    struct Mapping;
    explicit FlightRecord(std::unique_ptr<Mapping> mapping);
    std::unique_ptr<Mapping> mapping_;
};

/// How log lines of flight records begin in a run.
inline constexpr std::string_view flightPrefix = "flight record: ";

/// The launcher's side: oldest first, at most FlightRecord::capacity. What was being written at that moment is left
/// out.
Result<std::vector<FlightEntry>> readFlight(const std::filesystem::path& file);

}  // namespace shardlab::trace
