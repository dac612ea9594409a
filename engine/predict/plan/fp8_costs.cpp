// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/fp8_costs.h"

#include "engine/base/units.h"
#include "engine/layout/block_parts.h"
#include "engine/layout/formats.h"
#include "engine/layout/stacks.h"
#include "engine/predict/plan/costs.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::predict {

namespace {

/// The engine rounds, and memory and times are its own.
bool rounds(const Layout& layout) { return roundsProducts(layout) && modelledStack(layout) == nullptr; }

constexpr int kernelsOfFactor = 3;  ///< largest magnitude, scale, codes

/// Whether cuBLASLt multiplies codes with such scales on the device (kernels/cuda/fp8_way.cuh). Tensor cores that read
/// scales beside the codes multiply 4 bits too (Blackwell); scales of rows and of 128 numbers are Hopper's alone.
bool multipliesCodes(ProductFormat format, const DevicePreset& device) {
    const bool readsScales = device.fp4Flops > 0;
    return device.fp8Flops > 0 && (scalesTensors(format) || scalesInHardware(format) == readsScales);
}

}  // namespace

std::vector<LinearShape> linearShapes(const Layout& layout, const StageShape& stage, const TensorShare& share,
                                      bool attentions) {
    const ModelSpec& model = layout.model;
    const std::int64_t rows = std::int64_t{layout.batch.micro} * model.sequence / share.context, h = model.hidden;
    const int expansions = blockParts(model).feedForwardMatrices() - 1;
    std::vector<LinearShape> all;
    const auto block = [&](std::int64_t width) {
        all.push_back({rows, h, expansions * width});
        all.push_back({rows, width, h});
    };
    for (int layer = stage.firstLayer; layer < stage.firstLayer + stage.layers; ++layer) {
        if (attentions && hasAttention(model))
            for (const AttentionTensor& tensor : attentionTensors(model, share))
                if (tensor.rows > 0) all.push_back({rows, tensor.rows, tensor.columns});
        const std::int64_t width = ownWidth(model, layer, share);
        if (!hasExperts(model, layer)) {
            block(width);
            continue;
        }
        if (model.experts.shared > 0) block(ownSharedWidth(model, layer, share));
        for (int expert = 0; expert < model.experts.count / share.expert; ++expert) block(width);
    }
    return all;
}

std::int64_t fp8Bytes(const Layout& layout, const StageShape& stage, const TensorShare& share) {
    if (!rounds(layout)) return 0;
    FactorRoom room;
    const std::vector<LinearShape> layers = linearShapes(layout, stage, share);
    for (const LinearShape& layer : layers) room.include(layout.precision.products, layer);
    return room.bytes(layout.precision.products) + factorStateBytes(layout.precision,
                                                                    static_cast<std::int64_t>(layers.size()),
                                                                    std::max(1, microbatches(layout)));
}

std::int64_t fp8StateNumbers(const Layout& layout, const StageShape& stage, const TensorShare& share) {
    if (!rounds(layout)) return 0;
    return static_cast<std::int64_t>(linearShapes(layout, stage, share).size()) * scaledFactors *
           historyNumbers(layout.precision);
}

Fp8Seconds fp8Seconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                      const DevicePreset& device, bool attentions) {
    Fp8Seconds seconds;
    if (!rounds(layout)) return seconds;
    const NumberFormats formats = numberFormats(layout.precision);
    const double rate =
        multipliesCodes(layout.precision.products, device) ? device.fp8Flops : device.flops(NumberFormat::Fp32);
    const auto ofNumbers = [&](double numbers, std::int64_t bytes) {
        return numbers * static_cast<double>(2 * bytes + 2) / device.memoryBandwidth +
               kernelsOfFactor * device.kernelSeconds;
    };
    for (const LinearShape& layer : linearShapes(layout, stage, share, attentions)) {
        const auto rows = static_cast<double>(layer.rows), inputs = static_cast<double>(layer.inputs),
                   outputs = static_cast<double>(layer.outputs);
        const double product = 2 * rows * inputs * outputs / device.matmulEfficiency;
        const double quicker = product / rate - product / device.flops(formats.activations);
        const double x = ofNumbers(rows * inputs, formats.activationBytes()),
                     dy = ofNumbers(rows * outputs, formats.activationBytes()),
                     weight = ofNumbers(inputs * outputs, formats.weightBytes());
        seconds.forward += x + weight + quicker;
        seconds.inputGrad += dy + weight + quicker;
        seconds.weightGrad += x + dy + quicker;
    }
    return seconds;
}

std::vector<Sentence> fp8Notes(const Layout& layout) {
    if (!rounds(layout)) return {};
    const PrecisionSpec& precision = layout.precision;
    std::vector<Sentence> notes;
    std::int64_t most = 0;
    for (const StageShape& stage : stageShapes(layout))
        most = std::max(most, fp8Bytes(layout, stage, tensorShare(layout)));
    const ScaleTile input = traits(precision.products).tokens, weight = traits(precision.products).weight;
    const Sentence scales =
        delaysScales(precision) ? say("a scale for each tensor, from the {} steps before", precision.amaxHistory)
        : scalesTensors(precision.products) ? say("a scale for each tensor, from its present values")
        : scalesRows(precision.products)    ? say("a scale for each row and column that a product sums over")
        : weight.across > 1
            ? say("a scale for each {} numbers, and each {} × {} of weights", input.along, weight.along, weight.across)
            : say("a scale for each {} numbers", input.along);
    notes.push_back(say("products of linear layers in {}: {}; embedding, output projection, norms, the core of "
                        "attentions and routers stay in {}; a stage holds {} for codes, scales and counts",
                        wordOf(precision.products), scales, wordOf(precision.compute), formatBytes(most)));
    if (delaysScales(precision))
        notes.push_back(say("delayed scales begin with 1: gradients of the first step below 2⁻¹⁷ become 0 in E5M2"));
    if (layout.cluster.device == DeviceKind::Cpu && !layout.cluster.pace)
        notes.push_back(say("a processor has no products of 8 bits: codes are read back and multiplied in fp32, which "
                            "shows the losses of the format and not its speed"));
    else if (const DevicePreset& device = modelledDevice(layout); !multipliesCodes(precision.products, device))
        notes.push_back(say("cuBLASLt has no products in {} on {}: codes are read back and multiplied in fp32",
                            wordOf(precision.products), device.title));
    return notes;
}

}  // namespace shardlab::predict
