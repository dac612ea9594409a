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
    std::unique_ptr<Optimizer> (*make)(const OptimizerSpec&, int, std::span<Parameter>, Arena&);
};

constexpr std::array kinds{
    OptimizerKind{"adamw", makeAdamW},
    OptimizerKind{"sgd", makeSgd},
};

}  // namespace

std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSpec& spec, std::span<Parameter> parameters, Arena& arena, int updates) {
    for (const OptimizerKind& kind : kinds) {
        if (kind.name == spec.kind) return kind.make(spec, updates, parameters, arena);
    }
    throw std::logic_error("no optimizer of kind \"" + spec.kind + "\"");
}

}  // namespace shardlab
