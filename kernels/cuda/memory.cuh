// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU that is kept for the next who asks, and small uploads that do not wait for the stream.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>

namespace shardlab::cuda {

/// cudaMalloc and cudaFree stop the GPU: what is released is kept, by size, for who asks next. For use in one stream, by any thread.
class MemoryCache {
public:
    MemoryCache() = default;
    MemoryCache(const MemoryCache&) = delete;
    MemoryCache& operator=(const MemoryCache&) = delete;
    ~MemoryCache();

    void* allocate(std::size_t bytes);
    void release(void* data);

private:
    void empty();
    std::mutex mutex_;
    std::multimap<std::size_t, void*> free_;
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
