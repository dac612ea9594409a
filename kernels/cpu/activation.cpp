// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/activation_functions.h"
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"

namespace shardlab::kernels {

namespace {

template <class F>
SHARDLAB_INLINE void valuesOf(std::int64_t count, const float* __restrict x, float* __restrict output) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) output[i] = F::value(x[i]);
}

template <class F>
SHARDLAB_INLINE void slopesOf(std::int64_t count, const float* __restrict gradient, float* __restrict x) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) x[i] = gradient[i] * F::slope(x[i]);
}

template <class F>
SHARDLAB_INLINE void gatesOf(const F& f, std::int64_t rows, int columns, const float* joined, float* output) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* __restrict gate = joined + r * 2 * columns;
        const float* __restrict value = gate + columns;
        float* __restrict out = output + r * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) out[c] = f.value(gate[c]) * f.factor(value[c]);
    }
}

template <class F>
SHARDLAB_INLINE void gateSlopesOf(const F& f, std::int64_t rows, int columns, const float* outputGradient,
                                  float* joined) {
    for (std::int64_t r = 0; r < rows; ++r) {
        float* __restrict gate = joined + r * 2 * columns;
        float* __restrict value = gate + columns;
        const float* __restrict gradient = outputGradient + r * columns;
#pragma omp simd
        for (int c = 0; c < columns; ++c) {
            const float x = gate[c], y = value[c];
            gate[c] = gradient[c] * f.factor(y) * f.slope(x);
            value[c] = gradient[c] * f.value(x) * f.factorSlope(y);
        }
    }
}

// Each of these is compiled for several instruction sets, with the loop of each function in it.
SHARDLAB_HOT void values(Activation f, std::int64_t count, const float* x, float* output) {
    switch (f) {
    case Activation::Gelu: return valuesOf<cpu::Gelu>(count, x, output);
    case Activation::GeluTanh: return valuesOf<cpu::GeluTanh>(count, x, output);
    case Activation::Silu: return valuesOf<cpu::Silu>(count, x, output);
    case Activation::SquaredRelu: return valuesOf<cpu::SquaredRelu>(count, x, output);
    }
}

SHARDLAB_HOT void slopes(Activation f, std::int64_t count, const float* gradient, float* x) {
    switch (f) {
    case Activation::Gelu: return slopesOf<cpu::Gelu>(count, gradient, x);
    case Activation::GeluTanh: return slopesOf<cpu::GeluTanh>(count, gradient, x);
    case Activation::Silu: return slopesOf<cpu::Silu>(count, gradient, x);
    case Activation::SquaredRelu: return slopesOf<cpu::SquaredRelu>(count, gradient, x);
    }
}

SHARDLAB_HOT void gates(const GateFunction& gate, std::int64_t rows, int columns, const float* joined, float* output) {
    if (gate.limit > 0) return gatesOf(cpu::ClampedGate{gate.limit, gate.alpha}, rows, columns, joined, output);
    switch (gate.f) {
    case Activation::Gelu: return gatesOf(cpu::Gate<cpu::Gelu>{}, rows, columns, joined, output);
    case Activation::GeluTanh: return gatesOf(cpu::Gate<cpu::GeluTanh>{}, rows, columns, joined, output);
    case Activation::Silu: return gatesOf(cpu::Gate<cpu::Silu>{}, rows, columns, joined, output);
    case Activation::SquaredRelu: return gatesOf(cpu::Gate<cpu::SquaredRelu>{}, rows, columns, joined, output);
    }
}

SHARDLAB_HOT void gateSlopes(const GateFunction& gate, std::int64_t rows, int columns, const float* gradient,
                             float* joined) {
    if (gate.limit > 0) return gateSlopesOf(cpu::ClampedGate{gate.limit, gate.alpha}, rows, columns, gradient, joined);
    switch (gate.f) {
    case Activation::Gelu: return gateSlopesOf(cpu::Gate<cpu::Gelu>{}, rows, columns, gradient, joined);
    case Activation::GeluTanh: return gateSlopesOf(cpu::Gate<cpu::GeluTanh>{}, rows, columns, gradient, joined);
    case Activation::Silu: return gateSlopesOf(cpu::Gate<cpu::Silu>{}, rows, columns, gradient, joined);
    case Activation::SquaredRelu: return gateSlopesOf(cpu::Gate<cpu::SquaredRelu>{}, rows, columns, gradient, joined);
    }
}

/// Calls body(rows, joined rows, other rows), where joined rows have 2·columns elements and the others have `columns`.
template <class Joined, class Single, class Body>
void byJoinedRows(std::int64_t rows, std::int64_t columns, const Joined& joined, const Single& single,
                  const Body& body) {
    const bool inPlace = joined.array.type == DType::F32 && single.array.type == DType::F32;
    const std::int64_t block = std::max<std::int64_t>(inPlace ? rows : cpu::blockElements / (2 * columns), 1);
    cpu::shareOut(rows, 2 * rows * columns, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t first = begin; first < end; first += block) {
            const std::int64_t some = std::min(block, end - first);
            const auto two = joined.open(first * 2 * columns, some * 2 * columns);
            const auto one = single.open(first * columns, some * columns);
            body(some, two.data(), one.data());
        }
    });
}

}  // namespace

void CpuDevice::activate(Activation f, std::int64_t count, ConstArray x, Array output) {
    cpu::byElements(
        count, [&](std::int64_t, std::int64_t some, const float* in, float* out) { values(f, some, in, out); },
        cpu::reads(x), cpu::writes(output));
}

void CpuDevice::activateGrad(Activation f, std::int64_t count, ConstArray outputGradient, Array x) {
    cpu::byElements(
        count,
        [&](std::int64_t, std::int64_t some, const float* gradient, float* in) { slopes(f, some, gradient, in); },
        cpu::reads(outputGradient), cpu::updates(x));
}

void CpuDevice::gated(const GateFunction& f, int rows, int columns, ConstArray joined, Array output) {
    byJoinedRows(rows, columns, cpu::reads(joined), cpu::writes(output),
                 [&](std::int64_t some, const float* in, float* out) { gates(f, some, columns, in, out); });
}

void CpuDevice::gatedGrad(const GateFunction& f, int rows, int columns, ConstArray outputGradient, Array joined) {
    byJoinedRows(
        rows, columns, cpu::updates(joined), cpu::reads(outputGradient),
        [&](std::int64_t some, float* in, const float* gradient) { gateSlopes(f, some, columns, gradient, in); });
}

}  // namespace shardlab::kernels
