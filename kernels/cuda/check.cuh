// SPDX-License-Identifier: Apache-2.0
// CUDA's errors as exceptions.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace shardlab::kernels::cuda {

/// Throws CUDA's message about `call`, with the number of bytes where it concerns memory. Kernels fail after their
/// launch, so that the call which reports an error need not be the one that caused it.
inline void check(cudaError_t status, const char* call, std::size_t bytes = 0) {
    if (status == cudaSuccess) return;
    std::string text = std::string("CUDA: ") + call;
    if (bytes) text += " of " + std::to_string(bytes) + " bytes";
    throw std::runtime_error(text + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

}  // namespace shardlab::kernels::cuda
