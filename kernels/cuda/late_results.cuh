// SPDX-License-Identifier: Apache-2.0
// Numbers that kernels leave in the host's memory, handed over when the stream has come so far: nobody waits for one
// alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace shardlab::cuda {

/// For one stream, by any thread.
class LateResults {
public:
    LateResults();
    LateResults(const LateResults&) = delete;
    LateResults& operator=(const LateResults&) = delete;
    ~LateResults();

    static constexpr std::size_t most = 64;  ///< that are not handed over yet
    /// launch(place): a kernel that is to write there; times `factor` it becomes *result. False where there are `most`,
    /// and nothing was launched.
    bool ask(double* result, double factor, const std::function<void(double* place)>& launch);
    /// How many were launched so far.
    std::uint64_t asked();
    /// The stream has come past the kernels of the first so many.
    void handOver(std::uint64_t asked);

private:
    struct Waiting {
        double* result;
        double factor;
    };
    std::mutex mutex_;
    double* places_ = nullptr;  ///< a ring
    std::deque<Waiting> waiting_;
    std::uint64_t handedOver_ = 0;
};

}  // namespace shardlab::cuda
