// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gemm.h"

namespace shardlab::kernels::cpu {

/// The routines that multiply matrices of fp32.
enum class ProductRoutine { OneDnnGemm, OneDnnMatmul, OpenBlas };

/// The quickest routine for a product of these sizes and strides on this processor. A rule decides, never a
/// measurement, so that equal runs stay equal to the bit.
ProductRoutine quickestRoutine(int m, int n, int k, const Matrix& a, const Matrix& b, int strideC);

/// GemmOps::gemm of fp32 by the quickest routine. Throws std::runtime_error where its library refuses it.
void sgemm(int m, int n, int k, float alpha, const Matrix& a, const Matrix& b, float beta, float* c, int strideC);

}  // namespace shardlab::kernels::cpu
