// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gemm.h"

namespace shardlab::cpu {

/// Whether this processor has instructions for products of bf16.
bool multipliesBf16();

/// Whether it has tiles for them (AMX), in which oneDNN sums dense factors without room beside C.
bool multipliesInTiles();

/// GemmOps::gemm of bf16 by oneDNN's primitive, on a processor that multipliesBf16.
void matmul(int m, int n, int k, float alpha, const Matrix& a, const Matrix& b, float beta, Array c, int strideC);

}  // namespace shardlab::cpu
