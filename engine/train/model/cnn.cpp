// SPDX-License-Identifier: Apache-2.0
// The cnn: blocks of convolutions over images, a layer norm of the last block's output, and a linear classifier.
#include "engine/layout/cnn_shape.h"
#include "engine/layout/kept_activations.h"
#include "engine/layout/model_shape.h"
#include "engine/train/model/convolution_block.h"
#include "engine/train/model/models.h"

#include <fmt/format.h>

namespace shardlab::train {

StageLayers buildCnn(const StageSpec& spec, const LayerContext& context) {
    const ModelSpec& model = spec.model;
    StageLayers stage;
    if (spec.first) stage.images.emplace(context);
    if (codesPools(spec.memory)) stage.packed = std::make_shared<PackedTally>();
    for (int block = spec.firstLayer; block < spec.firstLayer + spec.layers; ++block) {
        context.set.beginLayer();
        const int side = blockSide(model, block);
        const ConvolutionBlockShape shape{{spec.samples, side, side, inputChannels(model, block)},
                                          blockChannels(model, block),
                                          model.cnn.convolutions,
                                          block == 0};
        stage.layers.push_back(std::make_unique<ConvolutionBlock>(
            context, fmt::format("h.{}", block), shape,
            KeptMaps{codesPools(spec.memory), keepsSparsely(spec.memory), packedBits(spec.memory), stage.packed}));
    }
    if (spec.last) {
        context.set.beginLayer();
        LayerContext ofFeatures = context;  // an image counts as one token of so many numbers
        ofFeatures.sequence = 1;
        ofFeatures.hidden = static_cast<int>(outputWidth(model));
        stage.head.emplace(ofFeatures, "ln_f", model.cnn.classes, false);
    }
    return stage;
}

}  // namespace shardlab::train
