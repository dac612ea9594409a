// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/arena.h"

#include <memory>

namespace shardlab {

/// A device's host as a device of its own: the processor, in memory that copies from and to the device reach fastest,
/// with a ledger beside the device's.
class HostArena {
public:
    /// `device` outlives it.
    explicit HostArena(Device& device) : memory_(device), processor_(makeCpuDevice(&memory_)), arena_(*processor_) {}
    Arena& arena() { return arena_; }

private:
    class Staging final : public HostMemory {
    public:
        explicit Staging(Device& device) : device_(device) {}
        void* allocate(std::size_t bytes) override { return device_.allocateStaging(bytes); }
        void release(void* data) override { device_.releaseStaging(data); }

    private:
        Device& device_;
    };
    Staging memory_;
    std::unique_ptr<Device> processor_;
    Arena arena_;
};

}  // namespace shardlab
