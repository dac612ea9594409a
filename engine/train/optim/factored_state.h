// SPDX-License-Identifier: Apache-2.0
// What Adafactor and SM3 remember: one number a row and one a column of each matrix, one an element of a vector. A
// matrix is a parameter as it is stored: query, key and value together, where they are one.
#pragma once

#include "engine/train/optim/member_block.h"
#include "engine/train/optim/optimizer.h"

namespace shardlab {

/// The words for checkpoints.
struct FactoredKinds {
    std::string_view rows;
    std::string_view columns;
    std::string_view elements;  ///< of vectors
};

class FactoredState {
public:
    struct Place {
        int rows = 1;
        int columns = 0;
        float* ofRows = nullptr;  ///< null: a vector
        float* ofColumns = nullptr;
        /// Cut among the members of a tensor group: this one sees a part of each row, or of each column.
        bool partsOfRows = false;
        bool partsOfColumns = false;
    };

    FactoredState(std::span<const Parameter> parameters, Arena& arena);

    const Place& of(std::size_t parameter) const { return places_[parameter]; }
    /// What each member sees in parts.
    void putTogether(const std::function<void(ArraySpan)>& overMembers) const { block_.putTogether(overMembers); }
    std::vector<OptimizerState> state(std::span<const Parameter> parameters, const FactoredKinds& kinds) const;

private:
    std::vector<Place> places_;
    MemberBlock block_;  ///< two pieces a parameter: of its rows, of its columns
};

/// Of the whole parameter, whatever part of it lies here.
inline std::int64_t elementsOfWhole(const Parameter& parameter) {
    return parameter.slice.whole.empty() ? static_cast<std::int64_t>(parameter.value.size())
                                         : wholeElements(parameter.slice);
}

}  // namespace shardlab
