// SPDX-License-Identifier: Apache-2.0
// How a cnn keeps for its backward what its forward made (Gist, ISCA 2018), by /memory/activations:
//   kept       every map, as it was made
//   lossless   of the map that a block pools the codes of kernels/max_pool.h instead, 4 bits for each four numbers: its
//   backward
//              needs no more. Maps that are convolved again, and what blocks take, as they were
//   lossy-16, lossy-10, lossy-8
//              besides, maps that are convolved again and what blocks take, but not the image, in so many bits from the
//              moment that the forward has read them until their backward (kernels/packed_floats.h)
// The paper keeps maps that are convolved again in a sparse form too, whose size the data decides; that is not done
// here.
#pragma once

#include "engine/layout/layout.h"

#include <cstdint>

namespace shardlab {

inline bool codesPools(const MemorySpec& memory) { return memory.activations != "kept"; }
/// Of a number that is kept in fewer; 0: none is.
inline int packedBits(const MemorySpec& memory) {
    if (memory.activations == "lossy-16") return 16;
    if (memory.activations == "lossy-10") return 10;
    return memory.activations == "lossy-8" ? 8 : 0;
}
/// Of so many numbers in so many bits each: 16 and 8 as they are, of 10 three in 32.
constexpr std::int64_t bytesInBits(std::int64_t numbers, int bits) {
    return bits == 10 ? (numbers + 2) / 3 * 4 : numbers * bits / 8;
}

}  // namespace shardlab
