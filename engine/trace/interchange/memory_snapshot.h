// SPDX-License-Identifier: Apache-2.0
// PyTorch's memory snapshots (torch.cuda.memory._snapshot()): what the caching allocator of each device did, as far
// back as it recorded, and what it held in the end.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/interchange/allocation_phase.h"
#include "engine/trace/interchange/input_stream.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

struct AllocatorEntry {
    enum class Kind : std::uint8_t {
        Allocated,
        FreeRequested,  ///< the program gave it back
        FreeCompleted,  ///< no stream uses it any more
        Reserved,       ///< a segment of the device's memory, for the allocator to divide
        Released,       ///< the device has it back
        OutOfMemory,    ///< `bytes` were asked for and not there
        Taken,          ///< a snapshot
    };
    Kind kind = Kind::Taken;
    AllocationPhase phase = AllocationPhase::Unknown;
    std::int64_t time = 0;  ///< Unix time in nanoseconds
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
};

/// A piece of a segment, as it was in the end.
struct AllocatorBlock {
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    bool held = false;  ///< by the program; else free, or waiting for a stream
    bool free = false;  ///< to be given out
    AllocationPhase phase = AllocationPhase::Unknown;
};

struct DeviceMemory {
    int device = 0;
    std::vector<AllocatorEntry> entries;  ///< ascending by time
    std::vector<AllocatorBlock> blocks;
    std::int64_t reserved = 0;  ///< bytes of all segments
};

struct MemorySnapshot {
    std::optional<int> rank;                     ///< that the file's name says: "rank3", "rank_3"
    std::vector<DeviceMemory> devices;           ///< those with anything, ascending
    bool timed = true;                           ///< false: an old PyTorch told no times, and entries are 1 µs apart
    std::map<std::string, std::int64_t> unread;  ///< how many entries of which other action there are
};

/// By the first bytes of a pickle.
bool isMemorySnapshot(std::string_view head);

/// A pickle, also packed with gzip. Errors: it cannot be read, is larger than 2 GiB, is no such snapshot, holds numbers
/// that cannot be; "cancelled" where the watcher says so.
Result<MemorySnapshot> readMemorySnapshot(const std::filesystem::path& file, const ShareWatcher& watcher = {});

}  // namespace shardlab::trace
