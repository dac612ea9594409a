// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gemm.h"

namespace shardlab::cpu {

/// The libraries that multiply matrices of fp32.
enum class ProductLibrary { OneDnn, OpenBlas };

/// Which of them is quicker for a product of these sizes and strides on this processor: a rule, never a measurement, so
/// that equal runs stay equal to the bit.
ProductLibrary quickerLibrary(int m, int n, int k, const Matrix& a, const Matrix& b);

/// GemmOps::gemm of fp32 by the quicker library. Throws std::runtime_error where that refuses it.
void sgemm(int m, int n, int k, float alpha, const Matrix& a, const Matrix& b, float beta, float* c, int strideC);

}  // namespace shardlab::cpu
