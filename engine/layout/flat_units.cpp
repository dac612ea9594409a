// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/flat_units.h"

#include "engine/layout/formats.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/model_shape.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace shardlab::layout {

namespace {

/// The largest sum of a group and the part of the next that arrives while the group is used.
std::int64_t roomOf(const std::vector<UnitGather>& gathers) {
    std::int64_t most = 0, before = 0, group = 0, layer = 0;  // `before` is the size of the group before `group`
    for (std::size_t i = 0; i < gathers.size(); ++i) {
        const bool newGroup = i > 0 && gathers[i].group != gathers[i - 1].group;
        if (newGroup) before = std::exchange(group, 0);
        if (newGroup || i == 0) layer = gathers[i].layer;
        if (gathers[i].layer != layer) before = 0;  // used up by now
        if (!gathers[i].unit.staysBetweenLayers()) group += gathers[i].unit.size;
        most = std::max(most, before + group);
    }
    return most;
}

/// Experts that are spread lie behind all others.
std::vector<FlatUnit> inOrderOfLayers(std::vector<FlatUnit> units) {
    std::ranges::stable_sort(units, {}, &FlatUnit::lowestLayer);
    return units;
}

}  // namespace

std::vector<FlatUnit> fillBuckets(const std::vector<FlatUnit>& units, std::int64_t elements, bool tableApart) {
    std::vector<FlatUnit> buckets;
    for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
        const bool alone = tableApart && unit->table;
        const bool fits =
            !buckets.empty() && buckets.back().spread == unit->spread && buckets.back().most + unit->most <= elements;
        if (!fits || alone || (tableApart && buckets.back().table)) {
            buckets.push_back(*unit);
            continue;
        }
        FlatUnit& bucket = buckets.back();
        bucket.begin = unit->begin;
        bucket.size += unit->size;
        bucket.most += unit->most;
        bucket.lowestLayer = std::min(bucket.lowestLayer, unit->lowestLayer);
        bucket.highestLayer = std::max(bucket.highestLayer, unit->highestLayer);
        bucket.table = bucket.table || unit->table;
    }
    return buckets;
}

std::int64_t bucketElements(const ParallelSpec& parallel, std::int64_t gradientBytes) {
    if (parallel.bucket == 0 && parallel.zero == 0) return std::numeric_limits<std::int64_t>::max();
    return std::llround(parallel.bucket * 1e6) / gradientBytes;
}

std::vector<FlatUnit> reductionUnits(const ParallelSpec& parallel, const std::vector<FlatUnit>& units,
                                     std::int64_t gradientBytes) {
    if (parallel.zero >= 2) {
        const std::vector<FlatUnit> layers = inOrderOfLayers(units);
        return {layers.rbegin(), layers.rend()};
    }
    std::vector<FlatUnit> buckets =
        fillBuckets(units, bucketElements(parallel, gradientBytes), parallel.zero > 0 || parallel.tensor > 1);
    if (expertSpread(parallel) == 1) return buckets;
    if (parallel.zero == 0 && expertReplicaCount(parallel) == 1)
        std::erase_if(buckets, [](const FlatUnit& unit) { return unit.spread > 1; });
    std::ranges::stable_sort(buckets, std::greater<>(), &FlatUnit::lowestLayer);
    return buckets;
}

void giveOwners(const ParallelSpec& parallel, std::vector<FlatUnit>& units) {
    if (parallel.zero < 3 || parallel.partition != PartitionKind::Layers) return;
    std::vector<std::int64_t> held(static_cast<std::size_t>(replicasOfCopy(parallel)));
    const auto give = [&](FlatUnit& unit, std::size_t replica) {
        unit.owner = static_cast<int>(replica);
        held[replica] += unit.most;
    };
    for (FlatUnit& unit : units)
        if (unit.table) give(unit, 0);
    std::size_t replica = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (units[i].table) continue;
        const bool sameLayer = i > 0 && !units[i - 1].table && units[i - 1].lowestLayer == units[i].lowestLayer;
        if (!sameLayer) replica = static_cast<std::size_t>(std::ranges::min_element(held) - held.begin());
        give(units[i], replica);
    }
}

std::int64_t shardSize(const std::vector<FlatUnit>& units, int part, int parts) {
    std::int64_t sum = 0;
    for (const FlatUnit& unit : units) sum += partSize(unit, part, parts);
    return sum;
}

std::vector<UnitGather> forwardGathers(const std::vector<FlatUnit>& units) {
    std::vector<UnitGather> gathers;
    for (const FlatUnit& unit : inOrderOfLayers(units)) gathers.push_back({unit, unit.lowestLayer, unit.lowestLayer});
    return gathers;
}

std::vector<UnitGather> backwardGathers(const std::vector<FlatUnit>& units, const std::vector<int>& layerSegments,
                                        bool embedding) {
    const int layers = static_cast<int>(layerSegments.size());
    std::vector<UnitGather> gathers;
    for (const FlatUnit& unit : inOrderOfLayers(units)) {
        const int highest = unit.highestLayer, lowest = layerSegments[static_cast<std::size_t>(highest)];
        if (embedding && highest == 0) continue;
        if (lowest < 0) gathers.push_back({unit, highest, layers - 1 - highest});
        else gathers.push_back({unit, std::max(unit.lowestLayer, lowest), layers - 1 - lowest});
    }
    std::ranges::stable_sort(gathers, {}, &UnitGather::group);
    return gathers;
}

std::int64_t gatherRoom(const std::vector<FlatUnit>& units, const std::vector<int>& layerSegments, bool embedding) {
    return std::max(roomOf(forwardGathers(units)), roomOf(backwardGathers(units, layerSegments, embedding)));
}

SlotSizes slotSizes(const std::vector<FlatUnit>& units) {
    SlotSizes sizes;
    std::vector<std::int64_t> layers;
    for (const FlatUnit& unit : units) {
        if (unit.staysBetweenLayers()) {
            sizes.staying += unit.size;
            continue;
        }
        layers.resize(std::max(layers.size(), static_cast<std::size_t>(unit.lowestLayer) + 1));
        sizes.turn = std::max(sizes.turn, layers[static_cast<std::size_t>(unit.lowestLayer)] += unit.size);
    }
    return sizes;
}

std::int64_t updatedParameters(const Layout& layout, const StageShape& stage, const TensorShare& share, int replica) {
    if (layout.parallel.zero == 0) return stageParameters(layout.model, stage, share);
    return updatedParameters(layout, stageUnits(layout.model, layout.parallel, stage, share), replica);
}

std::int64_t updatedParameters(const Layout& layout, const std::vector<FlatUnit>& units, int replica) {
    return shardSize(reductionUnits(layout.parallel, units, numberFormats(layout.precision).gradientBytes()),
                     numberInCopy(layout.parallel, replica), replicasOfCopy(layout.parallel));
}

}  // namespace shardlab::layout
