// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/gemm_plans.cuh"
#include "kernels/cuda/grid.cuh"

#include <algorithm>
#include <cstdio>

namespace shardlab::kernels::cuda {

namespace {

constexpr unsigned mostBlocksDown = 65535;  ///< CUDA's limit of gridDim.y

/// Multiplies matrices that the library does not take; a thread computes one element of every gridDim.y·blockDim.y-th
/// row.
template <class T, class C>
__global__ void plainGemmKernel(GemmShape shape, float alpha, const T* a, const T* b, C* c) {
    const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (column >= shape.n) return;
    const std::int64_t strideA = shape.strideA;
    const std::int64_t strideB = shape.strideB;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.y) * blockDim.y;
    for (std::int64_t row = blockIdx.y * blockDim.y + threadIdx.y; row < shape.m; row += step) {
        float sum = 0;
        for (int i = 0; i < shape.k; ++i)
            sum += toFloat(shape.transposeA ? a[i * strideA + row] : a[row * strideA + i]) *
                   toFloat(shape.transposeB ? b[column * strideB + i] : b[i * strideB + column]);
        C& target = c[row * shape.strideC + column];
        target = fromFloat<C>(alpha * sum + (shape.accumulates ? toFloat(target) : 0.0f));
    }
}

/// The shape of a product A·B of whole matrices.
GemmShape wholeShape(int m, int n, int k, DType type, Epilogue epilogue) {
    GemmShape shape;
    shape.m = m;
    shape.n = n;
    shape.k = k;
    shape.strideA = k;
    shape.strideB = n;
    shape.strideC = n;
    shape.type = type;
    shape.output = type;
    shape.epilogue = epilogue;
    return shape;
}

}  // namespace

void CudaDevice::gemm(int m, int n, int k, float alpha, Matrix a, Matrix b, float beta, Array c, int strideC) {
    if (m == 0 || n == 0) return;
    const GemmShape shape{m,        n,       k,           a.transpose, b.transpose,  a.stride,
                          b.stride, strideC, a.data.type, c.type,      beta != 0.0f, Epilogue::None};
    if (k > 0) {  // cuBLASLt has no matrices without elements
        if (plans_->multiply(shape, {a.data.data, b.data.data, c.data, nullptr, nullptr, alpha}, *queue_)) return;
        if (says("gemm"))
            std::fprintf(
                stderr,
                "shardlab: cuBLASLt does not know the product of %d x %d and %d x %d elements with rows of %d, "
                "%d and %d; a slow kernel computes it, and others like it\n",
                m, k, k, n, a.stride, b.stride, strideC);
    }
    withTypes(shape.type, shape.output, [&](auto t, auto o) {
        using T = typename decltype(t)::Type;
        using C = typename decltype(o)::Type;
        const dim3 blocks(static_cast<unsigned>(ceilDiv(n, 32)),
                          std::min(static_cast<unsigned>(ceilDiv(m, 8)), mostBlocksDown));
        launch("gemm", plainGemmKernel<T, C>, blocks, dim3(32, 8), *queue_, shape, alpha, as<T>(a.data), as<T>(b.data),
               as<C>(c));
    });
}

// The epilogues save reading and writing the product once more. Where the library has none for a shape or its types,
// another kernel follows the product.

void CudaDevice::gemmBias(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array c) {
    const GemmShape shape = wholeShape(m, n, k, a.type, Epilogue::Bias);
    const bool alike = bias.type == a.type && c.type == a.type;
    if (alike && plans_->multiply(shape, {a.data, b.data, c.data, bias.data}, *queue_)) return;
    Device::gemm(m, n, k, a, false, b, false, 0, c);
    addBias(m, n, bias, c);
}

void CudaDevice::gemmBiasResidual(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, ConstArray residual,
                                  Array c) {
    GemmShape shape = wholeShape(m, n, k, a.type, bias ? Epilogue::Bias : Epilogue::None);
    shape.accumulates = true;
    GemmOperands operands{a.data, b.data, c.data, bias.data};
    operands.before = residual.data;
    const bool alike = (!bias || bias.type == a.type) && residual.type == a.type && c.type == a.type;
    if (alike && plans_->multiply(shape, operands, *queue_)) return;
    Device::gemm(m, n, k, a, false, b, false, 0, c);
    addBiasAndResidual(m, n, bias, residual, c);
}

void CudaDevice::gemmBiasGelu(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array x, Array output) {
    const GemmShape shape = wholeShape(m, n, k, a.type, Epilogue::BiasGelu);
    const bool alike = bias.type == a.type && output.type == a.type && n % 8 == 0;
    if (alike && plans_->multiply(shape, {a.data, b.data, output.data, bias.data, x.data}, *queue_)) return;
    Device::gemm(m, n, k, a, false, b, false, 0, x);
    biasGelu(m, n, bias, x, output);
}

// The library does not promise that its epilogue for this works in place.
void CudaDevice::gemmGeluGrad(int m, int n, int k, ConstArray a, ConstArray b, Array x, Array scratch, Array bias) {
    Device::gemm(m, n, k, a, false, b, true, 0, scratch);
    if (bias) geluGradBias(m, n, scratch, x, bias);
    else geluGrad(static_cast<std::int64_t>(m) * n, scratch, x);
}

}  // namespace shardlab::kernels::cuda
