// SPDX-License-Identifier: Apache-2.0
// Hogwild (arXiv 1106.5730): several workers update the same weights at once, w ← w − γg, and nothing keeps them from
// each other. Each element is loaded and stored by relaxed atomic operations. An update touches the elements whose
// gradient is not zero.
#pragma once

#include "engine/base/wings.h"

#include "kernels/device.h"
#include "kernels/sgd.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

namespace shardlab::train {

struct LockFreeUpdate {
    std::int64_t written = 0;  ///< elements whose gradient was not zero
    /// The written elements that another worker had changed between this worker's load and the look right before its
    /// store: the other worker's update is lost. Lost updates that fall between this look and the store, two
    /// instructions, or that put the same number back are not counted; everything that is counted was lost.
    std::int64_t overwritten = 0;
    LockFreeUpdate& operator+=(const LockFreeUpdate& other) {
        written += other.written;
        overwritten += other.overwritten;
        return *this;
    }
};

/// How many elements are loaded, computed and stored together.
inline constexpr std::size_t hogwildStretch = 64;

/// Subtracts γ·g from `shared`, which others write meanwhile. It computes with the device's SGD, without momentum and
/// decay, so that a worker alone gets the bits of SGD. `between` (may be empty) is called after the loads and before
/// the stores of each run of elements that has a gradient, with the number of the run's first element.
LockFreeUpdate updateWithoutLock(std::span<float> shared, std::span<const float> gradients, const SgdUpdate& update,
                                 Device& device, const std::function<void(std::size_t first)>& between = {});

/// Reads element by element: an update of another worker may be in one element and not in the next.
void readWithoutLock(std::span<float> shared, std::span<float> copy);
void writeWithoutLock(std::span<const float> values, std::span<float> shared);

/// What a worker lets the others know, in memory that all reach; the worker alone writes it.
struct alignas(64) HogwildProgress {
    std::atomic<std::int64_t> updates{0};  ///< updates that the worker has done
    std::atomic<std::int64_t> losses{0};   ///< losses that it has published
    std::atomic<double> loss{0};           ///< the loss published last
};
/// What worker 0 commands the others.
struct alignas(64) HogwildCommands {
    std::atomic<std::int64_t> mayBegin{0};  ///< steps with this number or a higher one wait
    std::atomic<std::int64_t> meetings{0};  ///< meetings asked for so far
    std::atomic<std::int64_t> stops{0};     ///< not 0: the run ends at the next meeting
};
static_assert(std::atomic_ref<float>::is_always_lock_free && std::atomic<double>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "other processes read and write them");
static_assert(sizeof(HogwildProgress) == 64 && sizeof(HogwildCommands) == 64, "layout/exchange.h counts them");

}  // namespace shardlab::train
