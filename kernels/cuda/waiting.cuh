// SPDX-License-Identifier: Apache-2.0
// How the host waits for the GPU where others may be lost meanwhile.
#pragma once

#include "kernels/cuda/check.cuh"

#include <chrono>
#include <thread>

namespace shardlab::kernels::cuda {

/// Waits until query(), cudaStreamQuery or cudaEventQuery, says that all is done, and calls look() again and again
/// meanwhile, which throws where waiting is in vain. Throws std::runtime_error in CUDA's words about `call`.
template <class Query, class Look>
void waitLooking(const Query& query, const char* call, const Look& look) {
    constexpr int spins = 2000;
    for (int turn = 0;; ++turn) {
        const cudaError_t status = query();
        if (status == cudaSuccess) return;
        if (status != cudaErrorNotReady) check(status, call);
        cudaGetLastError();  // clears the answer that it is not ready
        look();
        if (turn < spins) std::this_thread::yield();
        else std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
}

}  // namespace shardlab::kernels::cuda
