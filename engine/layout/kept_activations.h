// SPDX-License-Identifier: Apache-2.0
// How a cnn keeps its activations for the backward (Gist, ISCA 2018), by /memory/activations.
//   kept       Every map is kept as it was made.
//   lossless   Instead of the map that a block pools, the codes of kernels/max_pool.h are kept, 4 bits for each four
//              numbers, which are all that its backward needs. Maps that are convolved again, and the inputs of blocks,
//              are kept as they were.
//   lossy-16, lossy-10, lossy-8
//              Besides, maps that are convolved again and the inputs of blocks, but not the image, have so many bits a
//              number from the moment that the forward has read them until their backward (kernels/packed_floats.h).
// The paper keeps maps that are convolved again in a sparse form too, whose size the data decides; that is not done
// here.
#pragma once

#include "engine/layout/layout.h"

#include <cstdint>

namespace shardlab::layout {

/// Codes are kept instead of the maps that are pooled.
inline bool codesPools(const MemorySpec& memory) { return memory.activations != ActivationStorage::Kept; }
/// Bits of a number that is kept in fewer than it was made in; 0: there is none.
inline int packedBits(const MemorySpec& memory) {
    switch (memory.activations) {
    case ActivationStorage::Lossy16: return 16;
    case ActivationStorage::Lossy10: return 10;
    case ActivationStorage::Lossy8: return 8;
    case ActivationStorage::Kept:
    case ActivationStorage::Lossless: return 0;
    }
    return 0;
}
/// Bytes of so many numbers of `bits` bits each; three numbers of 10 bits take 32.
constexpr std::int64_t bytesInBits(std::int64_t numbers, int bits) {
    return bits == 10 ? (numbers + 2) / 3 * 4 : numbers * bits / 8;
}

}  // namespace shardlab::layout
