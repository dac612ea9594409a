// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gemm.h"

namespace shardlab::kernels::cpu {

/// Whether this processor has instructions for products of bf16.
bool multipliesBf16();

/// Whether this processor has tiles for products of bf16 (AMX), with which oneDNN sums dense factors without memory
/// beside C.
bool multipliesInTiles();

/// Whether the rows of a matrix whose op(…) is [rows, columns] lie one after another.
inline bool isDense(const Matrix& matrix, int rows, int columns) {
    return matrix.stride == (matrix.transpose ? rows : columns);
}

/// GemmOps::gemm by oneDNN's primitive, with beta 0 or 1. The factors are fp32, or bf16 on a processor that
/// multipliesBf16; C is fp32, or bf16 where the factors are. Throws dnnl::error where oneDNN refuses the product.
void matmul(int m, int n, int k, float alpha, const Matrix& a, const Matrix& b, float beta, Array c, int strideC);

}  // namespace shardlab::kernels::cpu
