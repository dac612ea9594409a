// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fp8.h"

#include <algorithm>

namespace shardlab::layout {

namespace {

constexpr std::int64_t countsBytes = 2 * std::int64_t{sizeof(std::int32_t)};
constexpr std::int64_t floatBytes = 4;

std::int64_t tilesOf(const ScaledTile& tile, std::int64_t rows, std::int64_t columns) {
    const auto parts = [](std::int64_t extent, std::int64_t of) { return of == 0 ? 1 : (extent + of - 1) / of; };
    return parts(rows, tile.rows) * parts(columns, tile.columns);
}

}  // namespace

bool roundsProducts(const ModelSpec& model, const PrecisionSpec& precision) {
    return !readsImages(model) && traits(precision.products).rounds;
}

bool roundsProducts(const Layout& layout) { return roundsProducts(layout.model, layout.precision); }

bool scalesTensors(ProductFormat format) { return traits(format).scaleBits > 0 && traits(format).tokens.across == 0; }

bool scalesRows(ProductFormat format) {
    const ProductTraits& of = traits(format);
    return of.scaleBits > 0 && of.tokens.along == 0 && of.tokens.across == 1;
}

bool delaysScales(const PrecisionSpec& precision) {
    return scalesTensors(precision.products) && precision.scaling == ProductScaling::Delayed;
}

ScaledTile scaledTile(ProductFormat format, bool weight, bool downRows) {
    const auto [along, across] = weight ? traits(format).weight : traits(format).tokens;
    return downRows ? ScaledTile{along, across} : ScaledTile{across, along};
}

void FactorRoom::include(ProductFormat format, const LinearShape& layer) {
    const auto [rows, inputs, outputs] = layer;
    const auto take = [&](std::int64_t numbers, std::int64_t ofTiles) {
        codes = std::max(codes, numbers);
        tiles = std::max(tiles, ofTiles);
    };
    const auto weight = [&](bool downRows) { return tilesOf(scaledTile(format, true, downRows), inputs, outputs); };
    const auto tokens = [&](std::int64_t columns, bool downRows) {
        return tilesOf(scaledTile(format, false, downRows), rows, columns);
    };
    take(rows * inputs + inputs * outputs, tokens(inputs, false) + weight(true));
    take(rows * outputs + inputs * outputs, tokens(outputs, false) + weight(false));
    take(rows * (inputs + outputs), tokens(inputs, true) + tokens(outputs, true));
}

std::int64_t FactorRoom::bytes(ProductFormat format) const {
    return codes + tiles * (floatBytes + (scalesInHardware(format) ? 1 : 0));
}

std::int64_t historyNumbers(const PrecisionSpec& precision) {
    return delaysScales(precision) ? 1 + std::int64_t{precision.amaxHistory} : 0;
}

std::int64_t factorStateBytes(const PrecisionSpec& precision, std::int64_t layers, std::int64_t microbatches) {
    return layers * scaledFactors * (floatBytes * (historyNumbers(precision) + 1) + countsBytes * microbatches);
}

}  // namespace shardlab::layout
