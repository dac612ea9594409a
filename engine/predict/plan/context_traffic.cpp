// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/context_traffic.h"

#include "engine/layout/formats.h"
#include "engine/predict/plan/compute_costs.h"
#include "engine/predict/plan/expert_bytes.h"
#include "engine/predict/plan/stack_times.h"
#include "engine/predict/plan/tensor_costs.h"

#include <algorithm>

namespace shardlab::predict {
namespace {

/// Columns of queries, of keys, of values and of the output that travel. Shardlab's own groups send a key and a value
/// for each head of queries, all as wide as the query.
struct TravellingColumns {
    std::int64_t queries, keysValues, output;
};
TravellingColumns travellingColumns(const ModelSpec& model, const TensorShare& share, bool modelled) {
    const std::int64_t queries = queryColumns(model, share);
    if (!modelled) return {queries, 2 * queries, queries};
    return {queries, keyColumns(model, share) + ownKeyHeads(model, share) * valueWidth(model),
            outputColumns(model, share)};
}

void addHops(ContextTraffic& traffic, std::int64_t keysValues, std::int64_t gradients, const Link& link, double block) {
    const auto hop = [&](std::int64_t bytes, double cover) {
        return ContextStep{bytes, link.latency + static_cast<double>(bytes) / link.bandwidth, cover};
    };
    const double blockGradient = 2 * block;
    for (int step = 0; step + 1 < traffic.members; ++step) traffic.forward.push_back(hop(keysValues, block));
    for (int step = 0; step < traffic.members; ++step) {
        // Both go over one link: the gradients of the block before are behind what the keys and values leave.
        double cover = blockGradient;
        if (step + 1 < traffic.members) {
            const ContextStep next = hop(keysValues, cover);
            if (step > 0) traffic.backward.push_back(hop(gradients, std::max(0.0, cover - next.seconds)));
            traffic.backward.push_back(next);
        } else {
            traffic.backward.push_back(hop(gradients, cover));
        }
    }
    traffic.backward.push_back(hop(gradients, 0));
}

}  // namespace

ContextTraffic contextTraffic(const Layout& layout, const TensorShare& share, const Link& link,
                              const DevicePreset& device) {
    ContextTraffic traffic;
    traffic.members = share.context;
    if (share.context == 1 || layersOfBlock(layout.model) < 2) return traffic;  // no attention
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * (layout.model.sequence / share.context);
    const TravellingColumns columns = travellingColumns(layout.model, share, stackOf(layout, device).has_value());
    if (competesForPlaces(layout)) {
        const std::int64_t all = choicesBytes(layout.model, layout.batch.micro, share.context);
        traffic.choices = ContextStep{all, allReduceSeconds(static_cast<double>(all), share.context, link) / 2, 0};
    }
    const std::int64_t format = numberFormats(layout.precision).activationBytes();
    const auto bytes = [&](std::int64_t of, std::int64_t each) { return each * tokens * of; };
    if (!exchangesHeads(layout)) {
        addHops(traffic, bytes(columns.keysValues, format), bytes(columns.keysValues, bytesOf(NumberFormat::Fp32)),
                link, coreSeconds(layout, share, device) / share.context);
        return traffic;
    }
    traffic.kind = EventKind::ExchangeHeads;
    const auto allToAll = [&](std::int64_t of) {
        const std::int64_t all = bytes(of, format);
        return ContextStep{all, allToAllSeconds(static_cast<double>(all), share.context, link), 0};
    };
    traffic.forward = {allToAll(columns.queries + columns.keysValues), allToAll(columns.output)};
    traffic.backward = {traffic.forward[1], traffic.forward[0]};
    return traffic;
}

}  // namespace shardlab::predict
