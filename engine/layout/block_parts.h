// SPDX-License-Identifier: Apache-2.0
// What the blocks of a transformer are made of, once each `default` of a layout has been replaced by what the model's
// kind has: in a gpt layer norms, learned positions, biases, GELU and a tied output; in a llama RMSNorm, rotary
// positions, no biases, SwiGLU and an output of its own. mlp and gpt-moe have the parts of a gpt, whatever the layout
// says of blocks.
#pragma once

#include "engine/layout/layout.h"

namespace shardlab::layout {

struct BlockParts {
    bool rmsNorm = false;  ///< norms by RMSNorm instead of layer norm
    double normEpsilon = 1e-5;
    bool rotary = false;         ///< positions are turned
    bool queryKeyNorms = false;  ///< with rotary positions only, and not in latent attention
    bool qkvBias = true;         ///< the product that makes queries, keys and values adds a bias
    bool biases = true;          ///< so do the other products of a block, but not those of a latent attention
    ActivationKind activation = ActivationKind::GeluTanh;
    bool tied = true;
    bool latent = false;  ///< multi-head latent attention (attention_shape.h), with rotary positions only
    bool alibi = false;   ///< scores fall with the distance; positions are neither turned nor learned
    bool sinks = false;   ///< each head of an attention has one
    double attentionCap = 0;
    double logitCap = 0;
    double gluLimit = 0;  ///< of a clamped gate; 0 with any other activation
    double gluAlpha = 0;
    bool operator==(const BlockParts&) const = default;

    /// A table of positions is added to the token embedding.
    bool learnsPositions() const { return !rotary && !alibi; }
    /// The first product of a feed-forward block makes gates too.
    bool gated() const {
        return activation == ActivationKind::SwiGlu || activation == ActivationKind::GeGlu ||
               activation == ActivationKind::GeGluTanh || activation == ActivationKind::ClampedSwiGlu;
    }
    /// Matrices of a feed-forward block: to its width, once more for a gate, and back.
    int feedForwardMatrices() const { return gated() ? 3 : 2; }
    /// Numbers that a norm keeps of each row, and that it learns for each column: 2 (mean and reciprocal deviation,
    /// factor and shift), or 1 where there is neither mean nor shift.
    int normNumbers() const { return rmsNorm ? 1 : 2; }
};

/// The layout chooses the parts of the model's blocks.
bool choosesParts(const ModelSpec& model);
BlockParts blockParts(const ModelSpec& model);
/// There are published weights of such blocks: those of a GPT-2, of a Llama and its relatives (Mistral, Qwen2, Qwen3,
/// and with experts Mixtral and Qwen3-MoE), of a DeepSeek-V3, or of a GPT-OSS.
bool hasPublishedBlocks(const ModelSpec& model);
/// The blocks are those of a GPT-OSS: experts whose gate scores with a bias, clamped gates, biases of all products, and
/// heads with sinks. Windows, and how positions are turned, are as the layout says.
bool isGptOss(const ModelSpec& model);

}  // namespace shardlab::layout
