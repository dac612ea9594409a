// SPDX-License-Identifier: Apache-2.0
// CUDA's errors as exceptions, and launches that report theirs.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace shardlab::cuda {

/// Throws what CUDA said of `call`, and of how many bytes where it is about memory. Kernels fail later than they are
/// launched: the call that reports it need not be the one that did it.
inline void check(cudaError_t status, const char* call, std::size_t bytes = 0) {
    if (status == cudaSuccess) return;
    std::string text = std::string("CUDA: ") + call;
    if (bytes) text += " of " + std::to_string(bytes) + " bytes";
    throw std::runtime_error(text + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

/// With `sharedBytes` of sharedMemory() for each block. Nothing where there are no blocks. `name`: for the error.
template <class... Parameters, class... Arguments>
void launchShared(const char* name, void (*kernel)(Parameters...), dim3 blocks, dim3 threads, std::size_t sharedBytes,
                  cudaStream_t stream, Arguments... arguments) {
    if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0) return;
#ifdef SHARDLAB_EMULATED_CUDA
    emulation::run(stream, blocks, threads, sharedBytes, [=] { kernel(static_cast<Parameters>(arguments)...); });
#else
    if (sharedBytes > 48 * 1024)  // more than that only on request
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(sharedBytes)),
              name, sharedBytes);
    kernel<<<blocks, threads, sharedBytes, stream>>>(static_cast<Parameters>(arguments)...);
#endif
    check(cudaGetLastError(), name);
}

template <class... Parameters, class... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), dim3 blocks, dim3 threads, cudaStream_t stream,
            Arguments... arguments) {
    launchShared(name, kernel, blocks, threads, 0, stream, arguments...);
}

/// Of a block, as much as its launch asked for; aligned to 16 bytes.
__device__ inline void* sharedMemory() {
#ifdef SHARDLAB_EMULATED_CUDA
    return emulation::sharedMemory();
#else
    extern __shared__ int4 sharedWords[];
    return sharedWords;
#endif
}

}  // namespace shardlab::cuda
