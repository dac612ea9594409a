// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check_rules.h"
#include "engine/layout/recompute.h"

#include <fmt/format.h>

namespace shardlab {

void checkRecompute(const Layout& layout, std::vector<Fault>& faults) {
    const MemorySpec& memory = layout.memory;
    if (recomputesCore(memory) && layout.model.kind == "mlp")
        faults.push_back({"/memory/recompute", "the mlp has no attention whose probabilities could be computed again",
                          "selective recomputation is of the attention alone", "none, full, sqrt or every"});
    if (layout.parallel.zero == 3 && !recomputeSegments(memory, 1).empty())
        faults.push_back({"/memory/recompute",
                          fmt::format("\"{}\" computes whole blocks again, and ZeRO 3 gathers their weights layer by layer",
                                      memory.recompute),
                          "a backward gathers from the top, but a segment's forward reads its weights from the bottom",
                          layout.model.kind == "mlp" ? "none; or parallel.zero 2"
                                                     : "none or selective; or parallel.zero 2"});
}

}  // namespace shardlab
