// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace shardlab {

namespace {

void copyBytes(const void* from, void* to, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace

void* CpuDevice::allocate(std::size_t bytes) {
    if (memory_) return memory_->allocate(bytes);
    constexpr std::size_t alignment = 64;
    void* const data = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!data && bytes > 0) throw std::bad_alloc();
    return data;
}

void CpuDevice::release(void* data) {
    if (memory_)
        memory_->release(data);
    else
        std::free(data);
}

void CpuDevice::upload(const void* host, void* data, std::size_t bytes) { copyBytes(host, data, bytes); }
void CpuDevice::download(const void* data, void* host, std::size_t bytes) { copyBytes(data, host, bytes); }
void CpuDevice::copy(const void* from, void* to, std::size_t bytes) { copyBytes(from, to, bytes); }

void CpuDevice::clear(void* data, std::size_t bytes) {
    if (bytes > 0) std::memset(data, 0, bytes);
}

std::unique_ptr<Device> makeCpuDevice(HostMemory* memory) { return std::make_unique<CpuDevice>(memory); }

}  // namespace shardlab
