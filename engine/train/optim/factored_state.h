// SPDX-License-Identifier: Apache-2.0
// The state of Adafactor and SM3: one number for each row and each column of a matrix, one for each element of a
// vector. A matrix is a parameter as it is stored: query, key and value together where they are one.
#pragma once

#include "engine/train/optim/member_block.h"
#include "engine/train/optim/optimizer.h"

namespace shardlab::train {

/// The names of this state in checkpoints.
struct FactoredKinds {
    std::string_view rows;
    std::string_view columns;
    std::string_view elements;  ///< of a vector
};

class FactoredState {
public:
    struct Place {
        int rows = 1;
        int columns = 0;
        float* ofRows = nullptr;  ///< null where the parameter is a vector
        float* ofColumns = nullptr;
        /// Whether a tensor group cuts the parameter so that this member sees a part of each row, or of each column.
        bool partsOfRows = false;
        bool partsOfColumns = false;
    };

    FactoredState(std::span<const Parameter> parameters, Arena& arena);

    const Place& of(std::size_t parameter) const { return places_[parameter]; }
    /// Combines by `overMembers` the numbers of which each member sees a part.
    void putTogether(const std::function<void(ArraySpan)>& overMembers) const { block_.putTogether(overMembers); }
    std::vector<OptimizerState> state(std::span<const Parameter> parameters, const FactoredKinds& kinds) const;

private:
    std::vector<Place> places_;
    MemberBlock block_;  ///< two pieces for each parameter: its rows, its columns
};

/// Elements of the whole parameter, whatever part of it lies on this rank.
inline std::int64_t elementsOfWhole(const Parameter& parameter) {
    return parameter.slice.whole.empty() ? static_cast<std::int64_t>(parameter.value.size())
                                         : wholeElements(parameter.slice);
}

}  // namespace shardlab::train
