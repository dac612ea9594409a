// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/stack_memory.h"

#include "engine/layout/formats.h"
#include "engine/layout/mesh/replicas.h"

#include <cmath>

namespace shardlab::predict {

StackMemory& StackMemory::operator+=(const StackMemory& other) {
    held += other.held;
    standIns = std::max(standIns, other.standIns);
    update += other.update;
    reduced += other.reduced;
    bucket = std::max(bucket, other.bucket);
    cached += other.cached;
    return *this;
}

StackMemory stackMemory(const Layout& layout, const SoftwareStack& stack, const StageShape& shape,
                        const TensorShare& share, std::int64_t whole, std::int64_t shard) {
    const NumberFormats formats = numberFormats(layout.precision);
    const std::int64_t present = layout.parallel.zero >= 3 ? shard : whole;
    StackMemory memory;
    const bool summedApart = formats.gradientBytes() > formats.weightBytes();
    if (stack.keepsStandIns && shape.layers > 0)
        memory.standIns = formats.weightBytes() * layerParameters(layout.model, shape.firstLayer, share);
    const bool flatSums = summedApart && stack.keepsGradients;
    if (flatSums) memory.held = formats.weightBytes() * present;
    else memory.update = std::llround(stack.updateBytes * static_cast<double>(shard));
    memory.bucket = formats.gradientBytes() * std::llround(stack.bucketElements);
    if (replicaCount(layout.parallel) > 1 && layout.parallel.zero < 2) memory.reduced = formats.gradientBytes() * whole;
    if (layout.parallel.zero < 3)
        memory.cached =
            flatSums ? formats.weightBytes() * whole : std::llround(stack.cachedBytes * static_cast<double>(whole));
    return memory;
}

std::int64_t reservedBytes(const SoftwareStack& stack, const RankMemory& memory, std::int64_t room) {
    const auto all = static_cast<double>(memory.computing + memory.update + memory.cached);
    const auto least = std::llround(static_cast<double>(memory.peak) * (1 + stack.fragmentation));
    return std::max<std::int64_t>(least, std::min<std::int64_t>(room, std::llround(all * (1 + stack.fragmentation))));
}

}  // namespace shardlab::predict
