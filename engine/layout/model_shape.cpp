// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/model_shape.h"

namespace shardlab {
namespace {

bool hasAttention(const ModelSpec& model) { return model.kind == "gpt"; }

std::int64_t tokens(const ModelSpec& model, int samples) { return std::int64_t{samples} * model.sequence; }

/// Of the stage's layers; where all are alike, one is asked for all.
template <class T, class OfLayer>
T layerSum(const ModelSpec& model, const StageShape& stage, OfLayer ofLayer) {
    if (model.feedForward.empty()) return static_cast<T>(stage.layers) * ofLayer(stage.firstLayer);
    T sum = 0;
    for (int layer = stage.firstLayer; layer < stage.firstLayer + stage.layers; ++layer) sum += ofLayer(layer);
    return sum;
}

}  // namespace

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

std::int64_t layerParameters(const ModelSpec& model, int layer) {
    const std::int64_t h = model.hidden;
    const std::int64_t f = feedForwardWidth(model, layer);
    const std::int64_t feedForward = 2 * h + (f * h + f) + (f * h + h);
    const std::int64_t attention = 2 * h + (3 * h * h + 3 * h) + (h * h + h);
    return feedForward + (hasAttention(model) ? attention : 0);
}

std::int64_t tiedParameters(const ModelSpec& model) { return std::int64_t{model.vocabulary} * model.hidden; }

std::int64_t embeddingParameters(const ModelSpec& model) {
    return tiedParameters(model) + std::int64_t{model.sequence} * model.hidden;
}

std::int64_t stageParameters(const ModelSpec& model, const StageShape& stage) {
    auto sum = layerSum<std::int64_t>(model, stage, [&](int layer) { return layerParameters(model, layer); });
    if (stage.first) sum += embeddingParameters(model);
    if (stage.last) sum += 2 * std::int64_t{model.hidden} + (stage.first ? 0 : tiedParameters(model));
    return sum;
}

std::int64_t modelParameters(const ModelSpec& model) { return stageParameters(model, {model.layers, true, true}); }

double layerForwardFlops(const ModelSpec& model, int layer, int samples) {
    const double n = static_cast<double>(tokens(model, samples));
    const double h = model.hidden;
    const double feedForward = 4 * n * h * feedForwardWidth(model, layer);
    return hasAttention(model) ? feedForward + 8 * n * h * h + 4 * n * model.sequence * h : feedForward;
}

double outputForwardFlops(const ModelSpec& model, int samples) {
    return 2 * static_cast<double>(tokens(model, samples)) * model.hidden * model.vocabulary;
}

double stageForwardFlops(const ModelSpec& model, const StageShape& stage, int samples) {
    const auto layers =
        layerSum<double>(model, stage, [&](int layer) { return layerForwardFlops(model, layer, samples); });
    return layers + (stage.last ? outputForwardFlops(model, samples) : 0);
}

std::int64_t layerStoredFloats(const ModelSpec& model, int layer, int samples) {
    const std::int64_t n = tokens(model, samples);
    const std::int64_t h = model.hidden;
    const std::int64_t feedForward = 2 * n + n * h + 2 * n * feedForwardWidth(model, layer);
    if (!hasAttention(model)) return n * h + feedForward;
    const std::int64_t probabilities = n * model.heads * model.sequence;
    return n * h + (2 * n + n * h + 3 * n * h + probabilities + n * h) + n * h + feedForward;
}

std::int64_t headStoredFloats(const ModelSpec& model, int samples) {
    const std::int64_t n = tokens(model, samples);
    return 2 * n * model.hidden + 2 * n + n * model.vocabulary;
}

std::int64_t stageStoredFloats(const ModelSpec& model, const StageShape& stage, int samples) {
    const auto layers =
        layerSum<std::int64_t>(model, stage, [&](int layer) { return layerStoredFloats(model, layer, samples); });
    return layers + (stage.last ? headStoredFloats(model, samples) : 0);
}

std::int64_t boundaryFloats(const ModelSpec& model, int samples) { return tokens(model, samples) * model.hidden; }

}  // namespace shardlab
