// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cpu/matmul.h"

namespace shardlab::cpu {

/// The type in which products read factors of a type: the type itself where the processor multiplies it, else fp32.
inline DType factorType(DType type) { return type == DType::BF16 && multipliesBf16() ? DType::BF16 : DType::F32; }

/// GemmOps::gemm with a result of fp32, for kernels made of small products; factors of a type that factorType gives.
void product(int m, int n, int k, float alpha, Matrix a, Matrix b, float beta, float* c, int strideC);

}  // namespace shardlab::cpu
