// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/packed_activations.h"

#include "engine/layout/cnn_shape.h"
#include "engine/layout/formats.h"
#include "engine/layout/kept_activations.h"

namespace shardlab::predict {

PackedActivations packedActivations(const Layout& layout) {
    const ModelSpec& model = layout.model;
    PackedActivations sum;
    if (!readsImages(model) || !codesPools(layout.memory)) return sum;
    const std::int64_t bytes = numberFormats(layout.precision).activationBytes(), samples = layout.batch.micro;
    const int bits = packedBits(layout.memory);
    const auto pack = [&](std::int64_t numbers, std::int64_t kept) {
        sum.plain += bytes * numbers;
        sum.kept += kept;
    };
    for (int block = 0; block < model.layers; ++block) {
        const std::int64_t map = samples * blockMapFloats(model, block),
                           input = samples * blockInputFloats(model, block);
        pack(map, samples * blockCodeBytes(model, block));
        if (bits == 0) continue;
        if (block > 0) pack(input, bytesInBits(input, bits));  // that of the first is the image
        for (int i = 1; i < model.cnn.convolutions; ++i) pack(map, bytesInBits(map, bits));
    }
    return sum;
}

}  // namespace shardlab::predict
