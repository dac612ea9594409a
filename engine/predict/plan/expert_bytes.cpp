// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/expert_bytes.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/formats.h"
#include "engine/layout/fp8.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/stacks.h"

namespace shardlab::predict {
namespace {

/// What a gate needs at once until it is decided who goes where: of a context group's members as Gate::forward says.
std::int64_t decidingBytes(const ModelSpec& model, std::int64_t samples, int members) {
    const std::int64_t all = choicesBytes(model, samples, members);
    return expertsChoose(model) ? 2 * all : all / members * (1 + members);
}

}  // namespace

bool competesForPlaces(const Layout& layout) {
    return layout.parallel.context > 1 && hasExperts(layout.model) && !dropless(layout.model) && !modelledStack(layout);
}

bool dropsByNumber(const Layout& layout) {
    return hasExperts(layout.model) && layout.model.experts.dropout > 0 && !modelledStack(layout) &&
           (dropless(layout.model) || layout.parallel.context > 1);
}

std::int64_t choicesBytes(const ModelSpec& model, std::int64_t samples, int members) {
    constexpr std::int64_t runs = 2;
    const std::int64_t n = model.experts.count;
    if (expertsChoose(model)) return fp32Bytes * samples * model.sequence * n;
    return std::int64_t{sizeof(std::int32_t)} * samples * expertChoices(model) * runs * n * members;
}

ExpertBytes expertBytes(const Layout& layout, int layer, const TensorShare& share) {
    constexpr std::int64_t fp32 = bytesOf(NumberFormat::Fp32);
    const ModelSpec& model = layout.model;
    const NumberFormats formats = numberFormats(layout.precision);
    const std::int64_t bytes = formats.activationBytes(), h = model.hidden, f = ownWidth(model, layer, share);
    const std::int64_t samples = layout.batch.micro, tokens = samples * model.sequence / share.context,
                       n = model.experts.count;
    const std::int64_t placed = routedRows(model, layout.batch.micro, share), routes = tokens * expertChoices(model);
    const bool competes = competesForPlaces(layout), packed = dropless(model) || competes;
    const bool alone = share.spread() == 1 && share.folds == 1;
    const std::int64_t rows = alone && packed ? placed : expertRows(model, layout.batch.micro, share);
    ExpertBytes size;
    const int expansions = blockParts(model).feedForwardMatrices() - 1;
    size.gate =
        fp32 * (tokens * gateColumns(model) + 2 * routes + (competes || dropsByNumber(layout) ? 2 : 1) * placed +
                2 * samples * n + (packed ? n + 1 : 0) + (capsTokens(model) ? samples : 0));
    // Other stacks weight the activation, and need not keep what experts make of it.
    const int kept = modelledStack(layout) ? 1 : 2;
    size.rows = bytes * rows * (kept * h + (expansions + 1) * f);
    size.weights = fp32 * routes;
    size.scratch = bytes * (packed ? rows : placed / n) * f;
    size.gathered = bytes * rows * h;
    if (share.spread() > 1) size.sent = size.gathered;
    if (share.spread() > 1 && dropsByNumber(layout)) size.numbers = std::int64_t{sizeof(std::int32_t)} * rows;
    if (competes) size.deciding = decidingBytes(model, samples, share.context);
    else if (capsTokens(model)) size.deciding = fp32 * tokens * n;
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
