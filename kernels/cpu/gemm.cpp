// SPDX-License-Identifier: Apache-2.0
// fp32 products go to sgemm of whichever library is quicker; bf16 products to oneDNN's primitive, where the processor
// multiplies bf16; all others are computed in fp32 from copies, a panel at a time.
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/floats.h"
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/products.h"
#include "kernels/cpu/sgemm.h"

#include <algorithm>

namespace shardlab::kernels {

namespace {

/// op(matrix) from row `begin` on, or from that column on.
Matrix rowsFrom(const Matrix& matrix, std::ptrdiff_t begin) {
    return {matrix.data + begin * (matrix.transpose ? 1 : matrix.stride), matrix.stride, matrix.transpose};
}
Matrix columnsFrom(const Matrix& matrix, std::ptrdiff_t begin) {
    return {matrix.data + begin * (matrix.transpose ? matrix.stride : 1), matrix.stride, matrix.transpose};
}

/// op(matrix) is [rows, columns].
cpu::ConstFloats floatsOf(const Matrix& matrix, int rows, int columns) {
    return {matrix.data, matrix.transpose ? columns : rows, matrix.transpose ? rows : columns, matrix.stride};
}

/// Where C has 16 bits, the primitive sums in fp32 beside it, unless the processor has tiles. The product is cut into
/// panels, so that this memory stays small.
void addMatmul(int m, int n, int k, float alpha, const Matrix& a, const Matrix& b, Array c, int strideC) {
    constexpr int panelElements = 1 << 20;
    const bool inTiles = cpu::multipliesInTiles() && cpu::isDense(a, m, k) && cpu::isDense(b, k, n) && strideC == n;
    const int panel = c.type == DType::F32 || inTiles ? m : std::max(panelElements / n / 64 * 64, 64);
    for (int begin = 0; begin < m; begin += panel)
        cpu::matmul(std::min(panel, m - begin), n, k, alpha, rowsFrom(a, begin), b, 1,
                    c + std::ptrdiff_t{begin} * strideC, strideC);
}

/// Copies the smaller factor whole and the larger one in panels.
void productOfCopies(int m, int n, int k, float alpha, const Matrix& a, const Matrix& b, float beta, Array c,
                     int strideC) {
    constexpr int panel = 512;
    const auto access = beta == 0 ? cpu::Floats::Access::Write : cpu::Floats::Access::Update;
    if (m > n) {
        const cpu::ConstFloats right = floatsOf(b, k, n);
        for (int begin = 0; begin < m; begin += panel) {
            const int rows = std::min(panel, m - begin);
            const cpu::ConstFloats left = floatsOf(rowsFrom(a, begin), rows, k);
            const cpu::Floats out(c + std::ptrdiff_t{begin} * strideC, access, rows, n, strideC);
            cpu::product(rows, n, k, alpha, {left.data(), left.stride(), a.transpose},
                         {right.data(), right.stride(), b.transpose}, beta, out.data(), out.stride());
        }
        return;
    }
    const cpu::ConstFloats left = floatsOf(a, m, k);
    for (int begin = 0; begin < n; begin += panel) {
        const int columns = std::min(panel, n - begin);
        const cpu::ConstFloats right = floatsOf(columnsFrom(b, begin), k, columns);
        const cpu::Floats out(c + begin, access, m, columns, strideC);
        cpu::product(m, columns, k, alpha, {left.data(), left.stride(), a.transpose},
                     {right.data(), right.stride(), b.transpose}, beta, out.data(), out.stride());
    }
}

}  // namespace

void cpu::product(int m, int n, int k, float alpha, Matrix a, Matrix b, float beta, float* c, int strideC) {
    if (a.data.type == DType::BF16) return matmul(m, n, k, alpha, a, b, beta, c, strideC);
    sgemm(m, n, k, alpha, a, b, beta, c, strideC);
}

void CpuDevice::gemm(int m, int n, int k, float alpha, Matrix a, Matrix b, float beta, Array c, int strideC) {
    if (cpu::factorType(a.data.type) != a.data.type || (a.data.type == DType::F32 && c.type != DType::F32))
        return productOfCopies(m, n, k, alpha, a, b, beta, c, strideC);
    if (a.data.type == DType::F32) return cpu::product(m, n, k, alpha, a, b, beta, c.floats(), strideC);
    if (beta == 0) return cpu::matmul(m, n, k, alpha, a, b, 0, c, strideC);
    addMatmul(m, n, k, alpha, a, b, c, strideC);
}

void CpuDevice::gemmBias(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array c) {
    Device::gemm(m, n, k, a, false, b, false, 0, c);
    addBias(m, n, bias, c);
}

void CpuDevice::gemmBiasResidual(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, ConstArray residual,
                                 Array c) {
    Device::gemm(m, n, k, a, false, b, false, 0, c);
    addBiasAndResidual(m, n, bias, residual, c);
}

void CpuDevice::gemmBiasGelu(int m, int n, int k, ConstArray a, ConstArray b, ConstArray bias, Array x, Array output) {
    if (x.type != DType::F32) {  // of the rounded x: whoever has x alone makes the same of it
        gemmBias(m, n, k, a, b, bias, x);
        return activate(Activation::GeluTanh, std::int64_t{m} * n, x, output);
    }
    Device::gemm(m, n, k, a, false, b, false, 0, x);
    biasGelu(m, n, bias, x, output);
}

void CpuDevice::gemmGeluGrad(int m, int n, int k, ConstArray a, ConstArray b, Array x, Array scratch, Array bias) {
    Device::gemm(m, n, k, a, false, b, true, 0, scratch);
    if (bias) geluGradBias(m, n, scratch, x, bias);
    else geluGrad(std::int64_t{m} * n, scratch, x);
}

}  // namespace shardlab::kernels
