// SPDX-License-Identifier: Apache-2.0
// Final norm, projection onto the vocabulary by the token embedding, a cap on the logits where the model has one,
// cross-entropy: the top of a model's last stage. A tensor group shares the vocabulary: no member ever holds all
// logits.
#pragma once

#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/norm.h"

#include <functional>
#include <span>
#include <string>

namespace shardlab::train {

/// Memory in elements, with N tokens, n own tokens, h hidden, V this member's part of the vocabulary:
///   forward keeps (Activations)  input n·h, statistics 2n (n for RMSNorm), normed n·h, logits N·V, which are
///                                overwritten with the loss's gradient at once; rows take layout::logitStride(V)
///   forward (Temporary)          where tokens are split, a gathered norm N·h before the loss; for the loss the targets
///                                N, and where the vocabulary is shared 3N fp32
///   inputGrad                    normedGradient n·h and the returned gradient n·h (`kept`); where tokens are split,
///                                the sum over members N·h (Temporary) before them
///   until weightGrad             normedGradient and all that forward keeps; weightGrad gathers the norm again
///   evaluate                     as forward, freed on return
/// Where the loss is taken in P > 1 pieces of the tokens (memory.loss_pieces):
///   forward keeps (Activations)  in place of the logits the targets N and 3N fp32: each token's largest logit, the sum
///                                of the exponentials, the target's logit
///   forward, inputGrad (Temporary)  the logits of a piece, ⌈N ÷ P⌉ rows at most, beside the gathered norm;
///                                weightGrad too, unless inputGrad took both gradients of each piece at once
/// Where the rows come normed already (forwardNormed), there is no input and no statistics, and inputGrad returns
/// normedGradient.
class OutputHead {
public:
    struct State {
        Buffer input;  ///< empty where the rows came normed
        Buffer statistics;
        Buffer normed;
        Buffer logits;   ///< after forward: the gradient of the summed loss with respect to them; empty in pieces
        Buffer targets;  ///< I32, in pieces
        Buffer sums;     ///< fp32, in pieces: the largest logits, sums of exponentials, logits of targets
        Buffer normedGradient;
        bool weightsToo = false;  ///< as of LayerState
        bool normDone = false;    ///< as of BranchState
        bool tableDone = false;   ///< inputGrad took the gradient of the projection too
        float scale = 1;          ///< the gradient's factor: the loss scale ÷ tokens

        /// As LayerState::visitSavedBuffers().
        void visitSavedBuffers(const KeptVisitor& visit) {
            for (Buffer* each : {&input, &statistics, &normed, &logits, &targets, &sums}) visit(*each);
        }
    };

    /// Weights: `norm` ("ln_f", or where modules predict further tokens that of the highest) and [vocabulary, hidden]:
    /// where `tied` "wte.weight", the embedding's own where the stage has it, else "lm_head.weight". `pieces`: of the
    /// tokens, whose logits are made one after the other.
    OutputHead(const LayerContext& context, const std::string& norm, int vocabulary, bool tied, int pieces = 1);

    /// `loss` becomes the mean over tokens of −ln p(target) in nats, as in CrossEntropyOps.
    void forward(State& state, Buffer input, std::span<const std::int32_t> targets, double* loss);
    /// As forward() from behind the norm: `normed` is what a norm made of the rows.
    void forwardNormed(State& state, Buffer normed, std::span<const std::int32_t> targets, double* loss);
    /// The loss alone. `normed`: the input is what a norm made, as in forwardNormed().
    void evaluate(Buffer input, bool normed, std::span<const std::int32_t> targets, double* loss);
    /// Returns the gradient of scale · loss; `kept` as in Layer::inputGrad.
    Buffer inputGrad(State& state, float scale, MemoryCategory kept);
    void weightGrad(State& state);

private:
    void norm(State& state, Buffer input);
    /// From what is normed to the logits.
    void project(State& state);
    void takeLoss(State& state, std::span<const std::int32_t> targets, double* loss);
    VocabularyPart part() const { return {context_.tokens(), vocabulary_, firstToken_, cap_, stride_}; }
    void sharedLoss(State& state, const std::int32_t* targets, double* loss);

    /// Some rows of the tokens, from `first` on, and their logits.
    struct Piece {
        VocabularyPart part;
        std::ptrdiff_t first;
        Array logits;
        ConstArray normed;  ///< [part.rows, hidden]
        ConstArray table;   ///< [vocabulary, hidden]
    };
    void makeLogits(const VocabularyPart& rows, ConstArray normed, ConstArray table, Array logits);
    void eachPiece(const State& state, const std::function<void(const Piece&)>& use);
    /// The largest logit of each row, over all members, and this member's part of its sums, which are [3, tokens].
    void exponentials(const VocabularyPart& rows, const Buffer& sums, std::ptrdiff_t first, const std::int32_t* targets,
                      ConstArray logits);
    void lossInPieces(State& state, std::span<const std::int32_t> targets, double* loss);
    /// Makes the gradient of the piece's logits in their place.
    void pieceGradient(const State& state, const Piece& piece);
    /// `gradient`: [tokens, hidden], this member's part of the sum.
    void inputGradInPieces(State& state, Array gradient);
    void addTableGradient(const State& state, const Piece& piece);

    LayerContext context_;
    int firstToken_;  ///< first token of this member's part of the vocabulary
    int vocabulary_;  ///< tokens of this part
    int stride_;      ///< elements from row to row of logits
    float cap_;       ///< of logits; 0: they have none
    int pieces_;      ///< of the tokens; 1: the logits are kept
    Norm norm_;
    Weight table_;
};

}  // namespace shardlab::train
