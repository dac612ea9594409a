// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check_rules.h"
#include "engine/layout/recompute.h"

namespace shardlab {

void checkRecompute(const Layout& layout, std::vector<Fault>& faults) {
    if (recomputesCore(layout.memory) && layout.model.kind == "mlp")
        faults.push_back({"/memory/recompute", "the mlp has no attention whose probabilities could be computed again",
                          "selective recomputation is of the attention alone", "none, full, sqrt or every"});
}

}  // namespace shardlab
