// SPDX-License-Identifier: Apache-2.0
// How a cnn keeps its activations for the backward (Gist, ISCA 2018), by /memory/activations.
//   kept       Every map is kept as it was made.
//   lossless   Instead of the map that a block pools, the codes of kernels/max_pool.h are kept, 4 bits for each four
//              numbers, which are all that its backward needs. A map that a ReLU made and that is convolved again is
//              kept without its zeros (kernels/sparse_floats.h) from the moment that the forward has read it until its
//              backward, where it is whole again; where that would take no fewer bytes, the map is kept as it was. The
//              inputs of blocks are kept as they were: of four numbers a pool hands on the largest, so that few are 0.
//   lossy-16, lossy-10, lossy-8
//              Beside the codes, maps that are convolved again and the inputs of blocks, but not the image, have so
//              many bits a number from the moment that the forward has read them until their backward
//              (kernels/packed_floats.h). Their zeros are kept: in 8 bits a number that is not 0 would take as much for
//              its column as for its value, so that only maps more than half of which are zeros would become smaller.
#pragma once

#include "engine/layout/layout.h"

#include <cstdint>
#include <limits>

namespace shardlab::layout {

/// Codes are kept instead of the maps that are pooled.
inline bool codesPools(const MemorySpec& memory) { return memory.activations != ActivationStorage::Kept; }
/// Maps that are convolved again are kept without their zeros, where that takes fewer bytes.
inline bool keepsSparsely(const MemorySpec& memory) { return memory.activations == ActivationStorage::Lossless; }
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
/// Bytes that say where each row of a sparse map of so many numbers begins, and the last one ends, in 32 bits; 0 where
/// these do not reach, and the map is kept as it was.
constexpr std::int64_t sparseBeginBytes(std::int64_t numbers) {
    return numbers > std::numeric_limits<std::int32_t>::max() ? 0 : 4 * ((numbers + 255) / 256 + 1);
}
/// Bytes of a map of so many numbers, of `bytes` bytes each, without its zeros; 0 where the map itself takes no more,
/// and is kept.
constexpr std::int64_t sparseMapBytes(std::int64_t numbers, std::int64_t nonzeros, std::int64_t bytes) {
    const std::int64_t begins = sparseBeginBytes(numbers), sparse = begins + nonzeros * (bytes + 1);
    return begins > 0 && sparse < numbers * bytes ? sparse : 0;
}

}  // namespace shardlab::layout
