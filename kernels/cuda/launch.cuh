// SPDX-License-Identifier: Apache-2.0
// Kernels as functions that are called with arguments.
#pragma once

#include "kernels/cuda/check.cuh"
#include "kernels/cuda/launch_queue.cuh"

#include <array>
#include <tuple>
#include <type_traits>

namespace shardlab::kernels::cuda {

/// Launches a kernel with `sharedBytes` of sharedMemory() for each block; does nothing where there are no blocks.
/// `name` stands in the error.
template <class... Parameters, class... Arguments>
void launchShared(const char* name, void (*kernel)(Parameters...), dim3 blocks, dim3 threads, std::size_t sharedBytes,
                  LaunchQueue& queue, Arguments... arguments) {
    static_assert(((alignof(Parameters) <= 16 && std::is_trivially_copyable_v<std::remove_cv_t<Parameters>>)&&...));
    if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0) return;
#ifdef SHARDLAB_EMULATED_CUDA
    emulation::introduce(name, kernel);
#endif
    const std::tuple<std::remove_cv_t<Parameters>...> values(static_cast<Parameters>(arguments)...);
    std::apply(
        [&](const auto&... value) {
            const std::array<KernelArgument, sizeof...(Parameters)> list{KernelArgument{&value, sizeof value}...};
            queue.launch({name, reinterpret_cast<const void*>(kernel), blocks, threads, sharedBytes}, list);
        },
        values);
}

template <class... Parameters, class... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), dim3 blocks, dim3 threads, LaunchQueue& queue,
            Arguments... arguments) {
    launchShared(name, kernel, blocks, threads, 0, queue, arguments...);
}

/// The shared memory of a block, as much as its launch asked for; aligned to 16 bytes.
__device__ inline void* sharedMemory() {
#ifdef SHARDLAB_EMULATED_CUDA
    return emulation::sharedMemory();
#else
    extern __shared__ int4 sharedWords[];
    return sharedWords;
#endif
}

}  // namespace shardlab::kernels::cuda
