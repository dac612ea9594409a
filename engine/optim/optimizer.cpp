// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/optimizer.h"

#include "engine/optim/optimizers.h"

#include <array>
#include <stdexcept>
#include <string_view>

namespace shardlab {

namespace {

struct OptimizerKind {
    std::string_view name;
    std::unique_ptr<Optimizer> (*make)(const OptimizerSetup&, std::span<Parameter>, Arena&);
};

constexpr std::array kinds{
    OptimizerKind{"adamw", makeAdamW},
    OptimizerKind{"sgd", makeSgd},
};

}  // namespace

std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena) {
    for (const OptimizerKind& kind : kinds) {
        if (kind.name == setup.spec.kind) return kind.make(setup, parameters, arena);
    }
    throw std::logic_error("no optimizer of kind \"" + setup.spec.kind + "\"");
}

std::size_t elementsOf(std::span<const Parameter> parameters) {
    std::size_t elements = 0;
    for (const Parameter& parameter : parameters) elements += parameter.value.size();
    return elements;
}

}  // namespace shardlab
