// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/passes.h"

#include "engine/layout/coded_exchange.h"
#include "engine/layout/exchange.h"
#include "engine/layout/formats.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/schedule/registry.h"

#include <utility>

namespace shardlab::layout {

LowerOptions lowerOptions(const Layout& layout) {
    // Where a model ties its output projection to the token embedding, there is without a flush no moment at which both
    // ends know its gradient, and the projection is a weight of its own.
    const ParallelSpec& parallel = layout.parallel;
    const Exchange exchange = parallel.exchange;
    const bool elastic = exchange == Exchange::Elastic;
    return {(elastic ? parallel.context : replicaCount(parallel)) > 1 && exchange != Exchange::Hogwild,
            stageCount(layout) > 1 && flushes(layout) && sharesEmbedding(layout.model),
            layout.optimizer.clip > 0 || scalesLoss(layout.precision),
            // Experts that are spread are not reduced among all replicas: they have a bucket of their own at least.
            // What goes round a ring, is coded or stays within a context group is a bucket too, be it all gradients.
            parallel.bucket > 0 || expertSpread(parallel) > 1 || parallel.allReduce == AllReduceKind::Ring ||
                codesExchange(layout) || elastic,
            parallel.zero, parallel.zero > 0 && copyCount(parallel) > 1, updatesAtServer(parallel),
            exchange == Exchange::Hogwild, elastic, offloadsOptimizer(layout.memory), offloadsParameters(layout.memory),
            swapsActivations(layout.memory)};
}

Schedule lower(Schedule compute, const LowerOptions& options) {
    return lowerTransfers(addTransfers(std::move(compute)), options);
}

Schedule addWeightReads(Schedule schedule, const LowerOptions& options) {
    if (options.fetch) schedule = addParameterFetch(std::move(schedule));
    return options.zero == 3 && options.dataParallel ? addParameterGather(std::move(schedule)) : schedule;
}

Schedule lowerTransfers(Schedule schedule, const LowerOptions& options) {
    if (!schedule.flushes()) return addVersionedUpdates(std::move(schedule), options.dataParallel, options.buckets);
    if (options.swap) schedule = addActivationSwap(std::move(schedule));
    schedule = addWeightReads(std::move(schedule), options);
    if (options.server) schedule = addGradientPush(std::move(schedule));
    else if (options.zero > 0) schedule = addGradientScatter(std::move(schedule), options.zero > 1);
    else if (options.dataParallel && options.buckets) schedule = addBucketReduce(std::move(schedule));
    else if (options.dataParallel) schedule = addGradientReduce(std::move(schedule));
    if (options.copies) schedule = addCopyReduce(std::move(schedule));
    if (options.tiedEmbedding) schedule = addTiedReduce(std::move(schedule));
    if (options.offload) schedule = addGradientOffload(std::move(schedule));
    if (options.norm) schedule = addNormReduce(std::move(schedule));
    if (options.elastic) schedule = addElasticExchange(std::move(schedule));
    schedule = addOptimizerStep(std::move(schedule));
    if (options.offload && !options.fetch) schedule = addWeightReload(std::move(schedule));
    if (options.server || options.shared) return addWeightPull(std::move(schedule));
    return options.zero == 1 || options.zero == 2 ? addUpdateGather(std::move(schedule)) : schedule;
}

}  // namespace shardlab::layout
