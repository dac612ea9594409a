// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/measured_costs.h"

#include "engine/base/units.h"
#include "engine/layout/exchange.h"
#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/predict/plan/compute_costs.h"
#include "engine/predict/plan/profile_noise.h"
#include "engine/predict/plan/server_costs.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::predict {
namespace {

double messageSeconds(const LinkProfile& link, double bytes) { return link.seconds + bytes / link.bandwidth; }

double ringSeconds(const LinkProfile& link, double bytes, int members) {
    const double turns = 2.0 * (members - 1);
    return turns * link.seconds + turns / members * bytes / link.bandwidth;
}

/// Seconds of one update per byte of weights.
double updatePerByte(const Profile& profile) {
    double seconds = profile.embedding.optimizer;
    auto bytes = static_cast<double>(profile.embedding.weightBytes);
    for (const BlockProfile& block : profile.blocks)
        for (const PartProfile& part : block.parts) {
            seconds += part.optimizer;
            bytes += static_cast<double>(part.weightBytes);
        }
    return bytes > 0 ? seconds / bytes : 0;
}

/// The share of a block's forward that its backward computes again, by operations.
double recomputedShare(const Layout& layout, const StageShape& stage, int layer) {
    const MemorySpec& memory = layout.memory;
    if (memory.recompute == RecomputeKind::None) return 0;
    const int samples = layout.batch.micro;
    const bool ofSegment = recomputesBlock(layout.model, memory, stage, layer - stage.firstLayer);
    const PointwiseAgain pointwise = pointwiseAgain(layout.model, memory, ofSegment);
    if (recomputesOperations(memory) || recomputesHeads(memory) || pointwise.norms > 0 || pointwise.activation) {
        const DevicePreset& device = modelledDevice(layout);  // by the model's times
        return recomputeSeconds(layout, layer, ofSegment, {}, device) /
               forwardSeconds(layout, {1, false, false, layer}, {}, device);
    }
    double share = 0;
    if (ofSegment)
        share +=
            recomputesSecondHalves(memory) ? layerShares(layout.model, {1, false, false, layer}, samples).back() : 1;
    if (recomputesCore(memory))
        share += coreForwardFlops(layout.model, samples) / layerForwardFlops(layout.model, layer, samples);
    return share;
}

void measureHop(TensorCost& hop, const LinkProfile& link) {
    if (link.bandwidth <= 0) return;
    const double seconds = messageSeconds(link, static_cast<double>(hop.bytes));
    hop.hidden = std::min(seconds, hop.cover);
    hop.seconds = seconds - hop.hidden;
}

/// What was measured is whole layers: the member of a tensor group of t that has most, `uneven` times an even share,
/// computes its share of them, one of a context group its tokens' share, and communicates. One of an expert group,
/// whose rows travel between e replicas, computes as many rows of experts as a rank with all of them.
void share(StageCosts& cost, const Profile& profile, int t, double uneven, int context, int e) {
    const double members = t * context / uneven;
    for (auto* list : {&cost.tensor.forward, &cost.tensor.inputGrad, &cost.tensor.weightGrad, &cost.tensor.update})
        for (TensorCost& collective : *list) {
            if (collective.kind == EventKind::KeyValueHop) {
                measureHop(collective, profile.send);
                continue;
            }
            if (isExpertExchange(collective.kind) || collective.kind == EventKind::ExchangeHeads) {
                if (profile.send.bandwidth > 0)
                    collective.seconds = allToAllSeconds(static_cast<double>(collective.bytes),
                                                         isExpertExchange(collective.kind) ? e : context,
                                                         {profile.send.bandwidth, profile.send.seconds});
                continue;
            }
            if (profile.allReduce.bandwidth <= 0) continue;
            const int group = collective.kind == EventKind::GatherChoices ? context : t;
            collective.seconds = ringSeconds(profile.allReduce, static_cast<double>(collective.bytes), group);
            if (collective.kind != EventKind::TensorAllReduce) collective.seconds /= 2;
        }
    cost.logitsAgain /= members;
    cost.recompute = cost.recompute / members + secondsAgain(cost.tensor.inputGrad);
    cost.forward = cost.forward / members + seconds(cost.tensor.forward);
    cost.inputGrad = cost.inputGrad / members + seconds(cost.tensor.inputGrad);
    cost.weightGrad = cost.weightGrad / members + seconds(cost.tensor.weightGrad);
    cost.backward = cost.backward / members + seconds(cost.tensor.inputGrad) + seconds(cost.tensor.weightGrad);
}

/// An all-reduce is two halves, of which ZeRO's scatters and gathers are one each.
void measure(DataCosts& data, const Profile& profile, const ParallelSpec& parallel) {
    const int replicas = replicasOfCopy(parallel), copies = copyCount(parallel);
    const bool halves = parallel.zero > 0;
    const auto lists = {std::pair(&data.reduce, halves), std::pair(&data.gatherForward, true),
                        std::pair(&data.gatherBackward, true), std::pair(&data.gatherUpdated, true)};
    for (const auto& [pieces, half] : lists)
        for (DataPiece& piece : *pieces)
            piece.seconds = ringSeconds(profile.allReduce, static_cast<double>(piece.bytes),
                                        piece.experts ? expertHolders(parallel) : replicas) /
                            (half ? 2 : 1);
    for (DataPiece& piece : data.parts)
        piece.seconds = ringSeconds(profile.allReduce, static_cast<double>(piece.bytes), copies);
}

void add(StageCosts& cost, const PartProfile& part) {
    cost.forward += part.forward;
    cost.backward += part.backward;
    cost.inputGrad += part.inputGrad;
    cost.weightGrad += part.weightGrad;
}

}  // namespace

