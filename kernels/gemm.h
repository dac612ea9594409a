// SPDX-License-Identifier: Apache-2.0
// Matrix products, which a library computes, alone and with what follows them in a transformer. Matrices are row-major.
// The tolerance against double precision is 1e-5 of the largest value.
#pragma once

#include "kernels/work.h"

#include <tuple>

namespace shardlab::kernels {

/// A factor of a product: rows lie `stride` elements apart.
struct Matrix {
    ConstArray data;
    int stride = 0;
    bool transpose = false;
    auto memory() { return std::tie(data); }
};

struct GemmOps {
    /// C[m,n] = alpha·op(A)·op(B) + beta·C. op(A) is [m,k]: A is [m,k], or [k,m] where transposed; op(B) is [k,n]: B is
    /// [k,n], or [n,k] where transposed. A and B: T; C: T or fp32; its rows lie `strideC` elements apart. beta is 0 (C
    /// is overwritten, may hold anything) or 1 (accumulates). The same call gives the same bits. A and B may lie in the
    /// same larger matrix as C as long as no element is both read and written.
    virtual void gemm(int m, int n, int k, float alpha, Matrix a, Matrix b, float beta, Array c, int strideC) = 0;
    static KernelWork gemmWork(int m, int n, int k, float, Matrix a, Matrix b, float beta, Array c, int) {
        const KernelKind kind = a.transpose   ? KernelKind::ProductTransposedA
                                : b.transpose ? KernelKind::ProductTransposedB
                                              : KernelKind::Product;
        return productWork(kind, m, n, k, a.data, b.data, bytesOf(c, (beta != 0 ? 2.0 : 1.0) * m * n));
    }

    /// C[m,n] = A·B + bias[n]; A [m,k], B [k,n]. bias: P.
    virtual void gemmBias(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array c) = 0;
    static KernelWork gemmBiasWork(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array c) {
        return productWork(KernelKind::Product, m, n, k, a, b, bytesOf(bias, n) + bytesOf(c, 1.0 * m * n));
    }

    /// C[m,n] = A·B + bias[n] + residual[m,n]: the end of a block's branch. bias: P, or null for none; residual: T,
    /// which C does not overlap.
    virtual void gemmBiasResidual(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, ConstArray residual,
                                  Array c) = 0;
    static KernelWork gemmBiasResidualWork(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias,
                                           ConstArray residual, Array c) {
        return productWork(KernelKind::Product, m, n, k, a, b,
                           bytesOf(bias, n) + bytesOf(residual, 1.0 * m * n) + bytesOf(c, 1.0 * m * n));
    }

    /// x = A·B + bias; output = g(x), where g is the GELU of gelu.h.
    virtual void gemmBiasGelu(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array x,
                              Array output) = 0;
    static KernelWork gemmBiasGeluWork(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array x,
                                       Array output) {
        return productWork(KernelKind::Product, m, n, k, a, b,
                           bytesOf(bias, n) + bytesOf(x, 1.0 * m * n) + bytesOf(output, 1.0 * m * n));
    }

    /// x := (A·Bᵀ) · g′(x), element by element, and bias[c] += Σ_r x[r,c] of what was written; A [m,k], B [n,k],
    /// x [m,n]. bias: G, or null for no sums. `scratch` [m,n], T, may be overwritten.
    virtual void gemmGeluGrad(int m, int n, int k, ConstArray a, ConstArray b, Array x, Array scratch, Array bias) = 0;
    static KernelWork gemmGeluGradWork(int m, int n, int k, ConstArray a, ConstArray b, Array x, Array, Array bias) {
        return productWork(KernelKind::ProductTransposedB, m, n, k, a, b,
                           bytesOf(x, 2.0 * m * n) + bytesOf(bias, 2.0 * n));
    }

protected:
    ~GemmOps() = default;

private:
    static KernelWork productWork(KernelKind kind, int m, int n, int k, ConstArray a, ConstArray b, double otherBytes) {
        return {kind, bytesOf(a, 1.0 * m * k) + bytesOf(b, 1.0 * k * n) + otherBytes, 2.0 * m * n * k};
    }
};

#define SHARDLAB_GEMM_OPS(operation)                                                                                   \
    operation(GemmOps, gemm, 9) operation(GemmOps, gemmBias, 7) operation(GemmOps, gemmBiasResidual, 8)                \
        operation(GemmOps, gemmBiasGelu, 8) operation(GemmOps, gemmGeluGrad, 8)

}  // namespace shardlab::kernels
