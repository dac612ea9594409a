// SPDX-License-Identifier: Apache-2.0
// Memory of a process that the other ranks of its host read and write directly.
#pragma once

#include "engine/base/result.h"
#include "kernels/device.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace shardlab::train {

/// How another process finds a heap. All fields are zero where there is none.
struct HeapAddress {
    std::uint64_t host = 0;  ///< the same for all processes of a host
    std::uint64_t process = 0;
    std::uint64_t file = 0;
    std::uint64_t token = 0;  ///< random; also written at the start of the heap
    std::uint64_t bytes = 0;
};

/// The heap of another process, mapped into this one.
class RemoteHeap {
public:
    /// An error where the two processes cannot share memory.
    static Result<std::shared_ptr<RemoteHeap>> open(const HeapAddress& address);
    ~RemoteHeap();
    RemoteHeap(const RemoteHeap&) = delete;
    RemoteHeap& operator=(const RemoteHeap&) = delete;

    std::byte* at(std::uint64_t offset) const { return base_ + offset; }
    /// Whether the process is known to have ended.
    bool orphaned() const;

private:
    RemoteHeap(std::byte* base, std::size_t bytes, int process) : base_(base), bytes_(bytes), process_(process) {}
    std::byte* base_;
    std::size_t bytes_;
    int process_;  ///< descriptor of the process; below 0 where the kernel has none
};

/// One anonymous file, mapped once, from which blocks are taken. The file vanishes with the process, however that ends,
/// and neither the size nor the presence of /dev/shm matters. The process uses memory only once it writes to it;
/// released blocks are used again, and go back to the machine with the heap.
class SharedHeap final : public HostMemory {
public:
    /// Makes room for `bytes`; 0: for as many as the machine has.
    static Result<std::unique_ptr<SharedHeap>> create(std::size_t bytes = 0);
    ~SharedHeap();
    SharedHeap(const SharedHeap&) = delete;
    SharedHeap& operator=(const SharedHeap&) = delete;

    void* allocate(std::size_t bytes) override;
    void release(void* data) override;

    /// The offset from the start of the heap; none where these bytes lie elsewhere.
    std::optional<std::uint64_t> offsetOf(std::span<const std::byte> bytes) const;
    std::byte* at(std::uint64_t offset) const { return base_ + offset; }
    const HeapAddress& address() const { return address_; }
    /// Maps the other heap once, however many callers ask for it.
    Result<std::shared_ptr<RemoteHeap>> reach(const HeapAddress& other);

private:
    struct Blocks;
    SharedHeap(int file, std::byte* base, const HeapAddress& address);

    int file_;
    std::byte* base_;
    HeapAddress address_;
    std::mutex mutex_;
    std::unique_ptr<Blocks> blocks_;
};

/// The host of this process: equal for two processes of one boot of one machine under one host name.
std::uint64_t hostIdentity();

}  // namespace shardlab::train
