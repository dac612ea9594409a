// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/metrics/rounded_numbers.h"

#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"
#include "engine/layout/model_shape.h"

#include <vector>

namespace shardlab::trace {

namespace {

struct LinearNumbers {
    double rows = 0;
    double inputs = 0;
    double outputs = 0;
    double copies = 1;  ///< weights of this shape, one for each expert
};

/// The matrices of an attention that are no vectors: joined queries, keys and values and the output; or those of a
/// latent attention, down, queries, keys and values, and the output.
LinearNumbers attentionNumbers(const ModelSpec& model, LinearPart part, double rows, const TensorShare& share) {
    std::vector<AttentionTensor> matrices;
    for (const AttentionTensor& tensor : attentionTensors(model, share))
        if (tensor.rows > 0) matrices.push_back(tensor);
    const std::vector<LinearPart> parts =
        latentAttention(model)
            ? std::vector{LinearPart::Down, LinearPart::Queries, LinearPart::KeysValues, LinearPart::AttentionOutput}
            : std::vector{LinearPart::QueriesKeysValues, LinearPart::AttentionOutput};
    for (std::size_t i = 0; i < parts.size() && i < matrices.size(); ++i)
        if (parts[i] == part)
            return {rows, static_cast<double>(matrices[i].rows), static_cast<double>(matrices[i].columns)};
    return {};
}

LinearNumbers linearNumbers(const Layout& layout, const Fp8Place& place) {
    const ModelSpec& model = layout.model;
    const TensorShare share = tensorShare(layout);
    const double rows = static_cast<double>(layout.batch.micro) * model.sequence / share.context;
    const double hidden = model.hidden, matrices = blockParts(model).feedForwardMatrices() - 1;
    const bool experts = hasExperts(model, place.layer);
    const auto block = [&](bool there, double each, double width, bool expands, double copies = 1) -> LinearNumbers {
        if (!there) return {};
        if (expands) return {each, hidden, matrices * width, copies};
        return {each, width, hidden, copies};
    };
    const auto width = static_cast<double>(ownWidth(model, place.layer, share));
    const auto shared = static_cast<double>(ownSharedWidth(model, place.layer, share));
    const double ownExperts = static_cast<double>(model.experts.count) / share.expert;
    const double chosen = experts ? static_cast<double>(expertRows(model, layout.batch.micro, share)) : 0;
    switch (place.part) {
    case LinearPart::Expansion: return block(!experts, rows, width, true);
    case LinearPart::Projection: return block(!experts, rows, width, false);
    case LinearPart::SharedExpansion: return block(experts && shared > 0, rows, shared, true);
    case LinearPart::SharedProjection: return block(experts && shared > 0, rows, shared, false);
    case LinearPart::ExpertExpansion: return block(experts, chosen, width, true, ownExperts);
    case LinearPart::ExpertProjection: return block(experts, chosen, width, false, ownExperts);
    default: return hasAttention(model) ? attentionNumbers(model, place.part, rows, share) : LinearNumbers{};
    }
}

}  // namespace

double roundedNumbers(const Layout& layout, const Fp8Place& place) {
    if (place.layer < 0 || place.layer >= blockCount(layout.model)) return 0;
    const LinearNumbers of = linearNumbers(layout, place);
    if (place.factor == 0) return of.rows * of.inputs;
    if (place.factor == 1) return of.inputs * of.outputs * of.copies;
    return of.rows * of.outputs;
}

}  // namespace shardlab::trace
