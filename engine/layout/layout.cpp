// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/layout.h"

#include <algorithm>
#include <limits>

namespace shardlab {
namespace {

/// Product of positive factors, stopped at the largest int: degrees of a layout not yet checked may be anything.
int product(std::initializer_list<int> factors) {
    std::int64_t result = 1;
    for (int factor : factors) {
        result *= std::max(factor, 0);
        result = std::min<std::int64_t>(result, std::numeric_limits<int>::max());
    }
    return static_cast<int>(result);
}

}  // namespace

int feedForwardWidth(const ModelSpec& model, int layer) {
    return model.feedForward.empty() ? 4 * model.hidden : model.feedForward[static_cast<std::size_t>(layer)];
}

int rankCount(const Layout& layout) {
    const ParallelSpec& p = layout.parallel;
    return product({p.data, p.pipeline, p.tensor, p.expert, p.context});
}

int stageCount(const Layout& layout) { return product({layout.parallel.pipeline, layout.schedule.chunks}); }

int microbatches(const Layout& layout) {
    const int together = product({layout.parallel.data, layout.batch.micro});
    if (together < 1 || layout.batch.global < 1 || layout.batch.global % together != 0) return 0;
    return layout.batch.global / together;
}

std::vector<int> stageLayers(const Layout& layout) {
    if (!layout.schedule.stages.empty()) return layout.schedule.stages;
    const int stages = stageCount(layout);
    // More stages than actions can number are no split worth its memory, and check() refuses them.
    if (stages < 1 || stages > 65536 || layout.model.layers < stages || layout.model.layers % stages != 0) return {};
    return std::vector<int>(static_cast<std::size_t>(stages), layout.model.layers / stages);
}

std::int64_t tokensPerStep(const Layout& layout) { return std::int64_t{layout.batch.global} * layout.model.sequence; }

}  // namespace shardlab
