// SPDX-License-Identifier: Apache-2.0
// oneDNN's sgemm is within a few per cent of its matmul primitive on the shapes of a transformer; it takes strides and
// transposes without a primitive to build, cache and key. With AVX-512 it is the quicker library throughout; with AVX2
// OpenBLAS is for the shapes named below, by a few per cent up to twice (tests/bench/results.md).
#include "kernels/cpu/sgemm.h"

#include "kernels/cpu/instructions.h"

#include <cblas.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace shardlab::cpu {

namespace {

/// Below this OpenBLAS' threads take longer to start than they save.
constexpr std::int64_t fewestMultiplications = 50'000'000;
constexpr int leastSide = 128;

/// Where oneDNN multiplies without packing its factors first (its own rule for AVX2).
bool oneDnnReadsInPlace(int m, int n) { return 1.0 / m + 1.0 / n >= 0.0038; }

/// Rows so far apart that the elements of a column meet in few sets of the first cache: multiples of 2 KiB.
bool columnsCollide(const Matrix& matrix) { return !matrix.transpose && matrix.stride % 512 == 0; }

}  // namespace

ProductLibrary quickerLibrary(int m, int n, int k, const Matrix& a, const Matrix& b) {
    static const bool avx2Only = has(dnnl::cpu_isa::avx2) && !has(dnnl::cpu_isa::avx512_core);
    if (!avx2Only || std::min(m, n) < leastSide || std::int64_t{m} * n * k < fewestMultiplications)
        return ProductLibrary::OneDnn;
    const bool overTokens = a.transpose && !b.transpose;  // the gradient of a weight
    const bool slowInPlace = !a.transpose && columnsCollide(b) && oneDnnReadsInPlace(m, n);
    return overTokens || slowInPlace ? ProductLibrary::OpenBlas : ProductLibrary::OneDnn;
}

void sgemm(int m, int n, int k, float alpha, const Matrix& a, const Matrix& b, float beta, float* c, int strideC) {
    if (quickerLibrary(m, n, k, a, b) == ProductLibrary::OpenBlas) {
        const auto transposed = [](const Matrix& matrix) { return matrix.transpose ? CblasTrans : CblasNoTrans; };
        cblas_sgemm(CblasRowMajor, transposed(a), transposed(b), m, n, k, alpha, a.data.floats(), a.stride,
                    b.data.floats(), b.stride, beta, c, strideC);
        return;
    }
    const dnnl_status_t status =
        dnnl_sgemm(a.transpose ? 'T' : 'N', b.transpose ? 'T' : 'N', m, n, k, alpha, a.data.floats(), a.stride,
                   b.data.floats(), b.stride, beta, c, strideC);
    if (status != dnnl_success) throw std::runtime_error("matrix product refused by oneDNN");
}

}  // namespace shardlab::cpu
