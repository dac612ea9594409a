// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/stage_kinds.h"

#include "engine/layout/alike_stages.h"
#include "engine/layout/coded_exchange.h"
#include "engine/layout/exchange.h"
#include "engine/layout/formats.h"
#include "engine/layout/recompute.h"
#include "engine/predict/plan/model_state.h"

#include <algorithm>

namespace shardlab::predict {
namespace {

std::vector<int> firstAlike(const ModelSpec& model, const std::vector<StageShape>& shapes) {
    std::vector<int> firsts, kinds;
    for (int stage = 0; stage < static_cast<int>(shapes.size()); ++stage) {
        const auto like = std::ranges::find_if(firsts, [&](int first) {
            return alike(model, shapes[static_cast<std::size_t>(first)], shapes[static_cast<std::size_t>(stage)]);
        });
        kinds.push_back(like == firsts.end() ? stage : *like);
        if (like == firsts.end()) firsts.push_back(stage);
    }
    return kinds;
}

}  // namespace

StageKinds::StageKinds(const Layout& layout, int tensorPart, int replica, bool byLayer)
    : layout_(layout), share_(tensorShare(layout, tensorPart)),
      replica_(replica < 0 ? fullestReplica(layout.parallel) : replica), byLayer_(byLayer),
      shapes_(stageShapes(layout)), kinds_(firstAlike(layout.model, shapes_)) {}

const StageMoves& StageKinds::moves(int stage, bool received) {
    const int kind = kinds_[static_cast<std::size_t>(stage)];
    const auto [entry, added] = moves_.try_emplace({kind, received});
    if (!added) return entry->second;
    StageMoves& moves = entry->second;
    const StageShape& shape = shapes_[static_cast<std::size_t>(kind)];
    moves.whole = stageBuffers(layout_, shape, {received, MemoryCategory::Temporary}, share_, byLayer_);
    moves.buffered = stageBuffers(layout_, shape, {received, MemoryCategory::Buffers}, share_, byLayer_);
    moves.parameters = numberFormats(layout_.precision).weightBytes() * stageParameters(layout_.model, shape, share_);
    if (swapsActivations(layout_.memory)) moves.swapped = swappedBytes(moves.whole, shape, received);
    return moves;
}

const StageHeld& StageKinds::held(int stage) {
    const int kind = kinds_[static_cast<std::size_t>(stage)];
    const auto [entry, added] = held_.try_emplace(kind);
    if (!added) return entry->second;
    StageHeld& held = entry->second;
    const StageShape& shape = shapes_[static_cast<std::size_t>(kind)];
    const ParallelSpec& parallel = layout_.parallel;
    std::vector<FlatUnit> units;
    if (parallel.zero > 0 || codesExchange(layout_)) units = stageUnits(layout_.model, parallel, shape, share_);
    const std::int64_t parameters = stageParameters(layout_.model, shape, share_);
    const std::int64_t updated = parallel.zero > 0 ? updatedParameters(layout_, units, replica_) : parameters;
    held.state = stateBytes(layout_, shape, share_, replica_, updated);
    if (const SoftwareStack* stack = modelledStack(layout_))
        held.stack = stackMemory(layout_, *stack, shape, share_, parameters, updated);
    if (codesExchange(layout_))
        held.codes = codeBufferBytes(layout_.precision.exchange, parallel,
                                     reductionUnits(parallel, units, numberFormats(layout_.precision).gradientBytes()));
    if (parallel.zero < 2) return held;
    held.slots = slotSizes(units);
    held.room = gatherRoom(units, layerSegments(layout_.model, layout_.memory, shape), embeds(layout_.model, shape));
    return held;
}

}  // namespace shardlab::predict
