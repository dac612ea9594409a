// SPDX-License-Identifier: Apache-2.0
// The models with experts that tests train, and what their runs tell of experts.
#pragma once

#include "engine/base/random.h"
#include "engine/launch/job/run_header.h"
#include "engine/layout/model_shape.h"
#include "engine/trace/analysis/traffic_matrix.h"
#include "engine/trace/event/experts.h"
#include "tests/support/named.h"
#include "tests/train/outcomes.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shardlab::test {

/// A gpt-moe with each of these gates.
constexpr std::array gatesOfGpts{"switch", "noisy-top-k",   "hierarchical",
                                 "gshard", "expert-choice", "capped-expert-choice"};
/// With these a llama-moe, or a gpt-moe, that has more of what such models have.
constexpr std::array gatesOfToday{"softmax-top-k", "top-k-softmax", "sigmoid-top-k", "sigmoid-in-groups"};

/// A small model with the gate, whose experts two and four ranks can share out. Of those with a gate of today the first
/// and the last are without drops and shaped as DeepSeek-V2 and V3 are, the second is shaped as Mixtral, without drops
/// too, and the third has a limit of places.
inline ModelSpec expertModel(const std::string& gate) {
    ModelSpec model{ModelKind::GptMoe, 4, 16, 2, 16, 256, 0.1};
    MoeSpec& experts = model.experts;
    experts.gate = named(gate);
    experts.count = 4;
    experts.balance = 0.1;
    experts.dropout = 0.2;
    if (gate == "hierarchical") experts.count = 12;  // two of three experts in two of four groups
    if (gate == "sigmoid-top-k") {
        experts.scale = 2.5;
        experts.shared = 1;
        experts.every = 3;
    }
    if (gate != "softmax-top-k" && gate != "top-k-softmax" && gate != "sigmoid-in-groups") return model;
    model.kind = ModelKind::LlamaMoe;
    experts.capacity = 0;
    if (gate == "sigmoid-in-groups") experts.dropout = 0;
    if (gate == "top-k-softmax") {
        model.block.kvHeads = 1;
        return model;
    }
    experts.count = gate == "softmax-top-k" ? 8 : 12;
    experts.topK = 3;
    experts.denseLayers = 1;
    experts.width = 24;
    experts.shared = gate == "softmax-top-k" ? 2 : 1;
    if (gate == "sigmoid-in-groups") experts.scale = 2.5;
    return model;
}

inline int layersWithExperts(const ModelSpec& model) {
    int count = 0;
    for (int layer = 0; layer < model.layers; ++layer) count += hasExperts(model, layer);
    return count;
}

/// Tokens that chose an expert, or found no place with it, over all ranks: by step and expert.
inline std::map<std::pair<int, std::int64_t>, double> loads(const RunOutcome& run, EventKind kind) {
    std::map<std::pair<int, std::int64_t>, double> sums;
    for (const RankOutcome& rank : run.ranks)
        for (const Event& event : rank.events)
            if (event.kind == kind) sums[{event.step, event.bytes}] += event.value;
    return sums;
}

/// The first loss, norm, load or weight that differs, in words; empty: none. Weights are whole, whoever holds what
/// part of them.
inline QString expertsDiffer(const RunOutcome& run, const RunOutcome& reference) {
    if (const QString wrong = difference(run, reference); !wrong.isEmpty()) return wrong;
    for (const EventKind kind : {EventKind::ExpertLoad, EventKind::ExpertDropped})
        if (loads(run, kind) != loads(reference, kind)) return QString("%1 differs").arg(name(kind).data());
    std::map<std::string, std::vector<float>> found;
    try {
        found = wholeWeights(run);
    } catch (const std::exception& e) {
        return QString(e.what());
    }
    const auto wanted = wholeWeights(reference);
    if (found.size() != wanted.size()) return QString("%1 weights instead of %2").arg(found.size()).arg(wanted.size());
    for (const auto& [name, whole] : wanted) {
        if (!found.contains(name)) return QString("nobody holds %1").arg(name.c_str());
        const std::vector<float>& values = found.at(name);
        double most = 0, off = 0;
        for (std::size_t i = 0; i < whole.size(); ++i) {
            most = std::max(most, std::abs(double(whole[i])));
            // What nobody holds is no number.
            off = std::isnan(values.at(i)) ? INFINITY : std::max(off, std::abs(double(values[i]) - whole[i]));
        }
        if (!(off <= 1e-4 * most + 1e-6)) return QString("%1 is off by %2").arg(name.c_str()).arg(off);
    }
    return {};
}

/// Empty: whoever holds a weight holds the same bits, and of the experts each rank has its share.
inline QString copiesDiffer(const RunOutcome& run, const Layout& layout) {
    std::map<std::string, const std::vector<float>*> first;
    std::map<std::string, int> holders;
    for (const RankOutcome& rank : run.ranks)
        for (const auto& [key, values] : rank.parameters) {
            const std::string name = key.substr(key.find('/') + 1);
            ++holders[name];
            const auto [entry, added] = first.try_emplace(name, &values);
            if (!added && std::memcmp(values.data(), entry->second->data(), values.size() * sizeof(float)) != 0)
                return QString("%1 has two values").arg(name.c_str());
        }
    for (const auto& [name, count] : holders) {
        const int wanted =
            layout.parallel.data / (name.find(".experts.") != std::string::npos ? layout.parallel.expert : 1);
        if (name != "wte.weight" && count != wanted)
            return QString("%1 is on %2 ranks instead of %3").arg(name.c_str()).arg(count).arg(wanted);
    }
    return {};
}

/// Empty: in a step that is neither first nor last, what goes from rank to rank is what was planned.
inline QString sendsOtherwise(const RunOutcome& run, const Plan& plan) {
    TrafficMatrix measured(headerOf(plan)), predicted(headerOf(plan));
    for (const RankOutcome& rank : run.ranks)
        for (const Event& event : rank.events)
            if (event.step == 1) measured.add(event);
    for (const Event& event : plan.simulation.events) predicted.add(event);
    for (int from = 0; from < plan.mesh.ranks(); ++from)
        for (int to = 0; to < plan.mesh.ranks(); ++to) {
            const auto got = measured.cell(from, to, TrafficMatrix::Part::All),
                       wanted = predicted.cell(from, to, TrafficMatrix::Part::All);
            if (got.bytes != wanted.bytes || got.count != wanted.count)
                return QString("%1 to %2: %3 bytes instead of %4").arg(from).arg(to).arg(got.bytes).arg(wanted.bytes);
        }
    return {};
}

/// So many different numbers below n, at random.
inline std::vector<int> someOf(RandomStream& random, int n, int count) {
    std::vector<int> all, some;
    for (int i = 0; i < n; ++i) all.push_back(i);
    while (static_cast<int>(some.size()) < count && !all.empty()) {
        const auto at = all.begin() + static_cast<std::ptrdiff_t>(random.below(static_cast<std::uint32_t>(all.size())));
        some.push_back(*at);
        all.erase(at);
    }
    return some;
}

}  // namespace shardlab::test
