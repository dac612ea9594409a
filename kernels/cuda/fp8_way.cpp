// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/fp8_way.cuh"

#include "kernels/cuda/types.cuh"

#include <cublasLt.h>

#include <algorithm>

namespace shardlab::kernels::cuda {

namespace {

constexpr int tensorCoreUnit = 16;  ///< of all sizes of a product of codes

/// None where cuBLASLt has no such tiles.
CodeScales scalesOf(const Fp8Matrix& matrix, bool sumsDownRows) {
    struct Known {
        CodeScales scales;
        DType type;
        int along, across;  ///< numbers of a tile along the sum, and across it
    };
    constexpr Known all[] = {{CodeScales::Whole, DType::F32, 0, 0},
                             {CodeScales::Rows, DType::F32, 0, 1},
                             {CodeScales::Runs, DType::F32, 128, 1},
                             {CodeScales::Squares, DType::F32, 128, 128},
                             {CodeScales::ShortRuns, DType::U8, 32, 1}};
    const auto [rows, columns] = matrix.tiles;
    const auto* const found = std::ranges::find_if(all, [&, rows = rows, columns = columns](const Known& known) {
        return known.type == matrix.scales.type && known.along == (sumsDownRows ? rows : columns) &&
               known.across == (sumsDownRows ? columns : rows);
    });
    return found == std::end(all) ? CodeScales::None : found->scales;
}

const char* lackOf(int capability, const GemmShape& shape, const Fp8Matrix& a, const Fp8Matrix& b, Array c) {
    const CodeScales ofA = shape.codesA.scales, ofB = shape.codesB.scales;
    const bool hopper = capability / 10 == 9, blackwell = capability >= 100;
    const auto runs = [](CodeScales scales) { return scales == CodeScales::Runs || scales == CodeScales::Squares; };
    if (CUBLAS_VERSION < 120900) return "this build has a cuBLASLt before 12.9, which has one kind of scales";
    if (shape.k == 0) return "it sums nothing";
    if (capability < 89) return "this GPU's tensor cores have no 8-bit floating point (compute capability 8.9 has)";
    if (a.turned != shape.transposeA || b.turned == shape.transposeB) return "codes do not lie along the sum";
    if (ofA == CodeScales::None || ofB == CodeScales::None) return "cuBLASLt has no scales for such tiles";
    if (runs(ofA) && runs(ofB)) {
        if (ofA == CodeScales::Squares && ofB == ofA) return "cuBLASLt does not multiply two factors in squares";
        if (!hopper) return "cuBLASLt has scales of 128 numbers for compute capability 9.0 alone";
    } else if (ofA != ofB) {
        return "cuBLASLt has no such scales beside each other";
    } else if (ofA == CodeScales::Rows && !hopper) {
        return "cuBLASLt has scales of rows for compute capability 9.0 alone";
    } else if (ofA == CodeScales::ShortRuns && !blackwell) {
        return "this GPU's tensor cores have no scales of 32 numbers (compute capability 10.0 has)";
    }
    if (a.format == Fp8Format::E5M2 && b.format == Fp8Format::E5M2) return "cuBLASLt does not multiply E5M2 with E5M2";
    if (shape.m % tensorCoreUnit != 0 || shape.n % tensorCoreUnit != 0 || shape.k % tensorCoreUnit != 0)
        return "its sizes are no multiples of 16";
    if (!aligned(a.codes) || !aligned(b.codes) || !aligned(c.data)) return "a matrix does not begin at 16 bytes";
    return nullptr;
}

}  // namespace

Fp8Way fp8WayOf(int capability, int m, int n, int k, const Fp8Matrix& a, bool transposeA, const Fp8Matrix& b,
                bool transposeB, float beta, Array c) {
    Fp8Way way;
    GemmShape& shape = way.shape;
    shape.m = m;
    shape.n = n;
    shape.k = k;
    shape.transposeA = transposeA;
    shape.transposeB = transposeB;
    shape.codesA = {scalesOf(a, transposeA), a.format};
    shape.codesB = {scalesOf(b, !transposeB), b.format};
    way.lack = lackOf(capability, shape, a, b, c);
    // Where codes lie along the sum, so do they for the library, which is not told of transposes: A is [m, k], B [n,
    // k].
    shape.transposeA = false;
    shape.transposeB = true;
    shape.strideA = shape.strideB = k;
    shape.strideC = n;
    shape.type = DType::U8;
    shape.output = c.type;
    shape.accumulates = beta != 0;
    return way;
}

}  // namespace shardlab::kernels::cuda
