// SPDX-License-Identifier: Apache-2.0
// Hogwild (arXiv 1106.5730): several workers update the same weights at once, w ← w − γg, each element with a load and
// a store of its own, relaxed and indivisible, and nothing that keeps the others out. An update touches the elements
// whose gradient is not zero.
#pragma once

#include "kernels/device.h"
#include "kernels/sgd.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

namespace shardlab {

struct LockFreeUpdate {
    std::int64_t written = 0;  ///< elements whose gradient was not zero
    /// Of them, those that were not, right before they were stored, what they were when the new value was computed:
    /// what another worker stored in between is lost. Of what is lost so, this leaves out what was stored between this
    /// look and the store, two instructions, and what put the same number back; it counts nothing that was not lost.
    std::int64_t overwritten = 0;
    LockFreeUpdate& operator+=(const LockFreeUpdate& other) {
        written += other.written;
        overwritten += other.overwritten;
        return *this;
    }
};

/// Elements that are loaded, computed and stored together.
inline constexpr std::size_t hogwildStretch = 64;

/// `shared`, which others write meanwhile, −= γ·g with the device's SGD, so that alone it is that to the bit; no
/// momentum and no decay. `between` is called for each stretch with a gradient after its loads and before its stores,
/// with the number of its first element; may be empty.
LockFreeUpdate updateWithoutLock(std::span<float> shared, std::span<const float> gradients, const SgdUpdate& update,
                                 Device& device, const std::function<void(std::size_t first)>& between = {});

/// Element by element: other workers' updates may be in one element and not in the next.
void readWithoutLock(std::span<float> shared, std::span<float> copy);
void writeWithoutLock(std::span<const float> values, std::span<float> shared);

/// What a worker tells the others, in memory that all reach; written by this worker alone.
struct alignas(64) HogwildWorkerWord {
    std::atomic<std::int64_t> updates{0};  ///< done
    std::atomic<std::int64_t> losses{0};   ///< told
    std::atomic<double> loss{0};           ///< the last one
};
/// What worker 0 tells the others.
struct alignas(64) HogwildWord {
    std::atomic<std::int64_t> mayBegin{0};  ///< steps numbered from here on wait
    std::atomic<std::int64_t> meetings{0};  ///< asked for so far
    std::atomic<std::int64_t> stops{0};     ///< not 0: the run ends at the next meeting
};
static_assert(std::atomic_ref<float>::is_always_lock_free && std::atomic<double>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "other processes read and write them");
static_assert(sizeof(HogwildWorkerWord) == 64 && sizeof(HogwildWord) == 64, "layout/exchange.h counts them");

}  // namespace shardlab
