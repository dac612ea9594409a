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
    const Transfer& transfer = transferOf(event.kind);
    if (transfer.partners == Partners::None || transfer.partners == Partners::Hop ||
        (event.kind == EventKind::PullWeights && sharesMemory_))
        return 0;
    const std::int64_t recorded = asFigure(event.bytes);
    if (!known_ || transfer.passes == 0) return recorded;
    const int members = membersOf(transfer.partners, event);
    return std::llround(transfer.passes * (members - 1.0) / members * static_cast<double>(recorded));
}

int SentBytes::membersOf(Partners partners, const Event& event) const {
    switch (partners) {
    case Partners::Replicas: return sameWeights_;
    case Partners::Bucket: return ofExperts(event) ? sameExperts_ : sameWeights_;
    case Partners::Tensor: return tensor_;
    case Partners::Expert: return expert_;
    case Partners::Replica: return replica_;
    case Partners::Ends: return tiedApart_ ? 2 : 1;
    default: return 1;
    }
}

}  // namespace shardlab::trace
