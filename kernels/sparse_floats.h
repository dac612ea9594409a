// SPDX-License-Identifier: Apache-2.0
// Numbers kept without those among them that are 0 (sparse storage with dense compute, Gist, ISCA 2018). They count as
// rows of 256 columns. For each number that is kept there are its value, as it was to the bit, and its column, in a
// byte; for each row there is where its numbers begin. A number whose bits are not those of +0 is kept, −0 too.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

constexpr int sparseColumns = 256;  ///< as many as a byte can tell apart
/// Rows of so many numbers; the last may be shorter.
constexpr std::int64_t sparseRows(std::int64_t count) { return (count + sparseColumns - 1) / sparseColumns; }
/// The bytes of so many numbers that are kept: all values, then all columns.
constexpr std::int64_t sparseBytes(std::int64_t nonzeros, DType type) {
    return nonzeros * (static_cast<std::int64_t>(sizeOf(type)) + 1);
}

struct SparseFloatOps {
    /// from: T, fewer than 2³¹ numbers. begins [sparseRows(count) + 1]: of each row, how many numbers before it are
    /// kept; at the end, how many of all.
    virtual void countNonzeros(std::int64_t count, ConstArray from, std::int32_t* begins) = 0;
    static KernelWork countNonzerosWork(std::int64_t count, ConstArray from, const std::int32_t*) {
        return {KernelKind::Elementwise, bytesOf(from, static_cast<double>(count)) + bytesOfRows(count)};
    }

    /// begins: what countNonzeros made of `from`, and nonzeros its last number. packed: sparseBytes(nonzeros, T) bytes.
    virtual void packNonzeros(std::int64_t count, std::int64_t nonzeros, ConstArray from, const std::int32_t* begins,
                              std::uint8_t* packed) = 0;
    static KernelWork packNonzerosWork(std::int64_t count, std::int64_t nonzeros, ConstArray from, const std::int32_t*,
                                       const std::uint8_t*) {
        return packedWork(count, nonzeros, from);
    }

    /// to: T, what packNonzeros had.
    virtual void unpackNonzeros(std::int64_t count, std::int64_t nonzeros, const std::int32_t* begins,
                                const std::uint8_t* packed, Array to) = 0;
    static KernelWork unpackNonzerosWork(std::int64_t count, std::int64_t nonzeros, const std::int32_t*,
                                         const std::uint8_t*, Array to) {
        return packedWork(count, nonzeros, to);
    }

protected:
    ~SparseFloatOps() = default;

private:
    static double bytesOfRows(std::int64_t count) {
        return static_cast<double>(sizeof(std::int32_t)) * static_cast<double>(sparseRows(count) + 1);
    }
    static KernelWork packedWork(std::int64_t count, std::int64_t nonzeros, ConstArray all) {
        return {KernelKind::Elementwise, bytesOf(all, static_cast<double>(count)) + bytesOfRows(count) +
                                             static_cast<double>(sparseBytes(nonzeros, all.type))};
    }
};

#define SHARDLAB_SPARSE_FLOAT_OPS(operation)                                                                           \
    operation(SparseFloatOps, countNonzeros, 3) operation(SparseFloatOps, packNonzeros, 5)                             \
        operation(SparseFloatOps, unpackNonzeros, 5)

}  // namespace shardlab::kernels
