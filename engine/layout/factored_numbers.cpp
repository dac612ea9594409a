// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/factored_numbers.h"

#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"
#include "engine/layout/cnn_shape.h"

namespace shardlab::layout {

FactoredNumbers& FactoredNumbers::operator+=(const FactoredNumbers& other) {
    rows += other.rows;
    columns += other.columns;
    elements += other.elements;
    tensors += other.tensors;
    parts += other.parts;
    cut += other.cut;
    return *this;
}

namespace {

/// A product's matrix, and its bias where there is one; a member of a tensor group holds a part of its columns or rows,
/// or all of them where it is `whole`.
FactoredNumbers product(bool bias, std::int64_t rows, std::int64_t columns, bool byColumns, bool whole = false) {
    if (whole) return {rows, columns, bias ? columns : 0, bias ? 2 : 1, 0, 0};
    const std::int64_t parts = byColumns ? rows : columns;
    if (!bias) return {rows, columns, 0, 1, parts, 1};
    return {rows, columns, columns, 2, parts, byColumns ? 2 : 1};  // a bias by rows is whole
}

FactoredNumbers attentionNumbers(const AttentionTensor& tensor) {
    const bool byColumns = tensor.cut == AttentionTensor::Cut::Columns;
    if (tensor.rows == 0) return {0, 0, tensor.columns, 1, 0, byColumns ? 1 : 0};
    if (tensor.cut == AttentionTensor::Cut::Whole) return {tensor.rows, tensor.columns, 0, 1, 0, 0};
    return product(false, tensor.rows, tensor.columns, byColumns);
}

FactoredNumbers norm(const ModelSpec& model) {
    const int vectors = normNumbers(model);
    return {0, 0, vectors * outputWidth(model), vectors, 0, 0};
}

}  // namespace

std::vector<FactoredNumbers> factoredUnits(const ModelSpec& model, const StageShape& stage, const TensorShare& share) {
    const std::int64_t h = model.hidden;
    const BlockParts parts = blockParts(model);
    const FactoredNumbers table{share.of(targetKinds(model)), outputWidth(model), 0, 1, outputWidth(model), 1};
    std::vector<FactoredNumbers> units, spread;
    if (embeds(model, stage)) {
        units.push_back(table);
        if (parts.learnsPositions()) units.push_back({model.sequence, h, 0, 1, 0, 0});
    }
    for (int block = stage.firstLayer; block < stage.firstLayer + stage.layers; ++block) {
        if (readsImages(model)) {
            units.emplace_back();
            for (const std::int64_t rows : convolutionRows(model, block))
                units.back() += product(true, rows, blockChannels(model, block), true);
            continue;
        }
        if (hasAttention(model)) {
            if (block == model.layers && moduleHasTable(model, stage)) units.push_back(table);
            units.push_back(norm(model));
            if (ofModule(model, block)) {
                for (int i = 0; i < joinNorms; ++i) units.back() += norm(model);
                units.back() += {2 * h, h, 0, 1, 0, 0};
            }
            for (const AttentionTensor& tensor : attentionTensors(model, share))
                units.back() += attentionNumbers(tensor);
        }
        const std::int64_t f = ownWidth(model, block, share);
        units.push_back(norm(model));
        const bool experts = hasExperts(model, block);
        if (experts)
            for (const int columns : gateWidths(model)) units.back() += {h, columns, 0, 1, 0, 0};
        if (experts && scoreBiases(model) > 0) units.back() += {0, 0, scoreBiases(model), 1, 0, 0};
        if (const std::int64_t shared = ownSharedWidth(model, block, share); shared > 0)
            (units.back() += product(parts.biases, h, (parts.feedForwardMatrices() - 1) * shared, true)) +=
                product(parts.biases, shared, h, false);
        FactoredNumbers products;
        const bool whole = experts && share.ofExpert() == 1;
        for (int expert = 0; expert < (experts ? ownExperts(model, share) : 1); ++expert)
            (products += product(parts.biases, h, (parts.feedForwardMatrices() - 1) * f, true, whole)) +=
                product(parts.biases, f, h, false, whole);
        if (experts && share.spread() > 1) spread.push_back(products);
        else units.back() += products;
    }
    if (stage.last) units.push_back(norm(model));
    if (outputHasTable(model, stage)) units.push_back(table);
    units.insert(units.end(), spread.begin(), spread.end());
    return units;
}

}  // namespace shardlab::layout
