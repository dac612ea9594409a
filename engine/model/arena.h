// SPDX-License-Identifier: Apache-2.0
// One arena per rank: every tensor's memory comes from here and carries a category, so that the ledger the views show
// is what was allocated. Freed blocks are kept and reused by size: a steady step allocates nothing from the system.
#pragma once

#include "engine/base/memory_category.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace shardlab {

class Arena;

/// A block of floats, 64-byte aligned, uninitialised. Move-only; goes back to its arena, which outlives it, when
/// destroyed.
class Buffer {
public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    ~Buffer();

    float* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::span<float> span() const { return {data_, size_}; }
    float& operator[](std::size_t i) const { return data_[i]; }

private:
    friend class Arena;
    void giveBack();
    Arena* arena_ = nullptr;
    float* data_ = nullptr;
    std::size_t size_ = 0;
    MemoryCategory category_ = MemoryCategory::Temporary;
};

/// Used from one thread.
class Arena {
public:
    Arena();
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    Buffer allocate(MemoryCategory category, std::size_t floats);
    Buffer allocateZeroed(MemoryCategory category, std::size_t floats);

    /// Bytes in use, as asked for (alignment padding not counted).
    const MemoryBytes& used() const;
    /// Largest values since the last resetPeaks: each category on its own, and the sum.
    const MemoryBytes& peakByCategory() const;
    std::int64_t peak() const;
    void resetPeaks();
    /// Bytes taken from the system so far, in use or kept for reuse; constant once every size has been asked for.
    std::int64_t reserved() const;

private:
    friend class Buffer;
    void release(float* data, std::size_t floats, MemoryCategory category);
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace shardlab
