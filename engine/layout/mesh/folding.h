// SPDX-License-Identifier: Apache-2.0
// Experts may have a tensor degree of their own (MoE parallel folding, 2504.14960): x neighbours of a tensor group of t
// cut each expert among themselves, and the t ÷ x such neighbourhoods, the folds, hold different experts. All members
// of a tensor group see the same tokens, so that no row travels between folds: each computes the rows of its own
// experts, and the members' outputs are summands anyway. Within a fold's experts the rest of the expert degree spreads
// them over replicas, and rows travel between these.
#pragma once

#include "engine/layout/layout.h"

namespace shardlab::layout {

/// t ÷ x; 1 where experts are cut as all else is, or where the layout was not checked and its degrees do not divide.
inline int expertFolds(const ParallelSpec& parallel) {
    const int tensor = parallel.tensor, x = parallel.expertTensor;
    if (x <= 0 || tensor < x || tensor % x != 0) return 1;
    const int folds = tensor / x;
    return parallel.expert > 0 && parallel.expert % folds == 0 ? folds : 1;
}

/// Neighbouring replicas over which a fold's experts are spread: all replicas hold each expert where it is 1.
inline int expertSpread(const ParallelSpec& parallel) { return parallel.expert / expertFolds(parallel); }

}  // namespace shardlab::layout
