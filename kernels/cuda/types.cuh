// SPDX-License-Identifier: Apache-2.0
// The step from types known at run time to those that kernels are compiled for, and accesses of 16 bytes.
#pragma once

#include "kernels/array.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace shardlab::kernels::cuda {

using bf16 = __nv_bfloat16;
using fp16 = __half;

template <class T>
struct Of {
    using Type = T;
};

/// Calls function(Of<T>{}) with the T that `type` names.
template <class Function>
void withType(DType type, Function&& function) {
    switch (type) {
    case DType::F32: return function(Of<float>{});
    case DType::BF16: return function(Of<bf16>{});
    case DType::F16: return function(Of<fp16>{});
    case DType::I32:
    case DType::U8: break;
    }
    throw std::logic_error("an operation was asked for numbers that are no fp32, bf16 or fp16");
}

/// Calls function(Of<T>{}, Of<P>{}) with T for `type`, and P for `other`, which is the same or fp32.
template <class Function>
void withTypes(DType type, DType other, Function&& function) {
    withType(type, [&](auto t) {
        if (other == type) return function(t, t);
        if (other == DType::F32) return function(t, Of<float>{});
        throw std::logic_error("an operation was asked for weights that are neither of its matrices' type nor fp32");
    });
}

/// Calls function(Of<A>{}, Of<B>{}) with equal types, or with one of them fp32.
template <class Function>
void withStateTypes(DType a, DType b, Function&& function) {
    if (a == DType::F32 && b != DType::F32)
        return withTypes(b, a, [&](auto other, auto fp32) { function(fp32, other); });
    withTypes(a, b, function);
}

template <class T>
const T* as(const ConstArray& array) {
    return static_cast<const T*>(array.data);
}
template <class T>
T* as(const Array& array) {
    return static_cast<T*>(array.data);
}

__host__ __device__ inline float toFloat(float x) { return x; }
__host__ __device__ inline float toFloat(bf16 x) { return __bfloat162float(x); }
__host__ __device__ inline float toFloat(fp16 x) { return __half2float(x); }

/// Rounds to nearest, ties to even.
template <class T>
__host__ __device__ T fromFloat(float x);
template <>
__host__ __device__ inline float fromFloat<float>(float x) {
    return x;
}
template <>
__host__ __device__ inline bf16 fromFloat<bf16>(float x) {
    return __float2bfloat16_rn(x);
}
template <>
__host__ __device__ inline fp16 fromFloat<fp16>(float x) {
    return __float2half_rn(x);
}

/// N neighbours as they lie in memory, loaded and stored 16 bytes at a time where they have as many.
template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Pack {
    T values[N];
    __device__ float operator[](int i) const { return toFloat(values[i]); }
    __device__ void set(int i, float x) { values[i] = fromFloat<T>(x); }
};

/// `data` must be aligned to 16 bytes, or to the size of the pack where that is smaller.
template <int N, class T>
__device__ Pack<T, N> loadPack(const T* data) {
    return *reinterpret_cast<const Pack<T, N>*>(data);
}

template <int N, class T>
__device__ void storePack(T* data, const Pack<T, N>& pack) {
    *reinterpret_cast<Pack<T, N>*>(data) = pack;
}

/// How many elements of T are 16 bytes.
template <class T>
constexpr int packOf = 16 / static_cast<int>(sizeof(T));

inline bool aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }

/// Calls function(std::integral_constant) with how many neighbours a thread takes at once: a pack of T where `columns`
/// is a multiple of it and all of `data` (which may be null) is aligned, else one.
template <class T, class Function, class... Pointers>
void withPacks(std::int64_t columns, Function&& function, Pointers... data) {
    if (columns % packOf<T> == 0 && (aligned(data) && ...)) function(std::integral_constant<int, packOf<T>>{});
    else function(std::integral_constant<int, 1>{});
}

constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace shardlab::kernels::cuda
