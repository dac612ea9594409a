// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/coded_exchange.h"
#include "engine/layout/formats.h"
#include "engine/layout/fp8.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/stacks.h"
#include "engine/predict/plan/costs.h"
#include "engine/predict/plan/fp8_costs.h"
#include "engine/predict/plan/layer_moments.h"

#include <algorithm>
#include <cmath>

namespace shardlab::predict {
namespace {

/// The time of one half of a ring all-reduce: the reduce-scatter or the all-gather of `bytes` over n members.
double halfRingSeconds(double bytes, int n, const Link& link) {
    return (n - 1.0) / n * bytes / link.bandwidth + (n - 1.0) * link.latency;
}

/// Gradients in codes: in each half of an all-reduce, of which ZeRO has the first alone, a member sends all parts but
/// its own. Memory is read and written for the gradient and the remainder, before and after.
double codedSeconds(const Layout& layout, int halves, std::int64_t elements, std::int64_t bytes, int n,
                    const Link& link, const DevicePreset& device) {
    const auto each = static_cast<double>(halves * numberFormats(layout.precision).gradientBytes() + 2 * fp32Bytes);
    return halves * halfRingSeconds(static_cast<double>(bytes), n, link) +
           each * static_cast<double>(elements) / device.memoryBandwidth;
}

/// Down a binomial tree from the owner.
double broadcastSeconds(double bytes, int n, const Link& link) {
    return std::ceil(std::log2(n)) * (bytes / link.bandwidth + link.latency);
}

/// All others' to the owner, whose link they share.
double sendToOwnerSeconds(double bytes, int n, const Link& link) {
    return (n - 1.0) * bytes / link.bandwidth + link.latency;
}

std::vector<double> againShares(std::vector<double> shares, const std::vector<int>& segments) {
    double sum = 0;
    for (std::size_t layer = 0; layer < shares.size(); ++layer) sum += segments[layer] < 0 ? 0 : shares[layer];
    for (std::size_t layer = 0; layer < shares.size(); ++layer)
        shares[layer] = segments[layer] < 0 ? 0 : shares[layer] / sum;
    return shares;
}

/// The piece of a unit whose elements have `each` bytes.
template <class Seconds>
DataPiece pieceOf(const FlatUnit& unit, int layer, std::int64_t each, Seconds seconds) {
    const std::int64_t bytes = each * unit.size;
    return {layer, bytes, seconds(static_cast<double>(bytes), unit), unit.staysBetweenLayers(), unit.spread > 1};
}

template <class Seconds>
std::vector<DataPiece> piecesOf(const std::vector<FlatUnit>& units, std::int64_t each, Seconds seconds) {
    std::vector<DataPiece> pieces;
    for (const FlatUnit& unit : units) pieces.push_back(pieceOf(unit, unit.lowestLayer, each, seconds));
    return pieces;
}

template <class Seconds>
std::vector<DataPiece> piecesOf(const std::vector<UnitGather>& gathers, std::int64_t each, Seconds seconds) {
    std::vector<DataPiece> pieces;
    for (const UnitGather& gather : gathers) pieces.push_back(pieceOf(gather.unit, gather.layer, each, seconds));
    return pieces;
}

/// What comes from the host: the last of a unit's parts, as no other is larger.
std::vector<DataPiece> fetchedPieces(const std::vector<UnitGather>& gathers, int parts, std::int64_t each,
                                     const DeviceHost& host) {
    std::vector<DataPiece> pieces;
    for (const UnitGather& gather : gathers) {
        FlatUnit part = gather.unit;
        part.size = partSize(gather.unit, parts - 1, parts);
        pieces.push_back(pieceOf(part, gather.layer, each, [&](double bytes, const FlatUnit&) {
            return copySeconds(host, std::llround(bytes));
        }));
    }
    return pieces;
}

/// How many bytes a gather of weights moves, as a share of those in the weights' format: the modelled stack may round
/// the weights of a block's products before it gathers them. Tables are gathered as they are.
class GatheredShare {
public:
    GatheredShare(const Layout& layout, const StageShape& shape, const TensorShare& share,
                  const std::vector<FlatUnit>& units) {
        const SoftwareStack* const stack = modelledStack(layout);
        if (!stack || !stack->gathersRounded || !scalesTensors(layout.precision.products)) return;
        double rounded = 0, all = 0;
        for (const LinearShape& linear : linearShapes(layout, shape, share))
            rounded += static_cast<double>(linear.inputs * linear.outputs);
        for (const FlatUnit& unit : units)
            if (!unit.table) all += static_cast<double>(unit.size);
        const double bytes = numberFormats(layout.precision).weightBytes();
        if (all > 0) inBlocks_ -= std::min(1.0, rounded / all) * (1 - 1 / bytes);
    }
    double of(const FlatUnit& unit) const { return unit.table ? 1 : inBlocks_; }

private:
    double inBlocks_ = 1;
};

}  // namespace

double copySeconds(const DeviceHost& host, std::int64_t bytes) {
    return host.link.latency + static_cast<double>(bytes) / host.link.bandwidth;
}

void setLayerShares(DataCosts& costs, const Layout& layout, const StageShape& shape, const TensorShare& share) {
    costs.layerShare = layerShares(layout.model, shape, layout.batch.micro, share);
    costs.segments = layerSegments(layout.model, layout.memory, shape);
    costs.againShare = againShares(costs.layerShare, costs.segments);
}

DataCosts dataCosts(const Layout& layout, const StageShape& shape, const TensorShare& share, const DataGroups& groups,
                    const Link& link, const Link& holdersLink, const Link& partsLink, const DevicePreset& device) {
    const NumberFormats formats = numberFormats(layout.precision);
    const int d = replicasOfCopy(layout.parallel), zero = layout.parallel.zero;
    const std::vector<FlatUnit> units = stageUnits(layout.model, layout.parallel, shape, share);
    const std::vector<FlatUnit> reduced = reductionUnits(layout.parallel, units, formats.gradientBytes());
    DataCosts costs;
    setLayerShares(costs, layout, shape, share);
    const bool ring = layout.parallel.allReduce == AllReduceKind::Ring &&
                      layout.parallel.partition == PartitionKind::Flat;  // no parts of whole layers
    const auto goRound = [&](std::vector<DataPiece>& pieces, int halves) {
        for (DataPiece& piece : pieces)
            piece.hops = ring ? halves * ((piece.experts ? expertHolders(layout.parallel) : d) - 1) : 0;
    };
    const auto half = [&](double bytes, const FlatUnit& unit) {
        return halfRingSeconds(bytes, d / unit.spread, unit.spread > 1 ? holdersLink : link);
    };
    const auto gather = [&](double bytes, const FlatUnit& unit) {
        return unit.owner >= 0 ? broadcastSeconds(bytes, d, link) : half(bytes, unit);
    };
    costs.reduce = piecesOf(reduced, formats.gradientBytes(), [&](double bytes, const FlatUnit& unit) {
        if (unit.owner >= 0) return sendToOwnerSeconds(bytes, d, link);
        if (zero > 0) return half(bytes, unit);
        return ring ? 2 * half(bytes, unit)
                    : allReduce(bytes, unit.spread > 1 ? groups.holders : groups.copy, device).seconds;
    });
    for (std::size_t i = 0; codesExchange(layout) && i < reduced.size(); ++i) {
        const int n = exchanging(layout.parallel, reduced[i]);
        DataPiece& piece = costs.reduce[i];
        piece.bytes = codedBytes(layout.precision.exchange, reduced[i].size, n);
        piece.seconds = codedSeconds(layout, codesSums(layout.parallel) ? 2 : 1, reduced[i].size, piece.bytes, n,
                                     reduced[i].spread > 1 ? holdersLink : link, device);
    }
    if (zero > 0 && copyCount(layout.parallel) > 1)
        for (const FlatUnit& unit : reduced) {
            // One replica has all of a layer that it owns, and others have nothing of it meanwhile.
            const std::int64_t parts = d / unit.spread, mean = (unit.size + parts - 1) / parts;
            const auto largest = static_cast<double>(formats.gradientBytes() * (unit.owner >= 0 ? unit.size : mean));
            costs.parts.push_back({unit.lowestLayer, formats.gradientBytes() * mean,
                                   allReduce(largest, groups.parts, device).seconds, unit.staysBetweenLayers(),
                                   unit.spread > 1});
            if (!codesExchange(layout)) continue;
            DataPiece& piece = costs.parts.back();
            piece.bytes = codedPartBytes(layout.precision.exchange, layout.parallel, unit);
            piece.seconds = codedSeconds(layout, 2, mean, piece.bytes, copyCount(layout.parallel), partsLink, device);
        }
    costs.inSlots = zero >= 2;
    goRound(costs.reduce, zero > 0 ? 1 : 2);
    if (zero == 1 || zero == 2) costs.gatherUpdated = piecesOf(reduced, formats.weightBytes(), gather);
    goRound(costs.gatherUpdated, 1);
    if (zero < 3) return costs;
    const std::vector<UnitGather> forward = forwardGathers(units),
                                  backward = backwardGathers(units, costs.segments, embeds(layout.model, shape));
    if (offloadsParameters(layout.memory)) {
        costs.fetchForward = fetchedPieces(forward, d, formats.weightBytes(), *device.host);
        costs.fetchBackward = fetchedPieces(backward, d, formats.weightBytes(), *device.host);
    }
    if (replicaCount(layout.parallel) == 1) return costs;
    const GatheredShare gathered(layout, shape, share, units);
    const auto inUse = [&](double bytes, const FlatUnit& unit) { return gather(gathered.of(unit) * bytes, unit); };
    costs.gatherForward = piecesOf(forward, formats.weightBytes(), inUse);
    costs.gatherBackward = piecesOf(backward, formats.weightBytes(), inUse);
    goRound(costs.gatherForward, 1);
    goRound(costs.gatherBackward, 1);
    return costs;
}

}  // namespace shardlab::predict
