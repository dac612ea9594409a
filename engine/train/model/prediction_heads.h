// SPDX-License-Identifier: Apache-2.0
// The output head as the model and the modules above it use it, one after the other (2412.19437, equations 23 to 25):
// the model predicts the next token of each, module k the one k places further, all with the same projection. The loss
// that a backward takes the gradient of is L + λ ÷ D · Σ Lₖ.
#pragma once

#include "engine/layout/data/token_batch.h"
#include "engine/train/model/output_head.h"
#include "engine/train/model/prediction_layer.h"

#include <span>
#include <vector>

namespace shardlab::train {

/// What the model itself (0) is to predict, or module `head`, each of which embeds what the one below it predicts.
inline std::span<const std::int32_t> targetsOf(const TokenBatch& batch, std::size_t head) {
    return head == 0 ? batch.targets : batch.further[head - 1];
}

/// `normed` are what the modules' norms made of what lies below each, `input` is what the highest layer made. `losses`
/// become those of the model and of each module: the sum over its tokens that have a target ÷ all tokens.
void forwardHeads(OutputHead& head, std::vector<OutputHead::State>& states, std::vector<Buffer> normed, Buffer input,
                  const TokenBatch& batch, std::vector<double>& losses);

/// The gradients of what each head read, in the order of `states`: of what the modules' norms made, at last of the
/// highest layer's output. `weight` is λ ÷ D, `scale` and `kept` as in OutputHead::inputGrad.
std::vector<Buffer> headGradients(OutputHead& head, std::vector<OutputHead::State>& states, float scale, double weight,
                                  MemoryCategory kept);

}  // namespace shardlab::train
