// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/metrics/sent_bytes.h"

#include "engine/layout/exchange.h"
#include "engine/layout/flat_units.h"
#include "engine/layout/formats.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/metrics/figure_sum.h"

#include <cmath>

namespace shardlab::trace {

SentBytes::SentBytes(const Layout& layout) : known_(true) {
    const Mesh mesh(layout);
    sameWeights_ = static_cast<int>(sameWeights(mesh, 0).size());
    sameExperts_ = static_cast<int>(sameExperts(mesh, 0).size());
    tensor_ = mesh.size(Axis::Tensor);
    expert_ = mesh.size(Axis::Expert);
    replica_ = static_cast<int>(replicaRanks(mesh, 0).size());
    sharesMemory_ = layout.parallel.exchange == Exchange::Hogwild;
    if (const auto schedule = generateSchedule(layout.schedule.kind, scheduleShape(layout)))
        tiedApart_ = schedule->rankOfStage.front() != schedule->rankOfStage.back();
    if (expert_ == 1) return;
    for (const StageShape& shape : stageShapes(layout)) {
        std::vector<bool>& buckets = expertBuckets_.emplace_back();
        for (const FlatUnit& unit :
             reductionUnits(layout.parallel, stageUnits(layout.model, layout.parallel, shape, tensorShare(layout)),
                            numberFormats(layout.precision).gradientBytes()))
            buckets.push_back(unit.experts);
    }
}

bool SentBytes::ofExperts(const Event& event) const {
    const int stage = event.action == 0 ? -1 : actionFromId(event.action).stage;
    if (stage < 0 || static_cast<std::size_t>(stage) >= expertBuckets_.size()) return false;
    const std::vector<bool>& buckets = expertBuckets_[static_cast<std::size_t>(stage)];
    const int piece = pieceOf(event);
    return piece >= 0 && static_cast<std::size_t>(piece) < buckets.size() && buckets[static_cast<std::size_t>(piece)];
}

std::int64_t SentBytes::operator()(const Event& event) const {
    const std::int64_t recorded = asFigure(event.bytes);
    const auto share = [&](int members, int times) {
        return known_ ? std::llround(times * (members - 1.0) / members * static_cast<double>(recorded)) : recorded;
    };
    switch (event.kind) {
    case EventKind::SendForward:
    case EventKind::SendBackward:
    case EventKind::PushGradients:
    case EventKind::ExchangeElastic:
    case EventKind::KeyValueHop:
    case EventKind::Collective: return recorded;
    case EventKind::PullWeights: return sharesMemory_ ? 0 : recorded;
    case EventKind::ReduceGradients: return share(sameWeights_, 2);
    case EventKind::ReduceBuckets: return share(ofExperts(event) ? sameExperts_ : sameWeights_, 2);
    case EventKind::ScatterGradients:
    case EventKind::GatherParameters: return share(sameWeights_, 1);
    case EventKind::ReduceTied: return share(tiedApart_ ? 2 : 1, 2);
    case EventKind::ReduceNorm: return share(replica_, 2);
    case EventKind::TensorAllReduce: return share(tensor_, 2);
    case EventKind::TensorReduceScatter:
    case EventKind::TensorAllGather: return share(tensor_, 1);
    case EventKind::DispatchTokens:
    case EventKind::CombineTokens: return share(expert_, 1);
    default: return 0;
    }
}

}  // namespace shardlab::trace
