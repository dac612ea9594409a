// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"

#include <cstdint>

namespace shardlab::train {

/// A map of activations without its zeros (kernels/sparse_floats.h): sparseMapBytes of category Activations.
class SparseMap {
public:
    SparseMap() = default;
    /// Frees the map once it has been packed. Where the sparse form would take no fewer bytes, the map stays and the
    /// sparse one is empty. The processor waits for the number of nonzeros, on which the size depends.
    SparseMap(const LayerContext& context, Buffer& map);

    void visit(const KeptVisitor& visit);
    bool empty() const { return begins_.empty(); }
    std::int64_t bytes() const;
    /// The map as it was, to the bit; category Activations.
    Buffer unpack(const LayerContext& context) const;

private:
    Buffer begins_;  ///< of rows
    Buffer packed_;  ///< of a map of nothing but zeros empty
    std::int64_t size_ = 0;
    std::int64_t nonzeros_ = 0;
};

}  // namespace shardlab::train
