// SPDX-License-Identifier: Apache-2.0
// One arena per rank: every tensor's memory comes from here and carries a category, so that the ledger the views show
// is what was allocated. Freed blocks are kept and reused by size: a steady step allocates nothing from the device.
#pragma once

#include "engine/base/memory_category.h"
#include "kernels/array.h"
#include "kernels/device.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace shardlab {

class Arena;

/// An array in the memory of the arena's device, 64-byte aligned, uninitialised. Move-only; goes back to its arena,
/// which outlives it, when destroyed.
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
    /// Of a buffer of fp32.
    float* floats() const { return data_.floats(); }

private:
    friend class Arena;
    void giveBack();
    Arena* arena_ = nullptr;
    Array data_;
    std::size_t size_ = 0;
    MemoryCategory category_ = MemoryCategory::Temporary;
};

/// Used from one thread.
class Arena {
public:
    /// In the memory of `device`, which outlives it; without one in a processor's.
    explicit Arena(Device& device);
    Arena();
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    Device& device() const;
    Buffer allocate(MemoryCategory category, std::size_t elements, DType type = DType::F32);
    Buffer allocateZeroed(MemoryCategory category, std::size_t elements, DType type = DType::F32);

    /// What is free is given out in one order from here on, whatever was before: steps that begin with it and ask alike
    /// get the same addresses.
    void startStep();

    /// Bytes in use, as asked for (alignment padding not counted).
    const MemoryBytes& used() const;
    /// Largest values since the last resetPeaks: each category on its own, and the sum.
    const MemoryBytes& peakByCategory() const;
    std::int64_t peak() const;
    void resetPeaks();
    /// Bytes taken from the device so far, in use or kept for reuse; constant once every size has been asked for.
    std::int64_t reserved() const;
    /// Of them, bytes kept for reuse, and the largest block among them. Blocks are reused whole, for what is as large:
    /// none is ever cut up, and so what is free never breaks into pieces too small for what was there before.
    std::int64_t free() const;
    std::int64_t largestFree() const;

private:
    friend class Buffer;
    void release(Array data, std::size_t elements, MemoryCategory category);
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace shardlab
