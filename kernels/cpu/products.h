// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cpu/matmul.h"

namespace shardlab::kernels::cpu {

/// The type in which products read their factors: the factors' own type where the processor multiplies it, else fp32.
inline DType factorType(DType type) { return type == DType::BF16 && multipliesBf16() ? DType::BF16 : DType::F32; }

/// factorType for the products of attention's heads, whose rows lie apart: oneDNN uses tiles only for dense factors,
/// and without tiles it takes twice as long for bf16 as for fp32 (tests/bench/results.md).
inline DType headType(DType type) { return multipliesInTiles() ? DType::F32 : factorType(type); }

/// GemmOps::gemm with a result of fp32, for kernels made of small products; the factors have a type that factorType
/// gives.
void product(int m, int n, int k, float alpha, Matrix a, Matrix b, float beta, float* c, int strideC);

}  // namespace shardlab::kernels::cpu
