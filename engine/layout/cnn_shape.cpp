// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/cnn_shape.h"

#include <algorithm>

namespace shardlab::layout {

int mostCnnBlocks(int image) {
    int halvings = 0;
    for (; image > 0 && image % 2 == 0; image /= 2) ++halvings;
    return halvings;
}

int blockChannels(const ModelSpec& model, int block) { return model.hidden << std::clamp(block, 0, 3); }

int inputChannels(const ModelSpec& model, int block) {
    return block == 0 ? model.cnn.channels : blockChannels(model, block - 1);
}

int blockSide(const ModelSpec& model, int block) { return block < 31 ? model.cnn.image >> block : 0; }

std::int64_t blockInputFloats(const ModelSpec& model, int block) {
    const std::int64_t side = blockSide(model, block);
    return side * side * inputChannels(model, block);
}

std::int64_t blockMapFloats(const ModelSpec& model, int block) {
    const std::int64_t side = blockSide(model, block);
    return side * side * blockChannels(model, block);
}

std::int64_t blockCodeBytes(const ModelSpec& model, int block) {
    const std::int64_t side = blockSide(model, block) / 2;
    return side * ((side * blockChannels(model, block) + 1) / 2);
}

std::vector<std::int64_t> convolutionRows(const ModelSpec& model, int block) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(model.cnn.convolutions),
                                   std::int64_t{9} * blockChannels(model, block));
    rows.front() = std::int64_t{9} * inputChannels(model, block);
    return rows;
}

std::int64_t blockParameterCount(const ModelSpec& model, int block) {
    return blockWeights(model, block) + std::int64_t{model.cnn.convolutions} * blockChannels(model, block);
}

std::int64_t blockWeights(const ModelSpec& model, int block) {
    std::int64_t rows = 0;
    for (const std::int64_t each : convolutionRows(model, block)) rows += each;
    return rows * blockChannels(model, block);
}

std::int64_t blockPatchFloats(const ModelSpec& model, int block) {
    std::int64_t rows = 0;
    for (const std::int64_t each : convolutionRows(model, block)) rows += each;
    const std::int64_t side = blockSide(model, block);
    return side * side * rows;
}

double blockFlops(const ModelSpec& model, int block) {
    const double side = blockSide(model, block);
    return 2 * side * side * static_cast<double>(blockWeights(model, block));
}

}  // namespace shardlab::layout
