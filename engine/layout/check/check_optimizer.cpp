// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"

#include "engine/layout/suggest.h"

namespace shardlab::layout {

void checkOptimizer(const Layout& layout, std::vector<Fault>& faults) {
    const OptimizerSpec& optimizer = layout.optimizer;
    const ParallelSpec& parallel = layout.parallel;
    if (optimizer.minimum > optimizer.learningRate && optimizer.schedule != RateSchedule::Constant)
        faults.push_back(
            {"/optimizer/minimum",
             say("{:.9g} is more than the learning rate of {:.9g}", optimizer.minimum, optimizer.learningRate),
             say("the schedule {} falls", wordOf(optimizer.schedule)),
             say("0 to {:.9g}; or the schedule constant", optimizer.learningRate)});
    if (const std::size_t betas = optimizer.adamw.betas.size();
        traits(optimizer.kind).takes("/optimizer/betas") && betas != 2)
        faults.push_back({"/optimizer/betas", betas == 1 ? say("1 beta is listed") : say("{} betas are listed", betas),
                          say("AdamW keeps a first and a second moment"),
                          say("two numbers, for instance [0.9, 0.95]")});
    const bool wholeLayers = parallel.zero == 3 && parallel.partition == PartitionKind::Layers;
    if (traits(optimizer.kind).factored && parallel.zero > 0 && !wholeLayers)
        faults.push_back(
            {"/parallel/zero",
             say("{} does not work with flat shards of ZeRO {}", wordOf(optimizer.kind), parallel.zero),
             say("it counts rows and columns of whole matrices, and flat shards cut them anywhere"),
             say("0; 3 with parallel.partition layers; or optimizer.kind {}",
                 wordsWhere(optimizerTraits, [](const OptimizerTraits& each) { return !each.factored; }))});
}

}  // namespace shardlab::layout
