// SPDX-License-Identifier: Apache-2.0
// What must not happen while a graph is captured.
#pragma once

#include <mutex>

namespace shardlab::kernels::cuda {

/// Held by a thread that captures a stream, and by one that asks cuBLASLt how to multiply: its heuristic fails while
/// any stream of the process is captured, whichever thread asks.
inline std::unique_lock<std::mutex> captureLock() {
    static std::mutex one;
    return std::unique_lock(one);
}

}  // namespace shardlab::kernels::cuda
