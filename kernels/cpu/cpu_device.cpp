// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"

#include "kernels/cpu/rows.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace shardlab::kernels {

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t largePage = std::size_t{2} << 20;  ///< with pages of 4 KiB products wait for address translation

std::size_t roundedUp(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

/// Calls body(first byte, bytes) for each thread's part.
template <class Body>
void shareBytes(std::size_t bytes, const Body& body) {
    const auto lines = static_cast<std::int64_t>(roundedUp(bytes, line) / line);
    cpu::shareOut(lines, lines * static_cast<std::int64_t>(line / sizeof(float)),
                  [&](std::int64_t begin, std::int64_t end) {
                      const std::size_t first = static_cast<std::size_t>(begin) * line;
                      const std::size_t last = std::min(static_cast<std::size_t>(end) * line, bytes);
                      if (first < last) body(first, last - first);
                  });
}

void copyBytes(const void* from, void* to, std::size_t bytes) {
    shareBytes(bytes, [&](std::size_t first, std::size_t some) {
        std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first, some);
    });
}

}  // namespace

void* CpuDevice::allocate(std::size_t bytes) {
    if (memory_) return memory_->allocate(bytes);
    const std::size_t alignment = bytes < largePage ? line : largePage;
    void* const data = std::aligned_alloc(alignment, roundedUp(bytes, alignment));
    if (!data && bytes > 0) throw std::bad_alloc();
    // Where large pages are refused, small ones serve too.
    if (alignment == largePage) madvise(data, bytes / largePage * largePage, MADV_HUGEPAGE);
    return data;
}

void CpuDevice::release(void* data) {
    if (memory_) memory_->release(data);
    else std::free(data);
}

void CpuDevice::upload(const void* host, void* data, std::size_t bytes) { copyBytes(host, data, bytes); }
void CpuDevice::download(const void* data, void* host, std::size_t bytes) { copyBytes(data, host, bytes); }
void CpuDevice::copy(const void* from, void* to, std::size_t bytes) { copyBytes(from, to, bytes); }

void CpuDevice::clear(void* data, std::size_t bytes) {
    shareBytes(bytes, [&](std::size_t first, std::size_t some) {
        std::memset(static_cast<std::byte*>(data) + first, 0, some);
    });
}

std::unique_ptr<Device> makeCpuDevice(HostMemory* memory) { return std::make_unique<CpuDevice>(memory); }

}  // namespace shardlab::kernels
