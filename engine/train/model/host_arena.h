// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/arena.h"

#include <memory>

namespace shardlab::train {

/// A device's host as a device of its own: the processor with memory that the device copies fastest, and with a ledger
/// of its own.
class HostArena {
public:
    /// `device` outlives this object.
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

}  // namespace shardlab::train
