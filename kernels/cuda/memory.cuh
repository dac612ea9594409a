// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU that is kept for later use, and small uploads that do not wait for the stream.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

namespace shardlab::kernels::cuda {

/// cudaMalloc and cudaFree stop the GPU, so released memory is kept by size for the next call. That gets the lowest
/// address, so that equal steps get the same addresses. The memory is for use in one stream, by any thread.
class MemoryCache {
public:
    /// `beforeFreeing` sends to the GPU the launches that still use released memory.
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

/// Copies uploads into pinned memory first, so that the host's side is free at once.
class UploadRing {
public:
    UploadRing();
    UploadRing(const UploadRing&) = delete;
    UploadRing& operator=(const UploadRing&) = delete;
    ~UploadRing();

    static constexpr std::size_t slotBytes = std::size_t{256} << 10;
    /// Uploads at most slotBytes; waits only while all slots are in use. Any thread may call it.
    void upload(const void* host, void* data, std::size_t bytes, cudaStream_t stream);

private:
    static constexpr std::size_t slots = 8;
    std::mutex mutex_;
    void* memory_ = nullptr;
    std::array<cudaEvent_t, slots> sent_{};
    std::size_t next_ = 0;
};

}  // namespace shardlab::kernels::cuda
