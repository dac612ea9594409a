// SPDX-License-Identifier: Apache-2.0
// How the data axis cuts up a stage's parameters, which lie behind one another in order of declaration.
#pragma once

#include "engine/base/ranges.h"
#include "engine/layout/layout.h"

#include <cstdint>
#include <vector>

namespace shardlab::layout {

/// A run of a stage's flat parameters that is reduced, gathered or shared out as one.
struct FlatUnit {
    int lowestLayer = 0;     ///< lowest layer of the stage that uses it: its gradient is final once that layer's is
    int highestLayer = 0;    ///< highest layer of the stage that uses it
    std::int64_t begin = 0;  ///< in elements
    std::int64_t size = 0;   ///< in elements
    bool table = false;      ///< it is the token embedding, of which first and last stage each have a copy
    int owner = -1;          ///< replica of each copy that all of it belongs to; -1: each has a part
    /// Replicas in a group over which the unit's experts are spread: one of each group holds the unit (replicas.h). 1:
    /// every replica holds it.
    int spread = 1;
    /// Elements on the tensor member that holds most: by them all members fill the same buckets, and give the same
    /// layers to the same replicas.
    std::int64_t most = 0;
    bool operator==(const FlatUnit&) const = default;

    std::int64_t end() const { return begin + size; }
    /// Two layers use it: it stays from the first to the last.
    bool staysBetweenLayers() const { return lowestLayer != highestLayer; }
};

/// Fills buckets with `units`, which are in order of declaration, from the last to the first: the order in which a
/// backward makes gradients final. Experts have buckets of their own. A bucket is full once another unit would make it
/// larger than `elements`; a unit that is larger by itself has a bucket of its own. `tableApart`: so has the token
/// embedding, so that both its copies are cut into the same parts.
std::vector<FlatUnit> fillBuckets(const std::vector<FlatUnit>& units, std::int64_t elements, bool tableApart);

/// Elements of a bucket of /parallel/bucket megabytes, where a gradient has so many bytes; without ZeRO, 0 megabytes
/// stand for all of them.
std::int64_t bucketElements(const ParallelSpec& parallel, std::int64_t gradientBytes);

/// What is reduced as one at the end of a stage's gradients, of so many bytes each, in the order in which they are
/// final: buckets up to ZeRO 1, from ZeRO 2 on each layer by itself. Without ZeRO, experts that no other rank holds are
/// left out.
std::vector<FlatUnit> reductionUnits(const ParallelSpec& parallel, const std::vector<FlatUnit>& units,
                                     std::int64_t gradientBytes);

/// The part of a unit that belongs to one of the replicas that share a copy (mesh/copies.h): all of it or nothing where
/// it has an owner; where it is spread, the replicas that hold the same share it out, in their order.
constexpr std::int64_t partBegin(const FlatUnit& unit, int replica, int replicas) {
    if (unit.owner >= 0) return replica <= unit.owner ? 0 : unit.size;
    return rangeBegin(unit.size, replicas / unit.spread, replica / unit.spread);
}
constexpr std::int64_t partSize(const FlatUnit& unit, int replica, int replicas) {
    if (unit.owner >= 0) return replica == unit.owner ? unit.size : 0;
    return rangeSize(unit.size, replicas / unit.spread, replica / unit.spread);
}

/// parallel.partition "layers": gives each layer of a stage, in order, to the replica of a copy that has least so far;
/// the token embedding to replica 0, for both its copies must be the same one's.
void giveOwners(const ParallelSpec& parallel, std::vector<FlatUnit>& units);

/// Elements of all units that replica `part` owns.
std::int64_t shardSize(const std::vector<FlatUnit>& units, int part, int parts);

/// ZeRO 2 and 3: elements of the two slots that the gradients of layers take in turn, each as large as the largest
/// layer, and of what stays between layers.
struct SlotSizes {
    std::int64_t turn = 0;
    std::int64_t staying = 0;
    std::int64_t sum() const { return 2 * turn + staying; }
};
SlotSizes slotSizes(const std::vector<FlatUnit>& units);

/// ZeRO 3: a unit that is gathered.
struct UnitGather {
    FlatUnit unit;
    int layer = 0;  ///< the layer that waits for it
    int group = 0;  ///< units of one group stay until all of them have been used; groups are used in order
};
/// The gathers of a forward in order of use: from the lowest layer, each layer a group.
std::vector<UnitGather> forwardGathers(const std::vector<FlatUnit>& units);
/// The gathers of a backward in order of use: from the highest layer. The layers of a segment that is computed again
/// (layerSegments in recompute.h) are gathered from its lowest, as its forward reads them, and are one group, so that
/// its backward finds them there still; a unit that several layers use waits for the lowest of them in the segment.
/// FSDP does so with a checkpointed unit: each weight is gathered once a backward, recomputed or not. The embedding's
/// backward reads no weight.
std::vector<UnitGather> backwardGathers(const std::vector<FlatUnit>& units, const std::vector<int>& layerSegments,
                                        bool embedding);
/// Elements of the buffer in which the groups of a stage's forwards and backwards take turns from both ends: the first
/// layer of the next group arrives while a group is used. What stays between layers is not counted.
std::int64_t gatherRoom(const std::vector<FlatUnit>& units, const std::vector<int>& layerSegments, bool embedding);

}  // namespace shardlab::layout
