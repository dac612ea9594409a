// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/memory.cuh"

#include "kernels/cuda/check.cuh"
#include "kernels/cuda/waiting.cuh"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace shardlab::kernels::cuda {

namespace {

std::size_t roundedSize(std::size_t bytes) {
    const std::size_t unit = bytes < (std::size_t{1} << 20) ? std::size_t{512} : std::size_t{2} << 20;
    return (bytes + unit - 1) / unit * unit;
}

}  // namespace

MemoryCache::~MemoryCache() {
    empty();
    for (const auto& [data, bytes] : taken_) cudaFree(data);
}

void MemoryCache::empty() {
    if (!free_.empty()) beforeFreeing_();
    for (const auto& [bytes, data] : free_) cudaFree(data);
    free_.clear();
}

void* MemoryCache::allocate(std::size_t bytes) {
    const std::lock_guard held(mutex_);
    const std::size_t size = roundedSize(bytes ? bytes : 1);
    void* data = nullptr;
    if (const auto kept = free_.lower_bound({size, nullptr}); kept != free_.end() && kept->first == size) {
        data = kept->second;
        free_.erase(kept);
    } else {
        cudaError_t status = cudaMalloc(&data, size);
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();  // clears the error, which is handled here
            empty();
            status = cudaMalloc(&data, size);
        }
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            throw std::bad_alloc();
        }
        check(status, "cudaMalloc", size);
    }
    taken_.emplace(data, size);
    return data;
}

void MemoryCache::release(void* data) {
    const std::lock_guard held(mutex_);
    const auto found = taken_.find(data);
    if (found == taken_.end()) return;
    free_.emplace(found->second, data);
    taken_.erase(found);
}

UploadRing::UploadRing(std::function<void()> look) : look_(std::move(look)) {
    for (Slot& slot : slots_) {
        grow(slot, firstBytes);
        check(cudaEventCreateWithFlags(&slot.sent, cudaEventDisableTiming), "cudaEventCreate");
    }
}

UploadRing::~UploadRing() {
    for (const Slot& slot : slots_) {
        if (slot.sent) cudaEventDestroy(slot.sent);
        for (void* memory : slot.memory) cudaFreeHost(memory);
    }
}

void UploadRing::grow(Slot& slot, std::size_t bytes) {
    if (bytes <= slot.bytes) return;
    const std::size_t size = std::bit_ceil(bytes);
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, size, cudaHostAllocDefault), "cudaHostAlloc", size);
    slot.memory.push_back(memory);
    slot.bytes = size;
}

void UploadRing::upload(const void* host, void* data, std::size_t bytes, cudaStream_t stream) {
    const std::lock_guard held(mutex_);
    for (std::size_t begin = 0; begin < bytes; begin += mostBytes)
        uploadPart(static_cast<const std::byte*>(host) + begin, static_cast<std::byte*>(data) + begin,
                   std::min(mostBytes, bytes - begin), stream);
}

void UploadRing::uploadPart(const std::byte* host, std::byte* data, std::size_t bytes, cudaStream_t stream) {
    Slot& slot = slots_[next_++ % slots];
    waitLooking([&] { return cudaEventQuery(slot.sent); }, "cudaEventQuery", look_);
    grow(slot, bytes);
    void* const staged = slot.memory.back();
    std::memcpy(staged, host, bytes);
    check(cudaMemcpyAsync(data, staged, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync to the GPU", bytes);
    check(cudaEventRecord(slot.sent, stream), "cudaEventRecord");
}

}  // namespace shardlab::kernels::cuda
