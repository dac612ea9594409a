// SPDX-License-Identifier: Apache-2.0
// Which way a product of codes is computed: by the tensor cores of a GPU that have 8 bits, through cuBLASLt, or by a
// kernel that multiplies what the codes stand for. Decided here alone, by what the documentation of cuBLASLt 13 says
// that it supports.
#pragma once

#include "kernels/cuda/gemm_plans.cuh"
#include "kernels/fp8.h"

namespace shardlab::kernels::cuda {

/// What cuBLASLt is to be asked for.
struct Fp8Way {
    GemmShape shape;
    const char* lack = nullptr;  ///< why it is not asked; null where it is
};

/// For a GPU of compute capability `capability` ÷ 10, with the arguments of Fp8Ops::gemmFp8. What cuBLASLt does not
/// know of what it is asked for, it says itself (GemmPlans::multiply).
Fp8Way fp8WayOf(int capability, int m, int n, int k, const Fp8Matrix& a, bool transposeA, const Fp8Matrix& b,
                bool transposeB, float beta, Array c);

}  // namespace shardlab::kernels::cuda
