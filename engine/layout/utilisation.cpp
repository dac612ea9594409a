// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/utilisation.h"

#include "engine/base/units.h"
#include "engine/layout/exchange.h"
#include "engine/layout/model_shape.h"

#include <fmt/format.h>

namespace shardlab::layout {

double modelFlopsPerStep(const Layout& layout) {
    double flops = 0;
    for (const StageShape& stage : stageShapes(layout))
        flops += 3 * (stageForwardFlops(layout.model, stage, layout.batch.micro) -
                      idleExpertFlops(layout.model, stage, layout.batch.micro));
    return flops * microbatches(layout) * workers(layout.parallel);
}

double modelUtilisation(const Layout& layout, const DevicePeak& peak, double seconds) {
    return modelFlopsPerStep(layout) / (seconds * peak.flops);
}

std::string utilisationText(double share) {
    return share > 0 && share < 0.001 ? fmt::format("{:.2g} %", share * 100) : formatPercent(share);
}

}  // namespace shardlab::layout
