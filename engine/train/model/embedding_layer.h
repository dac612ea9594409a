// SPDX-License-Identifier: Apache-2.0
// Tokens to activations: the bottom of a model's first stage. A tensor group shares the vocabulary.
#pragma once

#include "engine/layout/context_split.h"
#include "engine/train/model/dropout_site.h"
#include "engine/train/model/layer_context.h"
#include "kernels/embedding.h"

#include <array>
#include <optional>
#include <span>

namespace shardlab {

/// Memory in elements, N tokens, n own tokens: the output n·h (Activations) belongs to the next layer; where tokens are
/// split, before it all members' sum N·h (Temporary). Of a context group's member, in passing (Temporary): its s/c rows
/// of the position table, and of that's gradient. Until weightGrad: outputGradient n·h as it came, and the microbatch's
/// tokens N (Buffers). weightGrad: where tokens are split, the gathered N·h (Temporary).
class EmbeddingLayer {
public:
    struct State : LayerState {
        Buffer tokens;
        Buffer outputGradient;
    };

    /// Weights: "wte.weight" [vocabulary, hidden], and where positions are learned "wpe.weight" [sequence, hidden].
    EmbeddingLayer(const LayerContext& context, int vocabulary);

    Buffer forward(State& state, std::span<const std::int32_t> tokens);
    /// Nothing is below: only keeps the gradient.
    void inputGrad(State& state, Buffer outputGradient);
    void weightGrad(State& state);

private:
    DropoutMask mask(const State& state) const;
    std::size_t positionSize() const {
        return static_cast<std::size_t>(context_.sequence) * static_cast<std::size_t>(context_.hidden);
    }
    void embed(const State& state, Array output) const;
    void embedGrad(const State& state, ConstArray outputGradient) const;

    LayerContext context_;
    EmbeddingShape shape_;
    std::array<TokenRun, 2> runs_;  ///< this member's of each sample
    Weight tokens_;
    std::optional<Weight> positions_;
    DropoutSite dropout_;
};

}  // namespace shardlab
