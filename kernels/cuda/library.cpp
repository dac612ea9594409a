// SPDX-License-Identifier: Apache-2.0
// The functions that the library offers to the program that loads it: kernels/cuda_library.h.
#include "kernels/cuda_library.h"

#include "kernels/cuda/cuda_device.cuh"

#include <cstdio>
#include <cstdlib>
#include <exception>

using namespace shardlab::kernels;

namespace {

const CudaLibrary library{
    cudaLibraryVersion,
    [](char* reason, std::size_t size) {
        int count = 0;
        const cudaError_t status = cudaGetDeviceCount(&count);
        cudaGetLastError();  // clears the error, which is handled here
        if (status == cudaErrorInsufficientDriver) {
            int driver = 0;
            cudaDriverGetVersion(&driver);
            if (driver == 0) std::snprintf(reason, size, "no NVIDIA driver on this machine");
            else
                std::snprintf(reason, size, "the NVIDIA driver is made for CUDA %d.%d, this build for %d.%d",
                              driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
            return 0;
        }
        if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
            std::snprintf(reason, size, "no NVIDIA GPU on this machine, or CUDA_VISIBLE_DEVICES hides it");
            return 0;
        }
        if (status != cudaSuccess) {
            std::snprintf(reason, size, "CUDA: %s (%s)", cudaGetErrorString(status), cudaGetErrorName(status));
            return 0;
        }
        return count;
    },
    [](int index, char* name, std::size_t size) {
        cudaDeviceProp properties{};
        const cudaError_t status = cudaGetDeviceProperties(&properties, index);
        std::snprintf(name, size, "%s", status == cudaSuccess ? properties.name : cudaGetErrorName(status));
    },
    [](int index, char* reason, std::size_t size) -> Device* {
        try {
            return std::make_unique<cuda::CudaDevice>(index).release();
        } catch (const std::exception& error) {
            std::snprintf(reason, size, "%s", error.what());
            return nullptr;
        }
    },
};

}  // namespace

/// The hardware has eight queues unless more are asked for before CUDA starts. Further streams share a queue, where a
/// message that waits for its receiver would hold up the products behind it.
extern "C" __attribute__((visibility("default"))) const CudaLibrary* shardlabCudaLibrary() {
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
    return &library;
}
