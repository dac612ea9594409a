// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/model_shape.h"

#include "engine/base/ranges.h"

#include <numeric>

namespace shardlab {
namespace {

bool hasAttention(const ModelSpec& model) { return model.kind == "gpt"; }

std::int64_t tokens(const ModelSpec& model, int samples) { return std::int64_t{samples} * model.sequence; }

std::int64_t ownTokens(const ModelSpec& model, int samples, const TensorShare& share) {
    return tokens(model, samples) / (share.sequence ? share.size : 1);
}

std::int64_t vocabularyOf(const ModelSpec& model, const TensorShare& share) {
    return rangeSize(model.vocabulary, share.size, share.part);
}

/// Of the stage's layers; where all are alike, one is asked for all.
template <class T, class OfLayer>
T layerSum(const ModelSpec& model, const StageShape& stage, OfLayer ofLayer) {
    if (model.feedForward.empty()) return static_cast<T>(stage.layers) * ofLayer(stage.firstLayer);
    T sum = 0;
    for (int layer = stage.firstLayer; layer < stage.firstLayer + stage.layers; ++layer) sum += ofLayer(layer);
    return sum;
}

}  // namespace

TensorShare tensorShare(const Layout& layout, int part) {
    const ParallelSpec& parallel = layout.parallel;
    return {parallel.tensor, part < 0 ? parallel.tensor - 1 : part, parallel.sequence};
}

int layersOfBlock(const ModelSpec& model) { return hasAttention(model) ? 2 : 1; }

std::vector<StageShape> stageShapes(const Layout& layout) {
    std::vector<StageShape> shapes;
    int firstLayer = 0;
    for (int layers : stageLayers(layout)) {
        shapes.push_back({layers, false, false, firstLayer});
        firstLayer += layers;
    }
    if (!shapes.empty()) {
        shapes.front().first = true;
        shapes.back().last = true;
    }
    return shapes;
}

std::int64_t layerParameters(const ModelSpec& model, int layer, const TensorShare& share) {
    const std::int64_t h = model.hidden;
    const std::int64_t f = feedForwardWidth(model, layer) / share.size;
    const std::int64_t columns = h / share.size;  // of queries, keys, values each
    const std::int64_t feedForward = 2 * h + (f * h + f) + (f * h + h);
    const std::int64_t attention = 2 * h + (3 * h * columns + 3 * columns) + (columns * h + h);
    return feedForward + (hasAttention(model) ? attention : 0);
}

std::int64_t tiedParameters(const ModelSpec& model, const TensorShare& share) {
    return vocabularyOf(model, share) * model.hidden;
}

std::int64_t embeddingParameters(const ModelSpec& model, const TensorShare& share) {
    return tiedParameters(model, share) + std::int64_t{model.sequence} * model.hidden;
}

std::int64_t stageParameters(const ModelSpec& model, const StageShape& stage, const TensorShare& share) {
    auto sum = layerSum<std::int64_t>(model, stage, [&](int layer) { return layerParameters(model, layer, share); });
    if (stage.first) sum += embeddingParameters(model, share);
    if (stage.last) sum += 2 * std::int64_t{model.hidden} + (stage.first ? 0 : tiedParameters(model, share));
    return sum;
}

std::int64_t productWeights(const ModelSpec& model, const StageShape& stage, const TensorShare& share) {
    const std::int64_t h = model.hidden, attention = hasAttention(model) ? 4 * h * h / share.size : 0;
    const auto layers = layerSum<std::int64_t>(model, stage, [&](int layer) {
        return attention + 2 * h * (feedForwardWidth(model, layer) / share.size);
    });
    return layers + (stage.last ? tiedParameters(model, share) : 0);
}

namespace {

std::vector<FlatUnit> declaredUnits(const ModelSpec& model, const StageShape& stage, const TensorShare& share) {
    const std::int64_t h = model.hidden;
    std::vector<FlatUnit> units;
    std::int64_t begin = 0;
    const auto add = [&](int layer, std::int64_t size, bool table = false) {
        units.push_back({layer, layer, begin, size, table});
        begin += size;
    };
    int layer = 0;
    if (stage.first) {
        add(layer, tiedParameters(model, share), true);
        add(layer++, model.sequence * h);
    }
    for (int block = stage.firstLayer; block < stage.firstLayer + stage.layers; ++block) {
        const std::int64_t f = feedForwardWidth(model, block) / share.size;
        const std::int64_t feedForward = 2 * h + (f * h + f) + (f * h + h);
        if (hasAttention(model)) add(layer++, layerParameters(model, block, share) - feedForward);
        add(layer++, feedForward);
    }
    if (!stage.last) return units;
    add(layer, 2 * h);
    if (stage.first) units.front().highestLayer = layer;
    else add(layer, tiedParameters(model, share), true);
    return units;
}

}  // namespace

std::vector<FlatUnit> stageUnits(const ModelSpec& model, const ParallelSpec& parallel, const StageShape& stage,
                                 const TensorShare& share) {
    std::vector<FlatUnit> units = declaredUnits(model, stage, share);
    giveOwners(parallel, units);
    return units;
}

std::vector<double> layerShares(const ModelSpec& model, const StageShape& stage, int samples,
                                const TensorShare& share) {
    std::vector<double> flops;
    if (stage.first) flops.push_back(0);  // a lookup
    const double n = static_cast<double>(tokens(model, samples));
    for (int block = stage.firstLayer; block < stage.firstLayer + stage.layers; ++block) {
        const double feedForward = 4 * n * model.hidden * feedForwardWidth(model, block) / share.size;
        if (hasAttention(model)) flops.push_back(layerForwardFlops(model, block, samples, share) - feedForward);
        flops.push_back(feedForward);
    }
    if (stage.last) flops.push_back(outputForwardFlops(model, samples, share));
    const double sum = std::accumulate(flops.begin(), flops.end(), 0.0);
    for (double& each : flops) each /= sum;
    return flops;
}

std::int64_t modelParameters(const ModelSpec& model) { return stageParameters(model, {model.layers, true, true}); }

double layerForwardFlops(const ModelSpec& model, int layer, int samples, const TensorShare& share) {
    const double n = static_cast<double>(tokens(model, samples));
    const double h = model.hidden;
    const double feedForward = 4 * n * h * feedForwardWidth(model, layer);
    const double whole = hasAttention(model) ? feedForward + 8 * n * h * h + 4 * n * model.sequence * h : feedForward;
    return whole / share.size;
}

double coreForwardFlops(const ModelSpec& model, int samples, const TensorShare& share) {
    if (!hasAttention(model)) return 0;
    return 4 * static_cast<double>(tokens(model, samples)) * model.sequence * model.hidden / share.size;
}

std::int64_t probabilityFloats(const ModelSpec& model, int samples, const TensorShare& share) {
    return hasAttention(model) ? tokens(model, samples) * model.heads * model.sequence / share.size : 0;
}

std::int64_t coreStoredFloats(const ModelSpec& model, int samples, const TensorShare& share) {
    if (!hasAttention(model)) return 0;
    return probabilityFloats(model, samples, share) + tokens(model, samples) * model.hidden / share.size;
}

double outputForwardFlops(const ModelSpec& model, int samples, const TensorShare& share) {
    return 2 * static_cast<double>(tokens(model, samples)) * model.hidden *
           static_cast<double>(vocabularyOf(model, share));
}

double stageForwardFlops(const ModelSpec& model, const StageShape& stage, int samples, const TensorShare& share) {
    const auto layers =
        layerSum<double>(model, stage, [&](int layer) { return layerForwardFlops(model, layer, samples, share); });
    return layers + (stage.last ? outputForwardFlops(model, samples, share) : 0);
}

std::int64_t layerStoredFloats(const ModelSpec& model, int layer, int samples, const TensorShare& share) {
    const std::int64_t n = tokens(model, samples);
    const std::int64_t own = ownTokens(model, samples, share);
    const std::int64_t h = model.hidden;
    const std::int64_t feedForward = 2 * own + own * h + 2 * n * feedForwardWidth(model, layer) / share.size;
    if (!hasAttention(model)) return own * h + feedForward;
    const std::int64_t attention =
        2 * own + own * h + 4 * n * h / share.size + probabilityFloats(model, samples, share);
    return own * h + attention + own * h + feedForward;
}

std::int64_t headStoredFloats(const ModelSpec& model, int samples, const TensorShare& share) {
    const std::int64_t own = ownTokens(model, samples, share);
    return 2 * own * model.hidden + 2 * own + tokens(model, samples) * vocabularyOf(model, share);
}

std::int64_t stageStoredFloats(const ModelSpec& model, const StageShape& stage, int samples,
                               const TensorShare& share) {
    const auto layers = layerSum<std::int64_t>(
        model, stage, [&](int layer) { return layerStoredFloats(model, layer, samples, share); });
    return layers + (stage.last ? headStoredFloats(model, samples, share) : 0);
}

std::int64_t boundaryFloats(const ModelSpec& model, int samples, const TensorShare& share) {
    return ownTokens(model, samples, share) * model.hidden;
}

}  // namespace shardlab
