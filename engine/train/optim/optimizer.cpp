// SPDX-License-Identifier: Apache-2.0
#include "engine/train/optim/optimizer.h"

#include "engine/train/optim/optimizers.h"

namespace shardlab::train {

std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena) {
    return optimizerMakers[setup.spec.kind](setup, parameters, arena);
}

std::size_t elementsOf(std::span<const Parameter> parameters) {
    std::size_t elements = 0;
    for (const Parameter& parameter : parameters) elements += parameter.value.size();
    return elements;
}

void addMoments(std::string_view kind, ArraySpan moments, std::span<const Parameter> parameters,
                std::vector<OptimizerState>& all) {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::size_t count = parameters[i].value.size();
        all.push_back({kind, i, 0, moments.subspan(offset, count), {}, {}});
        offset += count;
    }
}

}  // namespace shardlab::train
