// SPDX-License-Identifier: Apache-2.0
// Matrix products, on a library, alone and with what follows them in a transformer. Row-major.
// Tolerance against double precision: 1e-5 of the largest value.
#pragma once

#include "kernels/array.h"

namespace shardlab {

/// A factor of a product: rows lie `stride` elements apart.
struct Matrix {
    ConstArray data;
    int stride = 0;
    bool transpose = false;
};

struct GemmOps {
    /// C[m,n] = alpha·op(A)·op(B) + beta·C. op(A) is [m,k]: A is [m,k], or [k,m] where transposed; op(B) is [k,n]: B is
    /// [k,n], or [n,k] where transposed. A and B: T; C: T or fp32; its rows lie `strideC` elements apart. beta is 0 (C
    /// is overwritten, may hold anything) or 1 (accumulates). The same call gives the same bits. A and B may lie in the
    /// same larger matrix as C as long as no element is both read and written.
    virtual void gemm(int m, int n, int k, float alpha, Matrix a, Matrix b, float beta, Array c, int strideC) = 0;

    /// C[m,n] = A·B + bias[n]; A [m,k], B [k,n]. bias: P.
    virtual void gemmBias(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array c) = 0;
    /// x = A·B + bias; output = g(x), of gelu.h.
    virtual void gemmBiasGelu(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array x,
                              Array output) = 0;
    /// x := (A·Bᵀ) · g′(x), element by element; A [m,k], B [n,k], x [m,n]. `scratch` [m,n], T: overwritten or not.
    virtual void gemmGeluGrad(int m, int n, int k, ConstArray a, ConstArray b, Array x, Array scratch) = 0;

    /// Of whole matrices: C[m,n] = op(A)·op(B) + beta·C.
    void gemm(int m, int n, int k, ConstArray a, bool transposeA, ConstArray b, bool transposeB, float beta, Array c) {
        gemm(m, n, k, 1.0f, {a, transposeA ? m : k, transposeA}, {b, transposeB ? k : n, transposeB}, beta, c, n);
    }

protected:
    ~GemmOps() = default;
};

}  // namespace shardlab
