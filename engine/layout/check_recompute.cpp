// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check_rules.h"
#include "engine/layout/recompute.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardlab {

void checkRecompute(const Layout& layout, std::vector<Fault>& faults) {
    if (recomputesCore(layout.memory) && layout.model.kind == "mlp")
        faults.push_back({"/memory/recompute", "the mlp has no attention whose probabilities could be computed again",
                          "selective recomputation is of the attention alone", "none, full, sqrt or every"});
    if (!partitionsInputs(layout.memory, layout.parallel)) return;
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * (layout.model.sequence / std::max(1, layout.parallel.context));
    const std::int64_t numbers = tokens * layout.model.hidden;
    if (numbers % layout.parallel.tensor == 0) return;
    faults.push_back({"/memory/partition_activations",
                      fmt::format("{} numbers of a segment's input do not divide into {} parts", numbers, layout.parallel.tensor),
                      "every member of a tensor group keeps the same number of them",
                      "false; or a microbatch, a sequence, a hidden width or a tensor degree whose product divides"});
}

}  // namespace shardlab
