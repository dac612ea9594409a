// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace shardlab {

/// What a backward computes again instead of keeping it (layout/recompute.h), and who watches.
struct Recompute {
    /// Carries out `run`, which computes activations again, and may look at the clock before and after.
    using Observer = std::function<void(const std::function<void()>& run)>;

    bool core = false;  ///< of each attention its probabilities
    Observer observer;  ///< may be empty

    void again(const std::function<void()>& run) const {
        if (observer) observer(run);
        else run();
    }
};

}  // namespace shardlab
