// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

#include <functional>

namespace shardlab::train {

/// Which results of elementwise operations a layer frees and makes again.
struct Pointwise {
    bool norms = false;        ///< what the norm in front makes
    bool activations = false;  ///< what the activation between two products makes
};

/// What a backward recomputes (layout/recompute.h), and who observes it.
struct Recompute {
    /// Calls `run`, which recomputes activations, and may look at the clock before and after.
    using Observer = std::function<void(const std::function<void()>& run)>;

    bool core = false;         ///< the probabilities of each attention
    bool heads = false;        ///< queries, keys and values of each latent attention
    bool activations = false;  ///< what activations make: Layer::makePointwise
    Observer observer;         ///< may be empty

    void run(const std::function<void()>& run) const {
        if (observer) observer(run);
        else run();
    }
};

}  // namespace shardlab::train
