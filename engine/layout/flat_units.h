// SPDX-License-Identifier: Apache-2.0
// How the data axis cuts up a stage's parameters, which lie behind one another in order of declaration.
#pragma once

#include "engine/layout/layout.h"

#include <cstdint>
#include <vector>

namespace shardlab {

/// A run of a stage's flat parameters that is reduced, gathered or shared out as one.
struct FlatUnit {
    int lowestLayer = 0;  ///< of the stage's layers that use it: its gradient is final once that layer's is
    int highestLayer = 0;
    std::int64_t begin = 0;  ///< in elements
    std::int64_t size = 0;
    bool table = false;    ///< the token embedding, of which first and last stage each have a copy
    int owner = -1;        ///< replica that all of it belongs to; -1: each has a part
    bool experts = false;  ///< of an expert group's member: alike on fewer ranks than the rest (replicas.h)
    bool operator==(const FlatUnit&) const = default;

    std::int64_t end() const { return begin + size; }
    /// Two layers use it: it stays from the first to the last.
    bool staysBetweenLayers() const { return lowestLayer != highestLayer; }
};

/// Of `units`, in order of declaration, fills buckets from the last to the first: the order in which a backward makes
/// gradients final. Experts have buckets of their own. A bucket is full once another unit would make it larger than
/// `elements`; a unit that is larger by itself has one alone. `tableApart`: the token embedding too, so that both its
/// copies are cut into the same parts.
std::vector<FlatUnit> fillBuckets(const std::vector<FlatUnit>& units, std::int64_t elements, bool tableApart);

/// Of /parallel/bucket, where a gradient has so many bytes.
std::int64_t bucketElements(const ParallelSpec& parallel, std::int64_t gradientBytes);

/// What is reduced as one at the end of a stage's gradients, of so many bytes each, in the order in which they are
/// final: buckets up to ZeRO 1, from ZeRO 2 on each layer by itself. Experts that no other rank holds are left out.
std::vector<FlatUnit> reductionUnits(const ParallelSpec& parallel, const std::vector<FlatUnit>& units,
                                     std::int64_t gradientBytes);

/// Range `part` of `size` elements cut into parts that differ by at most one; the last is never smaller than another.
constexpr std::int64_t partBegin(std::int64_t size, int part, int parts) { return size * part / parts; }
constexpr std::int64_t partSize(std::int64_t size, int part, int parts) {
    return partBegin(size, part + 1, parts) - partBegin(size, part, parts);
}
/// Of a unit: a part of it, or where it has an owner all of it or nothing.
constexpr std::int64_t partBegin(const FlatUnit& unit, int part, int parts) {
    if (unit.owner >= 0) return part <= unit.owner ? 0 : unit.size;
    return partBegin(unit.size, part, parts);
}
constexpr std::int64_t partSize(const FlatUnit& unit, int part, int parts) {
    return partBegin(unit, part + 1, parts) - partBegin(unit, part, parts);
}

/// parallel.partition "layers": gives each layer of a stage, in order, to the replica that has least so far; the token
/// embedding to replica 0, for both its copies must be the same one's. `largestTable`: elements of the token embedding
/// on the tensor member that has most, by which all of them count it, so that each gives the same layers to the same
/// replicas.
void giveOwners(const ParallelSpec& parallel, std::int64_t largestTable, std::vector<FlatUnit>& units);

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
    int layer = 0;  ///< that waits for it
    int group = 0;  ///< number of what stays until all of it has been used; groups are used in order
};
/// In order of use. A forward's go from the bottom, each layer a group.
std::vector<UnitGather> forwardGathers(const std::vector<FlatUnit>& units);
/// A backward's go from the top, but the layers of a segment that is computed again (recompute.h: layerSegments) from
/// its bottom, as its forward reads them, and are a group: its backward finds them there still. So FSDP does with a
/// unit that is checkpointed: each weight is gathered once a backward, recomputed or not. The embedding's backward
/// reads none.
std::vector<UnitGather> backwardGathers(const std::vector<FlatUnit>& units, const std::vector<int>& layerSegments,
                                        bool embedding);
/// Elements of the room in which groups take turns from both ends, where the first layer of the next group comes while
/// one is used; without what stays between layers. For a stage's forwards and backwards.
std::int64_t gatherRoom(const std::vector<FlatUnit>& units, const std::vector<int>& layerSegments, bool embedding);

}  // namespace shardlab
