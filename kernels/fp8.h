// SPDX-License-Identifier: Apache-2.0
// Products in 8 bits (2209.05433, and the OCP specifications of 8-bit floating point and of microscaling formats). A
// factor of a product is rounded to codes: x becomes the code next to x · s, and stands for code ÷ s. The scale s
// belongs to a tile of the matrix: to all of it, to 32 numbers in a row of a product's sum (MX), or to 1 × 128 or
// 128 × 128 of them (DeepSeek-V3, 2412.19437). Products are summed up in fp32. The tolerance against double precision
// is 1e-5 of the largest value; 1e-3 where tensor cores multiply codes, which keep fewer digits of a sum than fp32
// between the additions to it (Hopper's about 14 bits, by 2412.19437).
//   E4M3   4 bits of exponent, 3 of fraction: to 448, least 2^−9; no infinity
//   E5M2   5 and 2: to 57344, least 2^−16
// Rounding is to nearest, ties to even, and saturates: larger values and infinities become the largest number. What is
// not a number stays so.
#pragma once

#include "kernels/work.h"

#include <limits>
#include <tuple>

namespace shardlab::kernels {

enum class Fp8Format : std::uint8_t { E4M3, E5M2 };

constexpr float largestOf(Fp8Format format) { return format == Fp8Format::E4M3 ? 448.0f : 57344.0f; }

/// The numbers of a matrix that share a scale; 0 stands for as many as the matrix has. At a matrix's ends tiles may be
/// smaller. They are counted row by row.
struct Fp8Tiles {
    int rows = 0;
    int columns = 0;

    constexpr int down(int matrixRows) const { return rows == 0 ? 1 : (matrixRows + rows - 1) / rows; }
    constexpr int across(int matrixColumns) const { return columns == 0 ? 1 : (matrixColumns + columns - 1) / columns; }
    constexpr std::int64_t count(int matrixRows, int matrixColumns) const {
        return std::int64_t{down(matrixRows)} * across(matrixColumns);
    }
    bool operator==(const Fp8Tiles&) const = default;
};

/// A matrix [rows, columns] of codes whose rows lie side by side, or where it is turned its columns. Scales have a
/// tile's s in fp32, or as U8 the MX format's E8M0 for 1 ÷ s: byte b is 2^(b − 127).
struct Fp8Matrix {
    int rows = 0;
    int columns = 0;
    const std::uint8_t* codes = nullptr;
    ConstArray scales;
    Fp8Tiles tiles;
    Fp8Format format = Fp8Format::E4M3;
    bool turned = false;
};

/// How often a matrix's rounding changed more than digits.
struct Fp8Counts {
    std::int32_t saturated = 0;  ///< numbers larger than the format's largest, not-a-number not among them
    std::int32_t flushed = 0;    ///< numbers that became 0
};

struct Fp8Ops {
    /// largest[tile] = the largest magnitude of its numbers, or not-a-number where one of them is; with `more` the
    /// larger of that and what was there. x: T or P.
    virtual void fp8Largest(int rows, int columns, ConstArray x, const Fp8Tiles& tiles, bool more, float* largest) = 0;
    static KernelWork fp8LargestWork(int rows, int columns, ConstArray x, const Fp8Tiles& tiles, bool, const float*) {
        return {KernelKind::Elementwise,
                bytesOf(x, 1.0 * rows * columns) + sizeof(float) * static_cast<double>(tiles.count(rows, columns))};
    }

    /// The scale with which a tile's largest magnitude becomes the format's: largestOf(format) ÷ largest. Where
    /// `powers`, or as E8M0, the power of two below that, so that nothing saturates; at most 2^126. It is 1 where the
    /// largest is 0 or not finite, and the largest fp32 where it would be larger. `scales` may lie where `largest`
    /// does.
    virtual void fp8Scales(std::int64_t count, Fp8Format format, bool powers, const float* largest, Array scales) = 0;
    static KernelWork fp8ScalesWork(std::int64_t count, Fp8Format, bool, const float*, Array scales) {
        const auto tiles = static_cast<double>(count);
        return {KernelKind::Elementwise, sizeof(float) * tiles + bytesOf(scales, tiles)};
    }

    /// codes[i] = the code next to x[i] · s of its tile, a product of fp32. Where `turned`, codes[column · rows +
    /// row] is that of x[row · columns + column]. Adds to `counts`, unless that is null. x: T or P.
    virtual void fp8Round(int rows, int columns, ConstArray x, const Fp8Tiles& tiles, Fp8Format format,
                          ConstArray scales, bool turned, std::uint8_t* codes, Fp8Counts* counts) = 0;
    static KernelWork fp8RoundWork(int rows, int columns, ConstArray x, const Fp8Tiles& tiles, Fp8Format,
                                   ConstArray scales, bool, const std::uint8_t*, const Fp8Counts*) {
        const double numbers = 1.0 * rows * columns;
        return {KernelKind::Elementwise,
                bytesOf(x, numbers) + numbers + bytesOf(scales, static_cast<double>(tiles.count(rows, columns)))};
    }

    /// C[m,n] = op(A)·op(B) + beta·C of what the codes stand for, summed up in fp32. op(A) is [m,k]: A is [m,k], or
    /// [k,m] where transposed; op(B) is [k,n]: B is [k,n], or [n,k] where transposed. C: T or fp32. beta is 0 (C is
    /// overwritten, may hold anything) or 1 (accumulates). The same call gives the same bits. Tensor cores want the
    /// codes of both factors to lie along the sum: A turned where it is transposed, B where it is not.
    virtual void gemmFp8(int m, int n, int k, const Fp8Matrix& a, bool transposeA, const Fp8Matrix& b, bool transposeB,
                         float beta, Array c) = 0;
    static KernelWork gemmFp8Work(int m, int n, int k, const Fp8Matrix& a, bool transposeA, const Fp8Matrix& b,
                                  bool transposeB, float beta, Array c) {
        const KernelKind kind = transposeA   ? KernelKind::ProductTransposedA
                                : transposeB ? KernelKind::ProductTransposedB
                                             : KernelKind::Product;
        const auto scales = [](const Fp8Matrix& factor) {
            return bytesOf(factor.scales, static_cast<double>(factor.tiles.count(factor.rows, factor.columns)));
        };
        return {kind, 1.0 * m * k + 1.0 * k * n + scales(a) + scales(b) + bytesOf(c, (beta != 0 ? 2.0 : 1.0) * m * n),
                2.0 * m * n * k};
    }

protected:
    ~Fp8Ops() = default;
};

#define SHARDLAB_FP8_OPS(operation)                                                                                    \
    operation(Fp8Ops, fp8Largest, 6) operation(Fp8Ops, fp8Scales, 5) operation(Fp8Ops, fp8Round, 9)                    \
        operation(Fp8Ops, gemmFp8, 9)

}  // namespace shardlab::kernels
