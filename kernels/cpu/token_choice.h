// SPDX-License-Identifier: Apache-2.0
// What a token chooses by its scores (kernels/gate.h). Not-a-number comes last, and of equal scores the lower number
// goes first.
#pragma once

#include "kernels/gate.h"

#include <limits>
#include <vector>

namespace shardlab::kernels::cpu {

/// Not-a-number comes last.
inline float scoreOf(float x) { return x == x ? x : -std::numeric_limits<float>::infinity(); }

/// Overwrites a row with its softmax.
void softmax(int count, float* row);

/// The next best after `last` by score, then by number; with `last` −1 the best of all.
int nextBest(int count, const float* row, int last);

/// Decides for one token after another. Each thread has its own.
class TokenChoice {
public:
    TokenChoice(const GateShape& shape, const GateRule& rule);

    /// Writes G over the token's scores `row` [experts], P over those of its groups, and its choices with their
    /// weights; −1: none.
    void choose(int token, float* row, float* groupRow, float* weights, std::int32_t* chosen);

private:
    void several(float* row, float* weights, std::int32_t* chosen) const;
    void two(int token, float* row, float* weights, std::int32_t* chosen) const;
    void inGroups(float* row, float* groupRow, float* weights, std::int32_t* chosen);
    void bySigmoid(float* row, float* weights, std::int32_t* chosen);
    /// Leaves open_ and the front of ranks_ to the experts of the best groups, in their order.
    void keepBestGroups();

    const GateShape& shape_;
    const GateRule& rule_;
    std::vector<std::int32_t> groups_;  ///< those that are chosen
    std::vector<float> groupWeights_;   ///< Hierarchical: P of these
    // Sigmoid:
    std::vector<std::int32_t> open_;  ///< the experts that may be chosen
    std::vector<float> ranks_;        ///< G + bias of these
    std::vector<float> groupRanks_;   ///< of all groups
};

}  // namespace shardlab::kernels::cpu
