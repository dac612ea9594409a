// SPDX-License-Identifier: Apache-2.0
// Views of arrays of any type as fp32, the only type that the loops of the CPU kernels know. Arrays of fp32 are seen
// where they lie, arrays of 16 bits in a copy that lives as long as the view.
#pragma once

#include "kernels/gemm.h"

#include <cstddef>
#include <cstdint>

namespace shardlab::kernels::cpu {

/// Memory of the calling thread, 64-byte aligned, uninitialised; blocks are given back in the opposite order. They are
/// kept and used again, so that kernels that run repeatedly allocate nothing.
class Scratch {
public:
    explicit Scratch(std::size_t floats);
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    float* data() const { return data_; }

private:
    float* data_ = nullptr;
};

/// Values that are read: `count` of them, or a matrix whose rows lie `stride` elements apart. The view of a null array
/// is null.
class ConstFloats {
public:
    ConstFloats(ConstArray array, std::int64_t count) : ConstFloats(array, 1, count, count) {}
    ConstFloats(ConstArray array, std::int64_t rows, std::int64_t columns, std::int64_t stride);
    const float* data() const { return data_; }
    /// The distance between rows of data().
    int stride() const { return stride_; }

private:
    Scratch scratch_;
    const float* data_;
    int stride_;
};

/// A factor of products: a matrix of any type as another type, or as itself where it has that type already.
class Factor {
public:
    Factor(ConstArray array, std::int64_t rows, std::int64_t columns, std::int64_t stride, DType type);
    /// The matrix from a row on; with `transpose` the columns of the matrix are its rows.
    Matrix rows(std::int64_t first = 0) const { return {array_ + first * stride_, stride_, false}; }
    Matrix transposed(std::int64_t firstRow = 0) const { return {array_ + firstRow * stride_, stride_, true}; }

private:
    Scratch scratch_;
    ConstArray array_;
    int stride_;
};

/// Values that are written.
class Floats {
public:
    enum class Access {
        Write,   ///< holds nothing before, is written back when the view ends
        Update,  ///< holds the array's values before, is written back
        Spoil,   ///< holds the array's values before, is not written back: the array is left with any values
    };
    Floats(Array array, Access access, std::int64_t count) : Floats(array, access, 1, count, count) {}
    Floats(Array array, Access access, std::int64_t rows, std::int64_t columns, std::int64_t stride);
    ~Floats();
    Floats(const Floats&) = delete;
    Floats& operator=(const Floats&) = delete;
    float* data() const { return data_; }
    int stride() const { return stride_; }

private:
    Array array_;
    Access access_;
    std::int64_t rows_;
    std::int64_t columns_;
    std::int64_t arrayStride_;
    Scratch scratch_;
    float* data_;
    int stride_;
};

}  // namespace shardlab::kernels::cpu
