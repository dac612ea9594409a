// SPDX-License-Identifier: Apache-2.0
// Matrix products, on a library.
#pragma once

namespace shardlab {

/// C[m,n] = op(A)·op(B) + beta·C, row-major, fp32. op(A) is [m,k]: A is [m,k], or [k,m] where transposeA;
/// op(B) is [k,n]: B is [k,n], or [n,k] where transposeB. beta is 0 (C is overwritten, may hold anything) or 1
/// (accumulates). Sums in fp32; the same call gives the same bits. Buffers do not overlap.
void gemm(int m, int n, int k, const float* a, bool transposeA, const float* b, bool transposeB, float beta, float* c);

}  // namespace shardlab
