// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/moment_blocks.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/cnn_shape.h"
#include "engine/layout/formats.h"
#include "engine/layout/mesh/copies.h"

#include <algorithm>

namespace shardlab::layout {
namespace {

constexpr std::int64_t blocksUpTo(std::int64_t end) {
    return (end + elementsOfMomentBlock - 1) / elementsOfMomentBlock;
}
constexpr std::int64_t blocksIn(std::int64_t begin, std::int64_t end) {
    return begin < end ? blocksUpTo(end) - begin / elementsOfMomentBlock : 0;
}

/// Adds the matrix of a product, and its bias where it has one.
void addProduct(bool bias, std::vector<std::int64_t>& sizes, std::int64_t rows, std::int64_t columns) {
    sizes.push_back(rows * columns);
    if (bias) sizes.push_back(columns);
}

}  // namespace

std::vector<std::int64_t> tensorSizes(const ModelSpec& model, const StageShape& stage, const TensorShare& share) {
    const std::int64_t h = model.hidden;
    const BlockParts parts = blockParts(model);
    std::vector<std::int64_t> sizes, spread;
    const auto addNorm = [&] {
        sizes.insert(sizes.end(), static_cast<std::size_t>(normNumbers(model)), outputWidth(model));
    };
    if (embeds(model, stage)) {
        sizes.push_back(tableParameters(model, share));
        if (parts.learnsPositions()) sizes.push_back(model.sequence * h);
    }
    for (int block = stage.firstLayer; block < stage.firstLayer + stage.layers; ++block) {
        if (readsImages(model)) {
            for (const std::int64_t rows : convolutionRows(model, block))
                addProduct(true, sizes, rows, blockChannels(model, block));
            continue;
        }
        if (hasAttention(model)) {
            if (block == model.layers && moduleHasTable(model, stage)) sizes.push_back(tableParameters(model, share));
            if (ofModule(model, block)) {
                for (int i = 0; i < joinNorms; ++i) addNorm();
                sizes.push_back(joinWeights(model, block));
            }
            addNorm();
            for (const AttentionTensor& tensor : attentionTensors(model, share)) sizes.push_back(tensor.elements());
        }
        addNorm();
        const bool experts = hasExperts(model, block);
        const std::int64_t f = ownWidth(model, block, share);
        if (experts)
            for (const int columns : gateWidths(model)) sizes.push_back(h * columns);
        if (experts && scoreBiases(model) > 0) sizes.push_back(scoreBiases(model));
        if (const std::int64_t shared = ownSharedWidth(model, block, share); shared > 0) {
            addProduct(parts.biases, sizes, h, (parts.feedForwardMatrices() - 1) * shared);
            addProduct(parts.biases, sizes, shared, h);
        }
        std::vector<std::int64_t>& products = experts && share.spread() > 1 ? spread : sizes;
        for (int expert = 0; expert < (experts ? model.experts.count / share.expert : 1); ++expert) {
            addProduct(parts.biases, products, h, (parts.feedForwardMatrices() - 1) * f);
            addProduct(parts.biases, products, f, h);
        }
    }
    if (stage.last) addNorm();
    if (outputHasTable(model, stage)) sizes.push_back(tableParameters(model, share));
    sizes.insert(sizes.end(), spread.begin(), spread.end());
    return sizes;
}

std::int64_t momentBlocksOf(const Layout& layout, const StageShape& stage, const TensorShare& share, int replica) {
    const std::vector<std::int64_t> sizes = tensorSizes(layout.model, stage, share);
    std::int64_t blocks = 0;
    if (layout.parallel.zero == 0) {
        for (const std::int64_t size : sizes) blocks += blocksUpTo(size);
        return blocks;
    }
    std::vector<std::int64_t> ends;  // where each parameter ends, among all
    for (const std::int64_t size : sizes) ends.push_back((ends.empty() ? 0 : ends.back()) + size);
    const int replicas = replicasOfCopy(layout.parallel), number = numberInCopy(layout.parallel, replica);
    const auto units = stageUnits(layout.model, layout.parallel, stage, share);
    for (const FlatUnit& unit :
         reductionUnits(layout.parallel, units, numberFormats(layout.precision).gradientBytes())) {
        const std::int64_t begin = unit.begin + partBegin(unit, number, replicas);
        const std::int64_t end = begin + partSize(unit, number, replicas);
        auto i = static_cast<std::size_t>(std::ranges::upper_bound(ends, begin) - ends.begin());
        for (; i < ends.size() && ends[i] - sizes[i] < end; ++i) {
            const std::int64_t first = ends[i] - sizes[i];
            blocks += blocksIn(std::max(begin, first) - first, std::min(end, ends[i]) - first);
        }
    }
    return blocks;
}

}  // namespace shardlab::layout
