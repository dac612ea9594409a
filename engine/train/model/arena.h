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

    /// From here on free blocks are given out in one order, whatever was before: steps that begin with this call and
    /// ask for the same get the same addresses.
    void startStep();

    /// Bytes in use, without the padding for alignment.
    const MemoryBytes& used() const;
    /// The largest values since the last resetPeaks(): of each category on its own, and of the sum.
    const MemoryBytes& peakByCategory() const;
    std::int64_t peak() const;
    void resetPeaks();
    /// Bytes taken from the device so far, in use or free; constant once every size has been asked for.
    std::int64_t reserved() const;
    /// Free bytes, kept for reuse, and the largest free block. Blocks are reused whole for requests of the same size
    /// and never cut up, so free memory never breaks into pieces too small for what was there before.
    std::int64_t free() const;
    std::int64_t largestFree() const;

private:
    friend class Buffer;
    void release(Array data, std::size_t elements, MemoryCategory category);
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace shardlab::train
