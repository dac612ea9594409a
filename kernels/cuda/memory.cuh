// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU that is kept for the next who asks, and small uploads that do not wait for the stream.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

namespace shardlab::cuda {

/// cudaMalloc and cudaFree stop the GPU: what is released is kept, by size, for who asks next; he gets the lowest
/// address, so that steps alike get the same. For use in one stream, by any thread.
class MemoryCache {
public:
    /// `beforeFreeing`: what uses memory that was released goes to the GPU, at the latest.
    explicit MemoryCache(std::function<void()> beforeFreeing) : beforeFreeing_(std::move(beforeFreeing)) {}
    MemoryCache(const MemoryCache&) = delete;
    MemoryCache& operator=(const MemoryCache&) = delete;
    ~MemoryCache();

    void* allocate(std::size_t bytes);
    void release(void* data);

private:
    void empty();
    std::function<void()> beforeFreeing_;
    std::mutex mutex_;
    std::set<std::pair<std::size_t, void*>> free_;
    std::unordered_map<void*, std::size_t> taken_;
};

/// Copies what is to be uploaded into pinned memory, so that the host's side is free at once.
class UploadRing {
public:
    UploadRing();
    UploadRing(const UploadRing&) = delete;
    UploadRing& operator=(const UploadRing&) = delete;
    ~UploadRing();

    static constexpr std::size_t slotBytes = std::size_t{256} << 10;
    /// At most slotBytes; waits only while all slots are on their way. By any thread.
    void upload(const void* host, void* data, std::size_t bytes, cudaStream_t stream);

private:
    static constexpr std::size_t slots = 8;
    std::mutex mutex_;
    void* memory_ = nullptr;
    std::array<cudaEvent_t, slots> sent_{};
    std::size_t next_ = 0;
};

}  // namespace shardlab::cuda
