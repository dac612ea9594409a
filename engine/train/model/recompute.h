// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

#include <functional>

namespace shardlab::train {

/// What a backward recomputes (layout/recompute.h), and who observes it.
struct Recompute {
    /// Calls `run`, which recomputes activations, and may look at the clock before and after.
    using Observer = std::function<void(const std::function<void()>& run)>;

    bool core = false;       ///< the probabilities of each attention
    bool heads = false;      ///< queries, keys and values of each latent attention
    bool pointwise = false;  ///< what norms in front of layers, and activations, make: Layer::makePointwise
    Observer observer;       ///< may be empty

    void run(const std::function<void()>& run) const {
        if (observer) observer(run);
        else run();
    }
};

}  // namespace shardlab::train
