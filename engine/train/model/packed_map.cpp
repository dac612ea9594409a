// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/packed_map.h"

namespace shardlab::train {

PackedMap::PackedMap(const LayerContext& context, int bits, Buffer map)
    : bytes_(context.arena.allocate(MemoryCategory::Activations,
                                    static_cast<std::size_t>(packedBytes(static_cast<std::int64_t>(map.size()), bits)),
                                    DType::U8)),
      size_(map.size()), bits_(bits) {
    context.device().packFloats(static_cast<std::int64_t>(size_), bits, map.data(), codesOf(bytes_));
}

Buffer PackedMap::unpack(const LayerContext& context, MemoryCategory category) const {
    Buffer map = context.allocate(category, size_);
    context.device().unpackFloats(static_cast<std::int64_t>(size_), bits_, codesOf(bytes_), map.data());
    return map;
}

}  // namespace shardlab::train
