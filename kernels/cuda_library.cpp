// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda_library.h"

#include "kernels/cuda_device.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>

namespace shardlab::kernels {

namespace {

struct Loaded {
    const CudaLibrary* library = nullptr;
    std::string reason;
};

/// The library lies beside the program, where installed in ../lib/shardlab; tests lie in a folder beside the programs.
std::filesystem::path libraryPath() {
    if (const char* named = std::getenv("SHARDLAB_CUDA_LIBRARY")) return named;
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* place : {".", "../bin", "../lib/shardlab"}) {
        const std::filesystem::path path = (folder / place / cudaLibraryFile).lexically_normal();
        if (std::filesystem::exists(path, error)) return path;
    }
    return {};
}

Loaded load() {
    const std::filesystem::path path = libraryPath();
    if (path.empty())
        return {nullptr, std::string("this build has no CUDA back end: no ") + cudaLibraryFile + " beside the program"};
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return {nullptr, std::string("the CUDA back end does not load: ") + dlerror()};
    const auto entry = reinterpret_cast<const CudaLibrary* (*)()>(dlsym(handle, cudaLibrarySymbol));
    if (!entry) return {nullptr, path.string() + " is not Shardlab's CUDA back end"};
    const CudaLibrary* library = entry();
    if (library->version != cudaLibraryVersion)
        return {nullptr, path.string() + " belongs to another version of Shardlab: build it again"};
    return {library, {}};
}

/// The library is loaded once and never unloaded, because devices and CUDA's own threads live in it.
const Loaded& loaded() {
    static const Loaded once = load();
    return once;
}

}  // namespace

void loadKernelsAtStart() { setenv("CUDA_MODULE_LOADING", "EAGER", 0); }

DeviceOrReason openCudaDevice(int index) {
    const CudaDevices devices = cudaDevices();
    if (!devices.reason.empty()) return {nullptr, devices.reason};
    const int count = static_cast<int>(devices.names.size());
    if (index < 0 || index >= count)
        return {nullptr, "there is no GPU " + std::to_string(index) + ": this process sees " + std::to_string(count) +
                             ", counted from 0"};
    std::array<char, 512> reason{};
    Device* device = loaded().library->open(index, reason.data(), reason.size());
    return {std::unique_ptr<Device>(device), device ? "" : reason.data()};
}

CudaDevices cudaDevices() {
    if (!loaded().library) return {{}, loaded().reason};
    std::array<char, 512> text{};
    const int count = loaded().library->devices(text.data(), text.size());
    if (count == 0) return {{}, text.data()};
    CudaDevices devices;
    for (int i = 0; i < count; ++i) {
        loaded().library->name(i, text.data(), text.size());
        devices.names.emplace_back(text.data());
    }
    return devices;
}

}  // namespace shardlab::kernels
