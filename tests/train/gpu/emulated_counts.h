// SPDX-License-Identifier: Apache-2.0
// What an emulated GPU was asked for, by the library that plays it (tests/gpu/emulated_cuda.h).
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

namespace shardlab::test {

using EmulatedCounts = std::map<std::string, std::uint64_t>;

/// All counts since the library was loaded; none where the GPU is a real one.
inline EmulatedCounts emulatedCounts() {
    const char* const name = std::getenv("SHARDLAB_CUDA_LIBRARY");
    void* const library = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
    using Tell = void(const char*, std::uint64_t, void*);
    using All = void(Tell*, void*);
    All* const all = library ? reinterpret_cast<All*>(dlsym(library, "shardlabEmulatedCounts")) : nullptr;
    EmulatedCounts counts;
    const auto keep = [](const char* what, std::uint64_t count, void* to) {
        (*static_cast<EmulatedCounts*>(to))[what] = count;
    };
    if (all) all(keep, &counts);
    return counts;
}

}  // namespace shardlab::test
