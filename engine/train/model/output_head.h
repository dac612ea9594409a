// SPDX-License-Identifier: Apache-2.0
// Final norm, projection onto the vocabulary by the token embedding, cross-entropy: the top of a model's last stage. A
// tensor group shares the vocabulary: no member ever holds all logits.
#pragma once

#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/norm.h"

#include <span>

namespace shardlab {

/// Memory in elements, N = tokens, n own tokens, h hidden, V this member's part of the vocabulary:
///   forward keeps (Activations)  input n·h, statistics 2n (of RMSNorm n), normed n·h, logits N·V (at once overwritten
///   with the loss's
///                                gradient); where tokens are split, a gathered norm N·h (Temporary) before the loss;
///                                for the loss the targets N, and where the vocabulary is shared 3N fp32
///                                (Temporary)
///   inputGrad                    normedGradient n·h and the returned gradient n·h (`kept`); where tokens are split,
///                                before them all members' sum N·h (Temporary)
///   until weightGrad             normedGradient and all of forward's; weightGrad gathers the norm again
///   evaluate                     as forward, freed on return
class OutputHead {
public:
    struct State {
        Buffer input;
        Buffer statistics;
        Buffer normed;
        Buffer logits;  ///< after forward: the gradient of the summed loss with respect to them
        Buffer normedGradient;
        float scale = 1;  ///< of that gradient: what the loss is multiplied by, ÷ tokens

        /// As LayerState's.
        void visitSavedBuffers(const KeptVisitor& visit) {
            for (Buffer* each : {&input, &statistics, &normed, &logits}) visit(*each);
        }
    };

    /// Weights: "ln_f" and [vocabulary, hidden]: where `tied` "wte.weight", the embedding's own where the stage has it,
    /// else "lm_head.weight".
    OutputHead(const LayerContext& context, int vocabulary, bool tied);

    /// loss: mean over tokens of −ln p(target), nats; as in CrossEntropyOps.
    void forward(State& state, Buffer input, std::span<const std::int32_t> targets, double* loss);
    void evaluate(Buffer input, std::span<const std::int32_t> targets, double* loss);
    /// Gradients of scale · loss; `kept` as in Layer::inputGrad.
    Buffer inputGrad(State& state, float scale, MemoryCategory kept);
    void weightGrad(State& state);

private:
    void project(State& state, Buffer input);
    void sharedLoss(State& state, const std::int32_t* targets, double* loss);

    LayerContext context_;
    int firstToken_;  ///< of the vocabulary
    int vocabulary_;  ///< this member's part
    Norm norm_;
    Weight table_;
};

}  // namespace shardlab
