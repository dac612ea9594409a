// SPDX-License-Identifier: Apache-2.0
// What the members of a tensor group divide among themselves, besides the vocabulary.
#pragma once

#include "engine/base/sentence.h"
#include "engine/layout/layout.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardlab::layout {

/// Heads of keys with the queries that read them, or where several members share each head of keys the heads of queries
/// and the columns of a head of keys and values; and columns of feed-forward blocks that are as wide.
struct TensorExtent {
    std::string_view pointer;  ///< of the degree that divides it
    std::int64_t extent = 0;
    int members = 1;
    Sentence what;  ///< "108 heads"

    bool even() const { return extent % members == 0; }
    /// What the member that holds most has of it.
    std::int64_t most() const { return (extent + members - 1) / members; }
};
/// All extents of a layout's model, each once; none where a tensor group has one member.
std::vector<TensorExtent> tensorExtents(const Layout& layout);

}  // namespace shardlab::layout
