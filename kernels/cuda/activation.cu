// SPDX-License-Identifier: Apache-2.0
#include "kernels/activation.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/gelu.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/math.cuh"

namespace shardlab::kernels::cuda {

namespace {

struct GeluTanh {
    static __device__ float value(float x) { return gelu(x); }
    static __device__ float slope(float x) { return geluSlope(x); }
};

struct Gelu {
    /// The normal distribution.
    static __device__ float below(float x) { return 0.5f * erfcf(-0.70710678f * x); }
    static __device__ float value(float x) { return x * below(x); }
    static __device__ float slope(float x) {
        constexpr float inverseRoot = 0.39894228f;  // 1/√(2π)
        return below(x) + x * inverseRoot * powerOfE(-0.5f * x * x);
    }
};

struct Silu {
    /// 1 / (1 + e^(−x)).
    static __device__ float share(float x) { return __fdividef(1.0f, 1.0f + powerOfE(-x)); }
    static __device__ float value(float x) { return x * share(x); }
    static __device__ float slope(float x) {
        const float open = share(x);
        return open + x * open * (1.0f - open);
    }
};

struct SquaredRelu {
    static __device__ float value(float x) { return x < 0 ? 0.0f : x * x; }
    static __device__ float slope(float x) { return x < 0 ? 0.0f : 2.0f * x; }
};

/// A gate that multiplies a value as it is: `factor` is what a value is multiplied as, `factorSlope` its slope.
template <class F>
struct Gate : F {
    static __device__ float factor(float value) { return value; }
    static __device__ float factorSlope(float) { return 1.0f; }
};

/// GateFunction with a limit.
struct ClampedGate {
    float limit;
    float alpha;
    __device__ float value(float x) const {
        const float gate = fminf(x, limit);
        return gate * Silu::share(alpha * gate);
    }
    __device__ float slope(float x) const {
        const float gate = fminf(x, limit), open = Silu::share(alpha * gate);
        return x > limit ? 0.0f : open + alpha * gate * open * (1.0f - open);
    }
    __device__ float factor(float value) const { return fmaxf(fminf(value, limit), -limit) + 1.0f; }
    __device__ float factorSlope(float value) const { return fabsf(value) > limit ? 0.0f : 1.0f; }
};

template <class F, int N, class T>
__global__ void activateKernel(std::int64_t count, const T* x, T* output) {
    overElements<N>(count, [=](std::int64_t at, auto n) {
        const auto values = loadPack<n()>(x + at);
        Pack<T, n()> out;
#pragma unroll
        for (int i = 0; i < n(); ++i) out.set(i, F::value(values[i]));
        storePack(output + at, out);
    });
}

template <class F, int N, class T>
__global__ void activateGradKernel(std::int64_t count, const T* outputGradient, T* x) {
    overElements<N>(count, [=](std::int64_t at, auto n) {
        const auto gradients = loadPack<n()>(outputGradient + at);
        auto values = loadPack<n()>(x + at);
#pragma unroll
        for (int i = 0; i < n(); ++i) values.set(i, gradients[i] * F::slope(values[i]));
        storePack(x + at, values);
    });
}

template <class F, class T>
struct Gated {
    int columns;
    const T* joined;
    T* output;
    F f;

    template <int N>
    __device__ void at(int row, int column, std::int64_t index) const {
        const T* gates = joined + static_cast<std::int64_t>(row) * 2 * columns + column;
        const auto gate = loadPack<N>(gates);
        const auto value = loadPack<N>(gates + columns);
        Pack<T, N> out;
#pragma unroll
        for (int i = 0; i < N; ++i) out.set(i, f.value(gate[i]) * f.factor(value[i]));
        storePack(output + index, out);
    }
};

template <class F, class T>
struct GatedGrad {
    int columns;
    const T* outputGradient;
    T* joined;
    F f;

    template <int N>
    __device__ void at(int row, int column, std::int64_t index) const {
        T* gates = joined + static_cast<std::int64_t>(row) * 2 * columns + column;
        auto gate = loadPack<N>(gates);
        auto value = loadPack<N>(gates + columns);
        const auto gradient = loadPack<N>(outputGradient + index);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const float x = gate[i], y = value[i];
            gate.set(i, gradient[i] * f.factor(y) * f.slope(x));
            value.set(i, gradient[i] * f.value(x) * f.factorSlope(y));
        }
        storePack(gates, gate);
        storePack(gates + columns, value);
    }
};

/// Calls function(F{}).
template <class Function>
void withFunction(Activation f, const Function& function) {
    switch (f) {
    case Activation::Gelu: return function(Gelu{});
    case Activation::GeluTanh: return function(GeluTanh{});
    case Activation::Silu: return function(Silu{});
    case Activation::SquaredRelu: return function(SquaredRelu{});
    }
}

/// Calls function with what the gate multiplies.
template <class Function>
void withGate(const GateFunction& gate, const Function& function) {
    if (gate.limit > 0) return function(ClampedGate{gate.limit, gate.alpha});
    withFunction(gate.f, [&]<class F>(F) { function(Gate<F>{}); });
}

}  // namespace

void CudaDevice::activate(Activation f, std::int64_t count, ConstArray x, Array output) {
    withFunction(f, [&]<class F>(F) {
        withType(x.type, [&](auto t) {
            using T = typename decltype(t)::Type;
            withElements(
                [&](auto n) {
                    launch("activate", activateKernel<F, n(), T>, elementBlocks(count, n()), elementThreads, *queue_,
                           count, as<T>(x), as<T>(output));
                },
                x.data, static_cast<const void*>(output.data));
        });
    });
}

void CudaDevice::activateGrad(Activation f, std::int64_t count, ConstArray outputGradient, Array x) {
    withFunction(f, [&]<class F>(F) {
        withType(x.type, [&](auto t) {
            using T = typename decltype(t)::Type;
            withElements(
                [&](auto n) {
                    launch("activateGrad", activateGradKernel<F, n(), T>, elementBlocks(count, n()), elementThreads,
                           *queue_, count, as<T>(outputGradient), as<T>(x));
                },
                outputGradient.data, static_cast<const void*>(x.data));
        });
    });
}

void CudaDevice::gated(const GateFunction& gate, int rows, int columns, ConstArray joined, Array output) {
    withGate(gate, [&]<class F>(const F& f) {
        withType(joined.type, [&](auto t) {
            using T = typename decltype(t)::Type;
            withPacks<T>(
                columns,
                [&](auto n) {
                    launch("gated", mapMatrixKernel<n(), Gated<F, T>>, matrixBlocks(rows, columns, n()), tileThreads,
                           *queue_, rows, columns, Gated<F, T>{columns, as<T>(joined), as<T>(output), f});
                },
                joined.data, static_cast<const void*>(output.data));
        });
    });
}

void CudaDevice::gatedGrad(const GateFunction& gate, int rows, int columns, ConstArray outputGradient, Array joined) {
    withGate(gate, [&]<class F>(const F& f) {
        withType(joined.type, [&](auto t) {
            using T = typename decltype(t)::Type;
            withPacks<T>(
                columns,
                [&](auto n) {
                    launch("gatedGrad", mapMatrixKernel<n(), GatedGrad<F, T>>, matrixBlocks(rows, columns, n()),
                           tileThreads, *queue_, rows, columns,
                           GatedGrad<F, T>{columns, as<T>(outputGradient), as<T>(joined), f});
                },
                outputGradient.data, static_cast<const void*>(joined.data));
        });
    });
}

}  // namespace shardlab::kernels::cuda
