// SPDX-License-Identifier: Apache-2.0
// The lower half of the block of a module that predicts further tokens (multi-token prediction, 2412.19437, equation
// 21): module k takes hᵢ, what the block below makes of token i, and token i + k, which is known by then, and joins
// them in front of its attention:
//
//   h′ᵢ = [enorm(Emb(tᵢ₊ₖ)) ; hnorm(norm(hᵢ))] · M
//
// `norm` is the norm in front of the output projection, so that a module goes on from what the model, or the module
// below, predicts from. The embedding is the model's own. The order of the two halves is that of published weights.
#pragma once

#include "engine/train/model/embedding_layer.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/linear.h"
#include "engine/train/model/norm.h"

#include <functional>
#include <memory>
#include <string>

namespace shardlab::train {

/// Memory in numbers beside the attention's, with N tokens, n own tokens, h hidden.
///   forward keeps (Activations)  input n·h, statistics of three norms, normed n·h, embedded n·h, joined 2n·h,
///                                and the attention's input n·h
///   forward (Temporary)          a norm's output n·h, freed before the next; where tokens are split, the sum of the
///                                embedding N·h before it
///   inputGrad                    joined's gradient 2n·h (Temporary), then the gradients of both norms' outputs, of
///                                the embedding, of normed, and the returned one, each n·h (`kept`); that of the
///                                attention's input and that of normed by the output are `kept` already
///   until weightGrad             all of these but the returned one; the tokens N (Buffers)
class PredictionLayer : public Layer {
public:
    using MakeAttention = std::function<std::unique_ptr<Layer>()>;

    /// Weights: "wte.weight", `norm`, "<block>.hnorm", "<block>.enorm", "<block>.eh_proj", then those of the attention.
    PredictionLayer(const LayerContext& context, const std::string& block, const std::string& norm, int vocabulary,
                    const MakeAttention& makeAttention);

    std::unique_ptr<LayerState> newState() const override;
    /// The state has the tokens that are embedded (LayerState::tokens).
    Buffer forward(LayerState& state, Buffer input) override;
    /// Takes `normedGradient` of the state too.
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;
    void dropPointwise(LayerState& state, Pointwise parts) const override;
    void makePointwise(LayerState& state, Pointwise parts) const override;
    Buffer makeOutput(const LayerState& state) const override;

    /// norm(input), which the output projection reads (Activations); after forward.
    Buffer normed(const LayerState& state) const;
    /// norm(input) alone, where nobody reads the input again.
    Buffer norm(Buffer input) const;
    /// The gradient of normed() that the output projection returned.
    void setNormedGradient(LayerState& state, Buffer gradient) const;

private:
    struct State;

    /// norm(x) as columns `first` … first + h of `joined`.
    void normInto(const Norm& norm, const Buffer& x, Buffer& statistics, int first, Buffer& joined) const;

    LayerContext context_;
    EmbeddingLayer embedding_;
    Norm norm_, hiddenNorm_, embeddingNorm_;
    Linear projection_;
    std::unique_ptr<Layer> attention_;
};

}  // namespace shardlab::train
