// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/scanned_block.h"

#include <algorithm>
#include <iterator>

namespace shardlab::ui {

bool isKeptCounter(EventKind kind) {
    switch (kind) {
    case EventKind::Loss:
    case EventKind::ValidationLoss:
    case EventKind::GradientNorm:
    case EventKind::LearningRate:
    case EventKind::LossScale:
    case EventKind::PaceOverrun:
    case EventKind::Staleness:
    case EventKind::ElasticDistance:
    case EventKind::OverwrittenUpdates:
    case EventKind::WeightVersions:
    case EventKind::LargestFree:
    case EventKind::HostMemory:
    case EventKind::GradientExponents:
    case EventKind::ExpertLoad:
    case EventKind::ExpertDropped: return true;
    default: return false;
    }
}

ScannedBlock scanned(const BlockPlace& place, std::span<const Event> events, const DecodedBlock& block, bool figures) {
    ScannedBlock made{
        .place = place, .digest = std::make_shared<const BlockDigest>(digestOf(block)), .told = {}, .figured = {}};
    const auto isTold = [](const Event& event) {
        return !isOfBlock(event) &&
               (!isCounter(event.kind) || isKeptCounter(event.kind) || event.kind == EventKind::MemoryPeak);
    };
    std::ranges::copy_if(events, std::back_inserter(made.told), isTold);
    if (figures) made.figured.assign(events.begin(), events.end());
    return made;
}

}  // namespace shardlab::ui
