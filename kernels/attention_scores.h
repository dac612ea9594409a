// SPDX-License-Identifier: Apache-2.0
// What an attention does to its scores before the softmax, beside the scale 1/√width, and to probabilities after it.
#pragma once

#include "kernels/array.h"
#include "kernels/dropout.h"

#include <tuple>

namespace shardlab::kernels {

/// The slopes of ALiBi (2108.12409): in head h of n a score falls by 2^power(h) for each position between query and
/// key. Where n is a power of two, power(h) = −8(h + 1)/n. Else the first p heads, p the power of two below n, have the
/// slopes of p heads, and the others every second one of 2p heads, from the first on.
struct AlibiSlopes {
    int heads = 0;  ///< of the whole model; 0: no score falls
    int first = 0;  ///< of the heads at hand, counted among those of the whole model

    /// The slope of a head at hand is two to this power.
    constexpr float power(int head) const {
        int most = 1;
        while (2 * most <= heads) most *= 2;
        const int number = first + head;
        return number < most ? -8.0f * static_cast<float>(number + 1) / static_cast<float>(most)
                             : -4.0f * static_cast<float>(2 * (number - most) + 1) / static_cast<float>(most);
    }
};

/// A score s becomes cap·tanh(s ÷ cap), then falls with the distance of its key.
struct ScoreRule {
    float cap = 0;  ///< 0: scores have no cap
    AlibiSlopes slopes;

    constexpr bool changes() const { return cap > 0 || slopes.heads > 0; }
};

/// Dropout of the probabilities. The mask's row (sample, head, query) is sample·rowsOfSample + head·sequence + query,
/// so that the heads may be a part of a layer's heads; the column is the key. Queries and keys are positions in the
/// whole sample, whichever of them a rank has; `mask.rows` is not read.
struct AttentionDropout {
    DropoutMask mask;
    std::int64_t rowsOfSample = 0;
};

/// A learnt score of each head that takes part in the softmax of all its rows and has no value; null where there is
/// none.
struct HeadSinks {
    ConstArray scores;          ///< [heads], P
    float* gradient = nullptr;  ///< [heads], which backward overwrites

    explicit operator bool() const { return static_cast<bool>(scores); }
    auto memory() { return std::tie(scores, gradient); }
};

}  // namespace shardlab::kernels
