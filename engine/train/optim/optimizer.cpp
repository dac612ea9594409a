// SPDX-License-Identifier: Apache-2.0
#include "engine/train/optim/optimizer.h"

#include "engine/train/optim/optimizers.h"

#include <array>
#include <stdexcept>
#include <string_view>

namespace shardlab {

namespace {

struct OptimizerKind {
    std::string_view name;
    std::unique_ptr<Optimizer> (*make)(const OptimizerSetup&, std::span<Parameter>, Arena&);
};

constexpr std::array optimizerKinds{
    OptimizerKind{"adafactor", makeAdafactor},
    OptimizerKind{"adamw", makeAdamW},
    OptimizerKind{"adamw-8bit", makeAdamW8Bit},
    OptimizerKind{"sgd", makeSgd},
    OptimizerKind{"sm3", makeSm3},
};

}  // namespace

std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena) {
    for (const OptimizerKind& kind : optimizerKinds) {
        if (kind.name == setup.spec.kind) return kind.make(setup, parameters, arena);
    }
    throw std::logic_error("no optimizer of kind \"" + setup.spec.kind + "\"");
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

}  // namespace shardlab
