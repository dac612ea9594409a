// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/packed_activations.h"

#include "engine/layout/cnn_shape.h"
#include "engine/layout/formats.h"
#include "engine/layout/kept_activations.h"

namespace shardlab::predict {

namespace {

constexpr int countingKernels = 3;  ///< of a map without zeros, with the copy of their number to the host

/// What a map that is convolved again takes without its zeros, or as it was.
std::int64_t keptBytes(std::int64_t numbers, std::int64_t bytes) {
    const std::int64_t sparse = sparseMapBytes(numbers, assumedNonzeros(numbers), bytes);
    return sparse > 0 ? sparse : bytes * numbers;
}

/// Calls visit(numbers, bytes that are kept of them) for what the block's convolutions take, but for the image and,
/// without fewer bits, the block's input.
template <class Visit>
void eachConvolved(const Layout& layout, int block, const Visit& visit) {
    const ModelSpec& model = layout.model;
    const int bits = packedBits(layout.memory);
    for (int i = bits > 0 && block > 0 ? 0 : 1; i < model.cnn.convolutions; ++i) {
        const std::int64_t numbers =
            layout.batch.micro * (i == 0 ? blockInputFloats(model, block) : blockMapFloats(model, block));
        visit(numbers, bits > 0 ? bytesInBits(numbers, bits)
                                : keptBytes(numbers, numberFormats(layout.precision).activationBytes()));
    }
}

}  // namespace

PackedActivations packedActivations(const Layout& layout) {
    const ModelSpec& model = layout.model;
    PackedActivations sum;
    if (!readsImages(model) || !codesPools(layout.memory)) return sum;
    const std::int64_t bytes = numberFormats(layout.precision).activationBytes(), samples = layout.batch.micro;
    const auto pack = [&](std::int64_t numbers, std::int64_t kept) {
        sum.plain += bytes * numbers;
        sum.kept += kept;
    };
    for (int block = 0; block < model.layers; ++block) {
        pack(samples * blockMapFloats(model, block), samples * blockCodeBytes(model, block));
        eachConvolved(layout, block, pack);
    }
    return sum;
}

PackingSeconds packingSeconds(const Layout& layout, const StageShape& stage, const DevicePreset& device) {
    PackingSeconds sum;
    if (!readsImages(layout.model) || !codesPools(layout.memory)) return sum;
    const std::int64_t bytes = numberFormats(layout.precision).activationBytes();
    const bool counts = keepsSparsely(layout.memory);
    const auto pass = [&](double& seconds, std::int64_t moved, int kernels) {
        seconds += static_cast<double>(moved) / device.memoryBandwidth + kernels * device.kernelSeconds;
    };
    for (int block = stage.firstLayer; block < stage.firstLayer + stage.layers; ++block)
        eachConvolved(layout, block, [&](std::int64_t numbers, std::int64_t kept) {
            if (counts) pass(sum.forward, bytes * numbers, countingKernels);
            if (counts && kept == bytes * numbers) return;
            pass(sum.forward, bytes * numbers + kept, 1);
            pass(sum.inputGrad, bytes * numbers + kept, 1);
        });
    return sum;
}

}  // namespace shardlab::predict
