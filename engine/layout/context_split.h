// SPDX-License-Identifier: Apache-2.0
// How the members of a context group divide the tokens of each sample. A token attends to those before it, so that
// equal runs would be unequal work: the sequence is cut into 2c pieces, and member i holds the pieces i and 2c − 1 − i.
// What a member has of a sample lies in order of position.
#pragma once

#include "engine/base/wings.h"

#include <array>

namespace shardlab::layout {

struct TokenRun {
    int first = 0;  ///< its position in the sample
    int count = 0;
};

/// The tokens that member `member` of `members` holds of a sample of `sequence` tokens, which is a multiple of
/// 2 · members where there are several. A single member holds all tokens, in two runs that differ by at most one.
constexpr std::array<TokenRun, 2> contextRuns(int sequence, int members, int member) {
    if (members == 1) return {{{0, sequence / 2}, {sequence / 2, sequence - sequence / 2}}};
    const int piece = sequence / (2 * members);
    return {{{member * piece, piece}, {(2 * members - 1 - member) * piece, piece}}};
}

}  // namespace shardlab::layout
