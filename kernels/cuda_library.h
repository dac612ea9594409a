// SPDX-License-Identifier: Apache-2.0
// What the CUDA library and the program that loads it agree on.
#pragma once

#include "kernels/device.h"

#include <cstddef>

namespace shardlab {

/// Counted up where this file or a device's functions change: an old library beside a new program is refused.
constexpr int cudaLibraryVersion = 3;

struct CudaLibrary {
    int version;
    /// GPUs that this process sees; 0, and why.
    int (*devices)(char* reason, std::size_t size);
    void (*name)(int index, char* name, std::size_t size);
    /// Null, and why.
    Device* (*open)(int index, char* reason, std::size_t size);
};

/// The library's one symbol, const CudaLibrary* (): "shardlabCudaLibrary".
constexpr const char* cudaLibrarySymbol = "shardlabCudaLibrary";
constexpr const char* cudaLibraryFile = "libshardlab_cuda.so";

}  // namespace shardlab