StepCosts measuredCosts(StepCosts costs, const Layout& layout, const Mesh& mesh, const std::vector<int>& rankOfStage,
                        const Profile& profile) {
    const std::vector<StageShape> shapes = stageShapes(layout);
    const double perByte = updatePerByte(profile), extra = profile.actionSeconds;
    const int d = replicaCount(layout.parallel), p = mesh.size(Axis::Pipeline);
    const int t = mesh.size(Axis::Tensor), c = mesh.size(Axis::Context), e = expertSpread(layout.parallel);
    const double gradientShare =
        static_cast<double>(numberFormats(layout.precision).gradientBytes()) / updateBytes(layout);
    std::vector<double> bytesOfRank(static_cast<std::size_t>(p));
    for (std::size_t s = 0; s < shapes.size(); ++s) {
        const StageShape& shape = shapes[s];
        StageCosts& cost = costs.stages[s];
        cost.forward = cost.backward = cost.inputGrad = cost.weightGrad = extra;
        cost.recompute = 0;
        if (shape.first) add(cost, profile.embedding);
        for (int layer = shape.firstLayer; layer < shape.firstLayer + shape.layers; ++layer) {
            const PartProfile block = blockProfile(profile, layer);
            add(cost, block);
            cost.recompute += recomputedShare(layout, shape, layer) * block.forward;
        }
        cost.inputGrad += cost.recompute;
        cost.backward += cost.recompute;
        if (shape.last) {
            add(cost, profile.output);
            cost.logitsAgain = lossPieces(layout) > 1 ? profile.output.forward : 0;
            cost.inputGrad += cost.logitsAgain;
            cost.weightGrad += cost.logitsAgain;
            cost.backward += cost.logitsOfBackward * cost.logitsAgain;
        }
        if (t * c * e > 1) share(cost, profile, t, unevenness(layout, shape), c, e);
        // ZeRO: each replica updates its shard.
        // What a device takes for that says nothing of its host.
        if (!offloadsOptimizer(layout.memory) || layout.cluster.device == DeviceKind::Cpu)
            cost.optimizer =
                extra +
                perByte * static_cast<double>(cost.weightBytes) / (layout.parallel.zero > 0 ? d / mesh.copies() : 1) +
                seconds(cost.tensor.update);
        bytesOfRank[static_cast<std::size_t>(rankOfStage[s])] += static_cast<double>(cost.weightBytes);
        if (profile.send.bandwidth > 0 && cost.sendBytes > 0)
            cost.send = messageSeconds(profile.send, static_cast<double>(cost.sendBytes));
        if (profile.allReduce.bandwidth > 0 && d > 1) {
            cost.reduce = extra + ringSeconds(profile.allReduce, static_cast<double>(cost.reduceBytes), d);
            cost.reduceAlgorithm = Algorithm::Ring;
            measure(cost.data, profile, layout.parallel);
        }
        if (profile.allReduce.bandwidth > 0 && cost.tiedBytes > 0)
            cost.tied = extra + ringSeconds(profile.allReduce, static_cast<double>(cost.tiedBytes), 2);
    }
    const LinkProfile& link = profile.send.bandwidth > 0 ? profile.send : profile.allReduce;
    if (layout.parallel.exchange != Exchange::AllReduce && link.bandwidth > 0) {
        // An update reads and writes weights, gradients and state; what it takes per byte says how fast memory is.
        const double memory = updateBytes(layout) / (perByte * numberFormats(layout.precision).weightBytes());
        addServerCosts(
            costs, layout, rankOfStage,
            [&](int) {
                return Link{link.bandwidth, link.seconds + extra};
            },
            memory);
    }
    for (std::size_t s = 0; s < shapes.size(); ++s) {
        StageCosts& cost = costs.stages[s];
        // An update goes over weights, gradients and state; the norm reads the gradients once.
        cost.normReading = extra + perByte * gradientShare * bytesOfRank[static_cast<std::size_t>(rankOfStage[s])];
        if (profile.allReduce.bandwidth <= 0) continue;
        cost.norm = p * t > 1 ? ringSeconds(profile.allReduce, sizeof(double), p * t) : 0;
        cost.normAlgorithm = Algorithm::Ring;
    }
    return costs;
}

Sentence profileNote(const Profile& profile) {
    const std::string date = profile.date.substr(0, 10);
    if (profile.stepSeconds <= 0) return say("times were measured on this machine on {}{}", date, noiseNote(profile));
    return say(
        "times were measured on this machine on {}; then {} were predicted for a step of {} that took {}, {} off{}",
        date, formatSeconds(profile.predictedStepSeconds), profile.layout.name, formatSeconds(profile.stepSeconds),
        formatPercent(profile.error()), noiseNote(profile));
}

Sentence noiseNote(const Profile& profile) {
    const Sentence noise = noiseText(profile);
    return noise.empty() ? noise
                         : say(". The profile is noisy: {}, so predictions from it may be far off. Measure again with "
                               "shardlab profile while nothing else runs",
                               noise);
}

}  // namespace shardlab::predict
