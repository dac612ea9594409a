// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/metrics/expert_loads.h"

#include "engine/trace/event/event_payload.h"

#include <algorithm>

namespace shardlab::trace {
namespace {

constexpr int mostExperts = 1024;  ///< that a layout can ask for

}  // namespace

void ExpertLoads::add(const Event& event) {
    if (event.kind >= EventKind::UntakenTokens && event.kind <= EventKind::AssignmentRounds) {
        Chosen& chosen = chosen_[event.step][expertOf(event).layer];
        if (event.kind == EventKind::UntakenTokens) chosen.untaken += event.value;
        double& most = event.kind == EventKind::ExpertsOfToken ? chosen.mostOfToken : chosen.mostRounds;
        if (event.kind != EventKind::UntakenTokens) most = std::max(most, event.value);
        return;
    }
    if (event.kind != EventKind::ExpertLoad && event.kind != EventKind::ExpertDropped) return;
    if (expertOf(event).expert >= mostExperts) return;  // the file is damaged
    Load& load = steps_[event.step][expertNumber(expertOf(event))];
    (event.kind == EventKind::ExpertLoad ? load.asked : load.dropped) += event.value;
}

ExpertLoads ExpertLoads::from(int step) const {
    ExpertLoads later;
    later.steps_.insert(steps_.lower_bound(step), steps_.end());
    later.chosen_.insert(chosen_.lower_bound(step), chosen_.end());
    return later;
}

std::map<int, ExpertLoads::OfLayer> ExpertLoads::layers() const {
    std::map<int, OfLayer> layers;
    for (const auto& [step, loads] : steps_)
        for (const auto& [number, load] : loads) {
            const ExpertOfLayer of = expertOf(number);
            OfLayer& layer = layers[of.layer];
            layer.resize(std::max(layer.size(), static_cast<std::size_t>(of.expert) + 1));
            layer[static_cast<std::size_t>(of.expert)].asked += load.asked;
            layer[static_cast<std::size_t>(of.expert)].dropped += load.dropped;
        }
    return layers;
}

std::optional<double> ExpertLoads::unevenness() const {
    double sum = 0;
    int counted = 0;
    for (const auto& [layer, loads] : layers()) {
        double all = 0, most = 0;
        for (const Load& load : loads) {
            all += load.asked;
            most = std::max(most, load.asked);
        }
        if (all == 0) continue;
        sum += most * static_cast<double>(loads.size()) / all;
        ++counted;
    }
    return counted > 0 ? std::optional(sum / counted) : std::nullopt;
}

std::optional<double> ExpertLoads::droppedShare() const {
    double asked = 0, dropped = 0;
    for (const auto& [layer, loads] : layers())
        for (const Load& load : loads) {
            asked += load.asked;
            dropped += load.dropped;
        }
    return asked > 0 ? std::optional(dropped / asked) : std::nullopt;
}

std::optional<ExpertLoads::Chosen> ExpertLoads::chosen() const {
    Chosen all;
    int counted = 0;
    for (const auto& [step, layers] : chosen_)
        for (const auto& [layer, chosen] : layers) {
            all.untaken += chosen.untaken;
            all.mostOfToken = std::max(all.mostOfToken, chosen.mostOfToken);
            all.mostRounds = std::max(all.mostRounds, chosen.mostRounds);
            ++counted;
        }
    if (counted == 0) return std::nullopt;
    all.untaken /= counted;
    return all;
}

}  // namespace shardlab::trace
