// SPDX-License-Identifier: Apache-2.0
// Numbers that kernels leave in the host's memory, handed over once the stream has come so far, so that no caller waits
// for one number alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace shardlab::kernels::cuda {

/// The results of one stream; any thread may use them.
class LateResults {
public:
    LateResults();
    LateResults(const LateResults&) = delete;
    LateResults& operator=(const LateResults&) = delete;
    ~LateResults();

    static constexpr std::size_t most = 64;  ///< results that are not handed over yet, at most
    /// launch(place) launches a kernel that writes a number there; the number times `factor` becomes *result. False
    /// where there are `most` already; nothing was launched then.
    bool ask(double* result, double factor, const std::function<void(double* place)>& launch);
    /// How many kernels were launched so far.
    std::uint64_t asked();
    /// Hands over results: the stream has come past the first `asked` kernels.
    void handOver(std::uint64_t asked);

private:
    struct Waiting {
        double* result;
        double factor;
    };
    std::mutex mutex_;
    double* places_ = nullptr;  ///< used as a ring
    std::deque<Waiting> waiting_;
    std::uint64_t handedOver_ = 0;
};

}  // namespace shardlab::kernels::cuda
