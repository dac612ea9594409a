// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/context_ring.h"

#include "engine/layout/formats.h"
#include "engine/predict/plan/compute_costs.h"
#include "engine/predict/plan/stack_times.h"

#include <algorithm>

namespace shardlab::predict {

ContextRing contextRing(const Layout& layout, const TensorShare& share, const Link& link, const DevicePreset& device) {
    ContextRing ring;
    ring.members = share.context;
    if (share.context == 1 || layersOfBlock(layout.model) < 2) return ring;  // no attention
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * (layout.model.sequence / share.context);
    // Shardlab's own ring carries a key and a value for each head of queries, both as wide as the query.
    const ModelSpec& model = layout.model;
    const std::int64_t valueColumns = std::int64_t{keyHeads(model)} * valueWidth(model);
    const std::int64_t columns = stackOf(layout, device) ? keyColumns(model) + valueColumns : 2 * queryColumns(model);
    const std::int64_t numbers = tokens * columns / share.size;
    const auto hop = [&](std::int64_t bytes, double cover) {
        return RingStep{bytes, link.latency + static_cast<double>(bytes) / link.bandwidth, cover};
    };
    const std::int64_t keysValues = numbers * numberFormats(layout.precision).activationBytes();
    const std::int64_t gradients = numbers * bytesOf(NumberFormat::Fp32);
    const double block = coreSeconds(layout, share, device) / share.context;
    const double blockGradient = 2 * block;
    for (int step = 0; step + 1 < share.context; ++step) ring.forward.push_back(hop(keysValues, block));
    for (int step = 0; step < share.context; ++step) {
        // Both go over one link: the gradients of the block before are behind what the keys and values leave.
        double cover = blockGradient;
        if (step + 1 < share.context) {
            const RingStep next = hop(keysValues, cover);
            if (step > 0) ring.backward.push_back(hop(gradients, std::max(0.0, cover - next.seconds)));
            ring.backward.push_back(next);
        } else {
            ring.backward.push_back(hop(gradients, cover));
        }
    }
    ring.backward.push_back(hop(gradients, 0));
    return ring;
}

}  // namespace shardlab::predict
