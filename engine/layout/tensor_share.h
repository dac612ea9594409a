// SPDX-License-Identifier: Apache-2.0
// The part of a stage that one rank of a tensor, context and expert group holds.
#pragma once

#include "engine/base/ranges.h"
#include "engine/layout/layout.h"

#include <cstdint>

namespace shardlab::layout {

/// By default that is the whole stage. The members of a tensor group hold ranges (ranges.h) of heads, of columns and of
/// the vocabulary, which differ by one where these do not divide; the last member is one of those that hold most of
/// each.
struct TensorShare {
    int size = 1;           ///< members of the tensor group
    int part = 0;           ///< which of them this is
    bool sequence = false;  ///< the members split the tokens between their products too
    int context = 1;        ///< ranks that divide each sample's tokens: N is b·s ÷ context
    int expert = 1;         ///< ranks that experts are spread over: each holds n ÷ expert of n experts
    int folds = 1;          ///< parts of the tensor group that hold different experts (mesh/folding.h)

    /// Members that cut each expert among themselves.
    int ofExpert() const { return size / folds; }
    /// Replicas that an expert group of a fold spreads its experts over.
    int spread() const { return expert / folds; }
    /// How many of `extent` things, of which so many stay `together`, this member holds.
    std::int64_t of(std::int64_t extent, int together = 1) const { return rangeSize(extent, size, part, together); }
    /// How many columns of an expert it holds.
    std::int64_t ofColumns(std::int64_t expertWidth) const {
        return rangeSize(expertWidth, ofExpert(), part % ofExpert());
    }
    /// The share of the member that holds most.
    TensorShare largest() const {
        TensorShare last = *this;
        last.part = size - 1;
        return last;
    }
};
/// The share of member `part` of a tensor group; without one that of the last, which is the largest.
TensorShare tensorShare(const Layout& layout, int part = -1);

}  // namespace shardlab::layout
