// SPDX-License-Identifier: Apache-2.0
// One header per optimizer; this is what they have in common.
#pragma once

#include "engine/layout/layout.h"
#include "engine/train/model/arena.h"
#include "engine/train/model/parameter.h"
#include "engine/train/model/tensor_group.h"
#include "engine/train/optim/master_weights.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace shardlab {

/// Where an optimizer's numbers are codes (coded_moments.h), the scales of their blocks.
struct CodedState {
    float* scales = nullptr;  ///< null: they are numbers
    bool second = false;      ///< unsigned codes, of a second moment
};

/// A part of what an optimizer remembers: elements `begin`… of one kind for one parameter, counted within the tensor
/// that Parameter::shape describes, row by row, or in that of `slice`.
struct OptimizerState {
    std::string_view kind;      ///< "first moment", "second moment", "velocity": the same word in every layout
    std::size_t parameter = 0;  ///< index into the stage's parameters
    std::int64_t begin = 0;
    ArraySpan values;            ///< fp32; or codes
    std::optional<Slice> slice;  ///< where it is another tensor than the parameter: one number a row, or a column
    CodedState codes = {};
};

/// What every optimizer is made from. The layout was checked: spec.kind exists.
struct OptimizerSetup {
    OptimizerSpec spec;
    int updates = 1;      ///< of the whole run, for a learning rate that falls
    bool master = false;  ///< the parameters' values are rounded copies of weights in fp32
    TensorGroup* tensor =
        nullptr;  ///< who holds the other parts of the parameters; outlives the optimizer; null: nobody
};

class Optimizer {
public:
    /// All state comes from the arena (category Optimizer).
    Optimizer(const OptimizerSetup& setup, std::span<const Parameter> parameters, Arena& arena)
        : spec_(setup.spec), updates_(setup.updates), arena_(arena),
          master_(setup.master ? MasterWeights(parameters, arena) : MasterWeights()) {}
    virtual ~Optimizer() = default;
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;

    /// All of it that lies on this rank, for checkpoints to read and write; empty where there is none.
    virtual std::vector<OptimizerState> state(std::span<const Parameter> parameters) = 0;
    /// Applies one update. `step` counts from 1; every gradient is first multiplied by `gradientScale` (clipping, and
    /// what undoes a scale of the loss).
    virtual void update(std::span<Parameter> parameters, int step, float gradientScale) = 0;

    /// Where its state lies.
    Device& device() const { return arena_.device(); }
    const MasterWeights& master() const { return master_; }

protected:
    OptimizerSpec spec_;
    int updates_;
    Arena& arena_;
    MasterWeights master_;
};

std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena);

/// Of all parameters together.
std::size_t elementsOf(std::span<const Parameter> parameters);
/// To `all`, what one array with a number for each element of all parameters, in their order, holds of each.
void addMoments(std::string_view kind, ArraySpan moments, std::span<const Parameter> parameters,
                std::vector<OptimizerState>& all);

}  // namespace shardlab
