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
#include <vector>

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

/// Copies uploads into pinned memory first, so that the host's side is free at once. Any thread may use it.
class UploadRing {
public:
    /// `look` is called while the ring waits for the GPU; it throws where that is in vain.
    explicit UploadRing(std::function<void()> look);
    UploadRing(const UploadRing&) = delete;
    UploadRing& operator=(const UploadRing&) = delete;
    ~UploadRing();

    /// Waits only while all slots are in use, which hold `slots` uploads of `mostBytes`; a larger one takes several.
    void upload(const void* host, void* data, std::size_t bytes, cudaStream_t stream);

private:
    static constexpr std::size_t slots = 8;
    static constexpr std::size_t firstBytes = std::size_t{256} << 10;  ///< of a slot, which grows
    static constexpr std::size_t mostBytes = std::size_t{8} << 20;
    struct Slot {
        std::vector<void*> memory;  ///< the last is used; the others go last, because cudaFreeHost waits for the GPU
        std::size_t bytes = 0;
        cudaEvent_t sent = nullptr;
    };
    void uploadPart(const std::byte* host, std::byte* data, std::size_t bytes, cudaStream_t stream);
    /// Pinned memory for so many bytes.
    static void grow(Slot& slot, std::size_t bytes);

    std::function<void()> look_;
    std::mutex mutex_;
    std::array<Slot, slots> slots_{};
    std::size_t next_ = 0;
};

}  // namespace shardlab::kernels::cuda
