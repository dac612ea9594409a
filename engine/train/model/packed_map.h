// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/arena.h"
#include "engine/train/model/layer_context.h"

#include <cstddef>
#include <cstdint>

namespace shardlab::train {

/// Bytes that forwards kept in codes or fewer bits since they were last asked for, and bytes of the same maps in full.
struct PackedTally {
    std::int64_t kept = 0;   ///< bytes
    std::int64_t plain = 0;  ///< bytes
};

/// A map of activations in fewer bits (kernels/packed_floats.h): packedBytes of category Activations.
class PackedMap {
public:
    PackedMap() = default;
    /// Frees the map once it has been packed.
    PackedMap(const LayerContext& context, int bits, Buffer map);

    Buffer& buffer() { return bytes_; }
    bool empty() const { return bytes_.empty(); }
    std::int64_t bytes() const { return static_cast<std::int64_t>(bytes_.size()); }
    /// The map as it was, except for rounding.
    Buffer unpack(const LayerContext& context, MemoryCategory category) const;

private:
    Buffer bytes_;
    std::size_t size_ = 0;
    int bits_ = 0;
};

inline std::uint8_t* codesOf(const Buffer& buffer) { return static_cast<std::uint8_t*>(buffer.data().data); }

}  // namespace shardlab::train
