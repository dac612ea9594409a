// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/passes.h"

#include "engine/schedule/registry.h"

#include <utility>

namespace shardlab {

LowerOptions lowerOptions(const Layout& layout) {
    // Both models tie their output projection to the token embedding; without a flush there is no moment at which both
    // ends know its gradient, and the projection is a weight of its own.
    return {layout.parallel.data > 1, stageCount(layout) > 1 && flushes(layout), layout.optimizer.clip > 0};
}

Schedule lower(Schedule schedule, const LowerOptions& options) {
    schedule = addTransfers(std::move(schedule));
    if (!schedule.flushes()) return addVersionedUpdates(std::move(schedule), options.dataParallel);
    if (options.dataParallel) schedule = addGradientReduce(std::move(schedule));
    if (options.tiedEmbedding) schedule = addTiedReduce(std::move(schedule));
    if (options.clip) schedule = addNormReduce(std::move(schedule));
    return addOptimizerStep(std::move(schedule));
}

}  // namespace shardlab
