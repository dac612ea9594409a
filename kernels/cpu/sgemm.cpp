// SPDX-License-Identifier: Apache-2.0
// oneDNN's sgemm takes strides and transposes without a primitive to build and to keep, and is the quickest on most
// shapes of a transformer. With AVX-512 it packs a transposed right factor slowly: there oneDNN's matmul primitive,
// which reads dense matrices where they lie, takes 0.6 to 0.95 of its time, on small products too. With AVX2 OpenBLAS
// is quicker for the shapes named below, by a few per cent up to twice (tests/bench/results.md).
#include "kernels/cpu/sgemm.h"

#include "kernels/cpu/instructions.h"
#include "kernels/cpu/matmul.h"

#include <cblas.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace shardlab::kernels::cpu {

namespace {

/// Below this size OpenBLAS' threads take longer to start than they save.
constexpr std::int64_t fewestMultiplications = 50'000'000;
constexpr int leastSide = 128;

/// Whether oneDNN multiplies without packing its factors first (its own rule for AVX2).
bool oneDnnReadsInPlace(int m, int n) { return 1.0 / m + 1.0 / n >= 0.0038; }

/// Whether rows are a multiple of 2 KiB apart, so that the elements of a column share few sets of the first cache.
bool columnsCollide(const Matrix& matrix) { return !matrix.transpose && matrix.stride % 512 == 0; }

}  // namespace

ProductRoutine quickestRoutine(int m, int n, int k, const Matrix& a, const Matrix& b, int strideC) {
    static const bool avx512 = has(dnnl::cpu_isa::avx512_core);
    if (avx512) {
        const bool dense = isDense(a, m, k) && isDense(b, k, n) && strideC == n;
        return dense && b.transpose && !a.transpose ? ProductRoutine::OneDnnMatmul : ProductRoutine::OneDnnGemm;
    }
    static const bool avx2 = has(dnnl::cpu_isa::avx2);
    if (!avx2 || std::min(m, n) < leastSide || std::int64_t{m} * n * k < fewestMultiplications)
        return ProductRoutine::OneDnnGemm;
    const bool overTokens = a.transpose && !b.transpose;  // the gradient of a weight
    const bool slowInPlace = !a.transpose && columnsCollide(b) && oneDnnReadsInPlace(m, n);
    return overTokens || slowInPlace ? ProductRoutine::OpenBlas : ProductRoutine::OneDnnGemm;
}

void sgemm(int m, int n, int k, float alpha, const Matrix& a, const Matrix& b, float beta, float* c, int strideC) {
    switch (quickestRoutine(m, n, k, a, b, strideC)) {
    case ProductRoutine::OneDnnMatmul: return matmul(m, n, k, alpha, a, b, beta, c, strideC);
    case ProductRoutine::OpenBlas: {
        const auto transposed = [](const Matrix& matrix) { return matrix.transpose ? CblasTrans : CblasNoTrans; };
        return cblas_sgemm(CblasRowMajor, transposed(a), transposed(b), m, n, k, alpha, a.data.floats(), a.stride,
                           b.data.floats(), b.stride, beta, c, strideC);
    }
    case ProductRoutine::OneDnnGemm: {
        const dnnl_status_t status = dnnl_sgemm(a.transpose ? 'T' : 'N', b.transpose ? 'T' : 'N', m, n, k, alpha,
                                                a.data.floats(), a.stride, b.data.floats(), b.stride, beta, c, strideC);
        if (status != dnnl_success) throw std::runtime_error("matrix product refused by oneDNN");
    }
    }
}

}  // namespace shardlab::kernels::cpu
