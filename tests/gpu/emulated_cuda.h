// SPDX-License-Identifier: Apache-2.0
// Lets the compiler of C++ take a .cu file: comes before everything else in it. Kernels run on the processor, blocks in
// turn, a fiber a thread; emulated_streams.cpp has CUDA's functions of the host, emulated_cublaslt.cpp and
// emulated_nccl.cpp those of cuBLASLt and NCCL. It shows wrong indexes and sums, and what is read before its stream has
// come to it; but no races within a kernel and no speed.
#pragma once

#define SHARDLAB_EMULATED_CUDA 1
#define __shared__ static  // blocks run one after another
#define __launch_bounds__(...)

#include "tests/support/wings.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace shardlab::emulation {

/// To be done once what the stream was asked for before is done, by the stream's own thread.
void enqueue(cudaStream_t stream, std::function<void()> work);
/// The GPU that the calling thread uses.
int currentDevice();
/// SHARDLAB_EMULATED_CAPABILITY: of each GPU, ten times; else 90.
int capability();
/// Whether any stream is captured.
bool captures();
/// SHARDLAB_EMULATED_DRY=1: nothing is computed or moved on the GPU, whose memory has no pages and whose size is an
/// H100's: for counting what a step of a real model asks of it.
bool dry();
/// Counts what a stream is asked for; what is only captured counts when its graph is launched, as that graph.
void count(cudaStream_t stream, const std::string& what);
void count(const std::string& what);
/// A kernel with its arguments, of which it has copies.
using Ready = std::function<void()>;
/// Lets cudaLaunchKernel find it by its address.
void introduce(const char* name, const void* kernel, std::function<Ready(void** arguments)> prepare);
template <class... Parameters>
void introduce(const char* name, void (*kernel)(Parameters...)) {
    introduce(name, reinterpret_cast<const void*>(kernel), [kernel](void** arguments) -> Ready {
        return [&]<std::size_t... I>(std::index_sequence<I...>)->Ready {
            return [kernel, values = std::tuple(*static_cast<const std::remove_cv_t<Parameters>*>(arguments[I])...)] {
                std::apply(kernel, values);
            };
        }
        (std::index_sequence_for<Parameters...>());
    });
}
/// At once.
void runNow(dim3 blocks, dim3 threads, std::size_t sharedBytes, const std::function<void()>& kernel);
/// What a block asked for beside its variables; its values are not numbers at first.
void* sharedMemory();
/// A thread waits for all others of its block.
void barrier();
/// All lanes of a warp call it at once; each gets the word that lane ^ distance has brought.
std::uint64_t exchange(std::uint64_t word, int distance);

}  // namespace shardlab::emulation

/// Tells what was counted since the library was loaded: for tests that load it.
extern "C" void shardlabEmulatedCounts(void (*tell)(const char* what, std::uint64_t count, void* to), void* to);

inline uint3 threadIdx;
inline uint3 blockIdx;
inline dim3 blockDim;
inline dim3 gridDim;

inline void __syncwarp() { shardlab::emulation::exchange(0, 0); }
inline void __syncthreads() { shardlab::emulation::barrier(); }

template <class T>
T __shfl_xor_sync(unsigned, T value, int distance) {
    using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return std::bit_cast<T>(static_cast<Word>(shardlab::emulation::exchange(std::bit_cast<Word>(value), distance)));
}

template <class T>
T atomicAdd(T* target, T value) {
    const T before = *target;
    *target += value;
    return before;
}
inline int atomicCAS(int* target, int expected, int value) {
    const int before = *target;
    if (before == expected) *target = value;
    return before;
}

inline unsigned atomicMax(unsigned* target, unsigned value) {
    const unsigned before = *target;
    *target = std::max(before, value);
    return before;
}

inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __fdividef(float a, float b) { return a / b; }
