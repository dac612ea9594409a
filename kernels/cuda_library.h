// SPDX-License-Identifier: Apache-2.0
// What the CUDA library and the program that loads it agree on.
#pragma once

#include "kernels/device.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shardlab::kernels {

/// An old library beside a new program is refused. The version changes by itself with the list of operations; `edition`
/// is counted up where this file, the parameters of an operation, or another function of a device changes.
consteval std::uint64_t cudaLibraryVersionOf(std::string_view operations, std::uint64_t edition) {
    std::uint64_t hash = 0xcbf29ce484222325 ^ edition;  // FNV-1a
    for (const char letter : operations) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    return hash;
}
#define SHARDLAB_OPERATION_TEXT(group, name, parameters) #group "::" #name "/" #parameters " "
constexpr std::uint64_t cudaLibraryVersion =
    cudaLibraryVersionOf(SHARDLAB_OPERATIONS(SHARDLAB_OPERATION_TEXT), /*edition=*/5);
#undef SHARDLAB_OPERATION_TEXT

struct CudaLibrary {
    std::uint64_t version;
    /// How many GPUs this process sees; 0, and why.
    int (*devices)(char* reason, std::size_t size);
    void (*name)(int index, char* name, std::size_t size);
    /// A device; null, and why.
    Device* (*open)(int index, char* reason, std::size_t size);
};

/// The library has one symbol, const CudaLibrary* (): "shardlabCudaLibrary".
constexpr const char* cudaLibrarySymbol = "shardlabCudaLibrary";
constexpr const char* cudaLibraryFile = "libshardlab_cuda.so";

}  // namespace shardlab::kernels
