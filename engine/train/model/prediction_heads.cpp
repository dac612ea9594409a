// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/prediction_heads.h"

namespace shardlab::train {

void forwardHeads(OutputHead& head, std::vector<OutputHead::State>& states, std::vector<Buffer> normed, Buffer input,
                  const TokenBatch& batch, std::vector<double>& losses) {
    const std::size_t modules = normed.size();
    states.resize(modules + 1);
    losses.resize(modules + 1);
    for (std::size_t i = 0; i < modules; ++i)
        head.forwardNormed(states[i], std::move(normed[i]), targetsOf(batch, i), &losses[i]);
    head.forward(states.back(), std::move(input), targetsOf(batch, modules), &losses.back());
}

std::vector<Buffer> headGradients(OutputHead& head, std::vector<OutputHead::State>& states, float scale, double weight,
                                  MemoryCategory kept) {
    std::vector<Buffer> gradients;
    for (std::size_t i = 0; i < states.size(); ++i)
        gradients.push_back(head.inputGrad(states[i], i == 0 ? scale : scale * static_cast<float>(weight), kept));
    return gradients;
}

}  // namespace shardlab::train
