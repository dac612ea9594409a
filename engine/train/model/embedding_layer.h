// SPDX-License-Identifier: Apache-2.0
// Turns tokens into activations: the bottom of a model's first stage. A tensor group shares the vocabulary.
#pragma once

#include "engine/layout/context_split.h"
#include "engine/train/model/dropout_site.h"
#include "engine/train/model/layer_context.h"
#include "kernels/embedding.h"

#include <array>
#include <optional>
#include <span>

namespace shardlab::train {

/// Memory in elements, with N tokens and n own tokens: the output n·h (Activations) belongs to the next layer; where
/// tokens are split, the sum over all members N·h (Temporary) comes before it. A member of a context group needs for a
/// time (Temporary) its s/c rows of the position table, and of the table's gradient. Until weightGrad stay the output's
/// gradient n·h as it came, and the microbatch's tokens N (Buffers). weightGrad needs, where tokens are split, the
/// gathered N·h (Temporary).
class EmbeddingLayer {
public:
    struct State : LayerState {
        Buffer outputGradient;
    };

    /// Weights: "wte.weight" [vocabulary, hidden], and where positions are learned "wpe.weight" [sequence, hidden].
    /// `bare`: there are neither positions nor dropout.
    EmbeddingLayer(const LayerContext& context, int vocabulary, bool bare = false);

    Buffer forward(State& state, std::span<const std::int32_t> tokens);
    /// Embeds the tokens that the state has already. A token that the vocabulary does not have is a row of zeros.
    Buffer forward(const State& state) const;
    /// Only keeps the gradient for weightGrad, since there is no layer below.
    void inputGrad(State& state, Buffer outputGradient);
    void weightGrad(State& state);

private:
    std::size_t positionSize() const {
        return static_cast<std::size_t>(context_.sequence) * static_cast<std::size_t>(context_.hidden);
    }
    void embed(const State& state, Array output) const;
    void embedGrad(const State& state, ConstArray outputGradient) const;

    LayerContext context_;
    EmbeddingShape shape_;
    std::array<TokenRun, 2> runs_;  ///< this member's tokens of each sample
    Weight tokens_;
    std::optional<Weight> positions_;
    DropoutSite dropout_;
};

}  // namespace shardlab::train
