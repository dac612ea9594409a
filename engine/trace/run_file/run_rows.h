// SPDX-License-Identifier: Apache-2.0
// A run file as a stream of rows that may still grow: what a viewer of a live run is given, from its start and in
// order. A position says how much of the stream somebody has; with it the stream goes on where it broke.
#pragma once

#include "engine/trace/run_file/run_file.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

namespace shardlab::trace {

/// The sequence of blocks that a lane of a rank has.
struct LaneOfRun {
    EventSource source = EventSource::Measured;
    int rank = 0;
    Lane lane = Lane::Compute;
    auto operator<=>(const LaneOfRun&) const = default;
};

/// Events `first` … `first + count − 1` of a block, packed as one block (run_block.h).
struct BlockPart {
    LaneOfRun of;
    std::int64_t block = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::span<const std::byte> packed;
};

struct RunPosition {
    struct Place {
        std::int64_t block = 0;   ///< the lane's newest
        std::uint32_t taken = 0;  ///< events of it
        bool operator==(const Place&) const = default;
    };
    std::int64_t log = 0;   ///< the number of the last line
    std::int64_t name = 0;  ///< the number of the last name
    std::map<LaneOfRun, Place> lanes;

    /// False, and nothing is changed, where `part` does not follow on what was taken.
    bool take(const BlockPart& part);
    /// The newest block of any measured lane; of any predicted one.
    std::int64_t lastBlock(EventSource source) const;
    bool operator==(const RunPosition&) const = default;
};

class RowSink {
public:
    virtual ~RowSink() = default;
    virtual void meta(std::string_view key, std::string_view value) = 0;
    virtual void rank(const RankRecord& record) = 0;
    virtual void log(std::int64_t id, const LogLine& line) = 0;
    virtual void name(std::int64_t number, std::string_view text) = 0;
    virtual void block(const BlockPart& part) = 0;
};

}  // namespace shardlab::trace
