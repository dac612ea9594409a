// SPDX-License-Identifier: Apache-2.0
// What the tensor cores of sm_80 and later offer to one warp: matrices of 8×8 from shared memory, products of 16×8×16,
// copies that run beside them. tests/gpu/emulated_block.h says the same for the processor.
//
// Fragments: lane = 4·g + t. A [16, 16]: a[0] is row g, columns 2t and 2t+1; a[1] row g+8; a[2] and a[3] the same
// rows, eight columns on. B [16, 8]: b0 is rows 2t and 2t+1 of column g, b1 eight rows on. C [16, 8]: c[0], c[1] are
// row g, columns 2t and 2t+1; c[2], c[3] row g+8. Two Cs beside each other, packed, are thus an A.
#pragma once

#ifndef SHARDLAB_EMULATED_BLOCK

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace shardlab::kernels::cuda {

extern __shared__ __align__(1024) unsigned char dynamicShared[];

__device__ __forceinline__ unsigned char* sharedBytes() { return dynamicShared; }

__device__ __forceinline__ std::uint32_t sharedAddress(const void* shared) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

/// Two neighbours of T, the first in the low half.
template <class T>
__device__ __forceinline__ std::uint32_t packed(float first, float second);
template <>
__device__ __forceinline__ std::uint32_t packed<__nv_bfloat16>(float first, float second) {
    std::uint32_t both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
}
template <>
__device__ __forceinline__ std::uint32_t packed<__half>(float first, float second) {
    std::uint32_t both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
}

template <class T>
__device__ __forceinline__ float2 unpacked(std::uint32_t both);
template <>
__device__ __forceinline__ float2 unpacked<__nv_bfloat16>(std::uint32_t both) {
    return {__uint_as_float(both << 16), __uint_as_float(both & 0xFFFF0000u)};
}
template <>
__device__ __forceinline__ float2 unpacked<__half>(std::uint32_t both) {
    return __half22float2(*reinterpret_cast<const __half2*>(&both));
}

__device__ __forceinline__ float exp2Of(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

/// The maximum over the four lanes that hold a row of C.
__device__ __forceinline__ float quadMaximum(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xFFFFFFFFu, x, 2));
}
__device__ __forceinline__ float quadSum(float x) {
    x += __shfl_xor_sync(0xFFFFFFFFu, x, 1);
    return x + __shfl_xor_sync(0xFFFFFFFFu, x, 2);
}

__device__ __forceinline__ bool anyOfWarp(bool what) { return __any_sync(0xFFFFFFFFu, what); }

/// Loads four matrices of 8×8. Lanes 8·i … 8·i+7 give the rows of matrix i, 16 bytes each, at addresses of shared
/// memory that are multiples of 16. Lane 4·g + t gets columns 2t and 2t+1 of row g of each matrix.
__device__ __forceinline__ void loadMatrices(std::uint32_t (&values)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3])
                 : "r"(sharedAddress(row))
                 : "memory");
}
/// Loads the transposed matrices likewise: lane 4·g + t gets rows 2t and 2t+1 of column g.
__device__ __forceinline__ void loadMatricesTransposed(std::uint32_t (&values)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3])
                 : "r"(sharedAddress(row))
                 : "memory");
}

/// c += a·b
template <class T>
__device__ __forceinline__ void multiplyAdd(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                            std::uint32_t b1);
template <>
__device__ __forceinline__ void multiplyAdd<__nv_bfloat16>(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                                           std::uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <>
__device__ __forceinline__ void multiplyAdd<__half>(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                                    std::uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Copies 16 bytes from global to shared memory, or writes as many zeros; they are there after waitForCopies and a
/// barrier.
__device__ __forceinline__ void copyAsync16(void* shared, const void* global, bool valid) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(sharedAddress(shared)), "l"(global),
                 "r"(valid ? 16 : 0)
                 : "memory");
}
__device__ __forceinline__ void copyAsync4(void* shared, const void* global, bool valid) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(sharedAddress(shared)), "l"(global),
                 "r"(valid ? 4 : 0)
                 : "memory");
}
__device__ __forceinline__ void commitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until no more than `pending` of the groups that this thread committed are under way.
template <int pending>
__device__ __forceinline__ void waitForCopies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace shardlab::kernels::cuda

#endif
