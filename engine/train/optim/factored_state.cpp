// SPDX-License-Identifier: Apache-2.0
#include "engine/train/optim/factored_state.h"

namespace shardlab::train {
namespace {

bool isMatrix(const Parameter& parameter) { return parameter.shape.size() == 2; }

std::vector<MemberPiece> piecesOf(std::span<const Parameter> parameters) {
    std::vector<MemberPiece> pieces;
    for (const Parameter& parameter : parameters) {
        const bool matrix = isMatrix(parameter);
        const std::size_t rows = matrix ? static_cast<std::size_t>(parameter.shape[0]) : 0;
        const std::size_t columns = matrix ? static_cast<std::size_t>(parameter.shape[1]) : parameter.value.size();
        // Members that hold some of the columns see a part of every row, and the other way round.
        pieces.push_back({rows, matrix && parameter.slice.axis == 1, parameter.tied});
        pieces.push_back({columns, matrix && parameter.slice.axis == 0, parameter.tied});
    }
    return pieces;
}

/// The slice of the whole in which one number for each index of `axis` lies.
Slice alongAxis(const Slice& slice, int axis) {
    std::vector<int> extent{slice.whole[static_cast<std::size_t>(axis)]};
    if (slice.axis != axis) return {std::move(extent)};
    Slice along = slice;
    along.whole = std::move(extent);
    along.axis = 0;
    return along;
}

}  // namespace

FactoredState::FactoredState(std::span<const Parameter> parameters, Arena& arena)
    : block_(piecesOf(parameters), arena) {
    const std::vector<MemberPiece> pieces = piecesOf(parameters);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        Place& place = places_.emplace_back();
        place.columns = static_cast<int>(pieces[2 * i + 1].size);
        place.ofColumns = block_.of(2 * i + 1);
        if (!isMatrix(parameters[i])) continue;
        place.rows = static_cast<int>(pieces[2 * i].size);
        place.ofRows = block_.of(2 * i);
        place.partsOfRows = pieces[2 * i].parts;
        place.partsOfColumns = pieces[2 * i + 1].parts;
    }
}

std::vector<OptimizerState> FactoredState::state(std::span<const Parameter> parameters,
                                                 const FactoredKinds& kinds) const {
    std::vector<OptimizerState> all;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Place& place = places_[i];
        const ArraySpan columns = block_.span(2 * i + 1, static_cast<std::size_t>(place.columns));
        if (!place.ofRows) {
            all.push_back({kinds.elements, i, 0, columns, {}});
            continue;
        }
        const Slice& slice = parameters[i].slice;
        all.push_back(
            {kinds.rows, i, 0, block_.span(2 * i, static_cast<std::size_t>(place.rows)), alongAxis(slice, 0)});
        all.push_back({kinds.columns, i, 0, columns, alongAxis(slice, 1)});
    }
    return all;
}

}  // namespace shardlab::train
