// SPDX-License-Identifier: Apache-2.0
// oneDNN's sgemm: measured within a few per cent of its matmul primitive on the shapes of a transformer, and it takes
// strides and transposes without a primitive to build, cache and key.
#include "kernels/gemm.h"

#include <dnnl.h>

#include <stdexcept>

namespace shardlab {

void gemm(int m, int n, int k, float alpha, MatrixSlice a, MatrixSlice b, float beta, float* c, int strideC) {
    const dnnl_status_t status = dnnl_sgemm(a.transpose ? 'T' : 'N', b.transpose ? 'T' : 'N', m, n, k, alpha, a.data,
                                            a.stride, b.data, b.stride, beta, c, strideC);
    if (status != dnnl_success) throw std::runtime_error("matrix product refused by oneDNN");
}

void gemm(int m, int n, int k, const float* a, bool transposeA, const float* b, bool transposeB, float beta, float* c) {
    gemm(m, n, k, 1.0f, {a, transposeA ? m : k, transposeA}, {b, transposeB ? k : n, transposeB}, beta, c, n);
}

}  // namespace shardlab
