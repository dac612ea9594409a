// SPDX-License-Identifier: Apache-2.0
// Matrix products, on a library. Tolerance against double precision: 1e-5 of the largest value.
#pragma once

namespace shardlab {

/// C[m,n] = op(A)·op(B) + beta·C, row-major, fp32. op(A) is [m,k]: A is [m,k], or [k,m] where transposeA;
/// op(B) is [k,n]: B is [k,n], or [n,k] where transposeB. beta is 0 (C is overwritten, may hold anything) or 1
/// (accumulates). Sums in fp32; the same call gives the same bits. Buffers do not overlap.
void gemm(int m, int n, int k, const float* a, bool transposeA, const float* b, bool transposeB, float beta, float* c);

/// A matrix inside a larger one: rows lie `stride` floats apart.
struct MatrixSlice {
    const float* data = nullptr;
    int stride = 0;
    bool transpose = false;
};

/// The same for slices: C[m,n] = alpha·op(A)·op(B) + beta·C, rows of C lie `strideC` floats apart. A and B may lie
/// in the same larger matrix as C as long as no element is both read and written.
void gemm(int m, int n, int k, float alpha, MatrixSlice a, MatrixSlice b, float beta, float* c, int strideC);

}  // namespace shardlab
