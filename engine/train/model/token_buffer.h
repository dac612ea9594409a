// SPDX-License-Identifier: Apache-2.0
// Copies token numbers from the processor into the memory of a device.
#pragma once

#include "engine/train/model/arena.h"

#include <cstdint>
#include <span>

namespace shardlab::train {

inline Buffer onDevice(Arena& arena, std::span<const std::int32_t> tokens, MemoryCategory category) {
    Buffer buffer = arena.allocate(category, tokens.size(), DType::I32);
    arena.device().upload(tokens.data(), buffer.data().data, tokens.size_bytes());
    return buffer;
}

inline const std::int32_t* tokenNumbers(const Buffer& buffer) {
    return static_cast<const std::int32_t*>(buffer.data().data);
}

}  // namespace shardlab::train
