// SPDX-License-Identifier: Apache-2.0
// The arena of a rank: every tensor's memory comes from it and carries a category, so that the ledger the views show is
// what was allocated. Freed blocks are kept and reused by size: after the first steps nothing is allocated from the
// device any more.
#pragma once

#include "engine/base/memory_category.h"
#include "kernels/array.h"
#include "kernels/device.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace shardlab::train {

class Arena;

/// An array in the memory of the arena's device, 64-byte aligned, uninitialised. It can only be moved; its memory goes
/// back to its arena, which outlives it, when it is destroyed.
class Buffer {
public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    ~Buffer();

    Array data() const { return data_; }
    std::size_t size() const { return size_; }  ///< elements
    DType type() const { return data_.type; }
    bool empty() const { return size_ == 0; }
    MemoryCategory category() const { return category_; }
    /// Whether it came from Arena::allocateVarying.
    bool varies() const { return varies_; }
    ArraySpan span() const { return {data_, size_}; }
    /// For a buffer of fp32.
    float* floats() const { return data_.floats(); }

private:
    friend class Arena;
    void giveBack();
    Arena* arena_ = nullptr;
    Array data_;
    std::size_t size_ = 0;
    MemoryCategory category_ = MemoryCategory::Temporary;
    bool varies_ = false;
};

/// For use by one thread.
class Arena {
public:
    /// Allocates in the memory of `device`, which outlives the arena; without one in the processor's.
    explicit Arena(Device& device);
    Arena();
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    Device& device() const;
    Buffer allocate(MemoryCategory category, std::size_t elements, DType type = DType::F32);
    Buffer allocateZeroed(MemoryCategory category, std::size_t elements, DType type = DType::F32);
    /// For sizes that data decide, so that hardly any comes twice: a free block of up to twice the size will do, and
    /// one of at least half the size gives way to a new one. So there are no more blocks of about one size than were
    /// held at once, and no block of a size that is always the same is taken for it.
    Buffer allocateVarying(MemoryCategory category, std::size_t elements, DType type = DType::F32);
    /// A buffer with as many elements, which vary where those of `other` do; `other` may come from another arena.
    Buffer allocateLike(const Buffer& other, MemoryCategory category);

    /// From here on free blocks are given out in one order, whatever was before: steps that begin with this call and
    /// ask for the same get the same addresses.
    void startStep();

    /// Bytes in use, without the padding for alignment.
    const MemoryBytes& used() const;
    /// The largest values since the last resetPeaks(): of each category on its own, and of the sum.
    const MemoryBytes& peakByCategory() const;
    std::int64_t peak() const;
    void resetPeaks();
    /// Bytes taken from the device so far, in use or free; constant once every size has been asked for, where none
    /// varies.
    std::int64_t reserved() const;
    /// Free bytes, kept for reuse, and the largest free block. Blocks are reused whole for requests of the same size
    /// and never cut up, so free memory never breaks into pieces too small for what was there before.
    std::int64_t free() const;
    std::int64_t largestFree() const;

private:
    friend class Buffer;
    Buffer bufferOf(void* block, MemoryCategory category, std::size_t elements, DType type);
    void release(const Buffer& buffer);
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace shardlab::train
