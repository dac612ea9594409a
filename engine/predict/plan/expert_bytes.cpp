// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/expert_bytes.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/formats.h"
#include "engine/layout/fp8.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/stacks.h"

namespace shardlab::predict {

ExpertBytes expertBytes(const Layout& layout, int layer, const TensorShare& share) {
    constexpr std::int64_t fp32 = bytesOf(NumberFormat::Fp32);
    const ModelSpec& model = layout.model;
    const NumberFormats formats = numberFormats(layout.precision);
    const std::int64_t bytes = formats.activationBytes(), h = model.hidden, f = ownWidth(model, layer, share);
    const std::int64_t samples = layout.batch.micro, tokens = samples * model.sequence / share.context,
                       n = model.experts.count;
    const std::int64_t placed = routedRows(model, layout.batch.micro, share), routes = tokens * expertChoices(model);
    const std::int64_t rows = expertRows(model, layout.batch.micro, share);
    ExpertBytes size;
    const int expansions = blockParts(model).feedForwardMatrices() - 1;
    size.gate = fp32 * (tokens * gateColumns(model) + 2 * routes + placed + 2 * samples * n +
                        (dropless(model) ? n + 1 : 0) + (capsTokens(model) ? samples : 0));
    // Other stacks weight the activation, and need not keep what experts make of it.
    const int kept = modelledStack(layout) ? 1 : 2;
    size.rows = bytes * rows * (kept * h + (expansions + 1) * f);
    size.weights = fp32 * routes;
    size.scratch = bytes * (dropless(model) ? rows : placed / n) * f;
    size.gathered = bytes * rows * h;
    if (share.spread() > 1) size.sent = size.gathered;
    if (capsTokens(model)) size.assigned = fp32 * tokens * n;
    if (bytes != fp32) {
        size.floats = fp32 * tokens * h;
        size.ownFloats = size.floats / (share.sequence ? share.size : 1);
    }
    if (formats.weightBytes() != fp32) size.gateCopy = fp32 * h * n;
    if (formats.gradientBytes() != fp32) size.gatePart = fp32 * h * n;
    const std::int64_t shared = ownSharedWidth(model, layer, share);
    size.shared = bytes * tokens * (expansions + 1) * shared;
    size.sharedScratch = bytes * tokens * shared;
    size.activated = bytes * (rows * f + tokens * shared);
    if (formats.castsWeights() && !roundsProducts(layout)) {
        size.expansion = bytes * h * expansions * f;
        size.projection = bytes * h * f;
        size.sharedExpansion = bytes * h * expansions * shared;
        size.sharedProjection = bytes * h * shared;
    }
    return size;
}

std::int64_t tallyBytes(const ModelSpec& model, int first, int layers) {
    if (!hasExperts(model)) return 0;
    constexpr std::int64_t number = sizeof(std::int32_t);
    std::int64_t bytes = 0;
    for (int layer = first; layer < first + layers; ++layer)
        if (hasExperts(model, layer))
            bytes += number * (2 * model.experts.count + (expertsChoose(model) ? 3 : 0)) +
                     (biasesChoice(model) ? fp32Bytes * model.experts.count : 0);
    return bytes;
}

}  // namespace shardlab::predict
