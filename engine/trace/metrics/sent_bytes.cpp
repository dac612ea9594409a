// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/metrics/sent_bytes.h"

#include "engine/layout/flat_units.h"
#include "engine/layout/formats.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/metrics/figure_sum.h"

#include <cmath>

namespace shardlab::trace {

SentBytes::SentBytes(const Layout& layout) : known_(true) {
    const Mesh mesh(layout);
    sameWeights_ = static_cast<int>(sameWeights(mesh, 0).size());
    sameCopy_ = static_cast<int>(sameCopy(mesh, 0).size());
    copies_ = mesh.copies();
    sameExperts_ = static_cast<int>(sameExperts(mesh, 0).size());
    tensor_ = mesh.size(Axis::Tensor);
    expert_ = expertSpread(layout.parallel);
    context_ = mesh.size(Axis::Context);
    replica_ = static_cast<int>(replicaRanks(mesh, 0).size());
    sharesMemory_ = layout.parallel.exchange == Exchange::Hogwild;
    if (const auto schedule = generateSchedule(layout.schedule.kind, scheduleShape(layout)))
        tiedApart_ = schedule->rankOfStage.front() != schedule->rankOfStage.back();
    if (expert_ == 1) return;
    for (const StageShape& shape : stageShapes(layout)) {
        StagePieces& pieces = pieces_.emplace_back();
        const std::vector<FlatUnit> units = stageUnits(layout.model, layout.parallel, shape, tensorShare(layout));
        for (const FlatUnit& unit :
             reductionUnits(layout.parallel, units, numberFormats(layout.precision).gradientBytes()))
            pieces.reduced.push_back(unit.spread > 1);
        if (layout.parallel.zero < 3) continue;
        for (const UnitGather& gather : forwardGathers(units)) pieces.forward.push_back(gather.unit.spread > 1);
        for (const UnitGather& gather :
             backwardGathers(units, layerSegments(layout.model, layout.memory, shape), embeds(layout.model, shape)))
            pieces.backward.push_back(gather.unit.spread > 1);
    }
}

bool SentBytes::ofExperts(const Event& event) const {
    const Action action = event.action == 0 ? Action{} : actionFromId(event.action);
    if (event.action == 0 || action.stage < 0 || static_cast<std::size_t>(action.stage) >= pieces_.size()) return false;
    const StagePieces& stage = pieces_[static_cast<std::size_t>(action.stage)];
    const std::vector<bool>& pieces = action.kind == ActionKind::GatherForward    ? stage.forward
                                      : action.kind == ActionKind::GatherBackward ? stage.backward
                                                                                  : stage.reduced;
    const int piece = pieceOf(event);
    return piece >= 0 && static_cast<std::size_t>(piece) < pieces.size() && pieces[static_cast<std::size_t>(piece)];
}

std::int64_t SentBytes::operator()(const Event& event) const {
    const Transfer& transfer = transferOf(event.kind);
    if (transfer.partners == Partners::None || (event.kind == EventKind::PullWeights && sharesMemory_)) return 0;
    const std::int64_t recorded = asFigure(event.bytes);
    if (!known_ || transfer.passes == 0) return recorded;
    const int members = membersOf(transfer.partners, event);
    return std::llround(transfer.passes * (members - 1.0) / members * static_cast<double>(recorded));
}

int SentBytes::membersOf(Partners partners, const Event& event) const {
    switch (partners) {
    case Partners::Replicas: return sameWeights_;
    case Partners::Bucket: return ofExperts(event) ? sameExperts_ : sameCopy_;
    case Partners::Copies: return copies_;
    case Partners::Tensor: return tensor_;
    case Partners::Expert: return expert_;
    case Partners::Heads: return context_;
    case Partners::Replica: return replica_;
    case Partners::Ends: return tiedApart_ ? 2 : 1;
    default: return 1;
    }
}

}  // namespace shardlab::trace
