// SPDX-License-Identifier: Apache-2.0
// The interface of all optimizers. Each has one source of its own, and a line in optimizers.h.
#pragma once

#include "engine/layout/layout.h"
#include "engine/train/model/arena.h"
#include "engine/train/model/parameter.h"
#include "engine/train/model/tensor_group.h"
#include "engine/train/optim/learning_rate.h"
#include "engine/train/optim/master_weights.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace shardlab::train {

/// The scales of blocks where an optimizer's numbers are codes (coded_moments.h).
struct CodedState {
    float* scales = nullptr;  ///< null where the numbers are no codes
    bool second = false;      ///< unsigned codes, of a second moment
};

/// A part of an optimizer's state: elements `begin`… of one kind for one parameter. They are counted row by row within
/// the tensor that Parameter::shape describes, or within that of `slice`.
struct OptimizerState {
    std::string_view kind;      ///< "first moment", "second moment", "velocity": the same word in every layout
    std::size_t parameter = 0;  ///< index into the stage's parameters
    std::int64_t begin = 0;
    ArraySpan values;            ///< fp32; or codes
    std::optional<Slice> slice;  ///< set where the state has one number for each row, or column
    CodedState codes = {};
};

/// What every optimizer is made from; spec.kind exists, since the layout was checked.
struct OptimizerSetup {
    OptimizerSpec spec;
    int updates = 1;      ///< in the whole run, for a learning rate that falls
    bool master = false;  ///< the parameters' values are rounded copies of weights in fp32
    /// The ranks that hold the other parts of the parameters; outlives the optimizer. Null where there are none.
    TensorGroup* tensor = nullptr;
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

    /// All state that lies on this rank, for checkpoints to read and write.
    virtual std::vector<OptimizerState> state(std::span<const Parameter> parameters) = 0;
    /// Applies one update. `step` counts from 1. Every gradient is first multiplied by `gradientScale`, which clips it
    /// and undoes the loss scale.
    virtual void update(std::span<Parameter> parameters, int step, float gradientScale) = 0;

    /// The device on which the state lies.
    Device& device() const { return arena_.device(); }
    const MasterWeights& master() const { return master_; }

protected:
    float rate(int step) const { return static_cast<float>(learningRate(spec_, step, updates_)); }
    float decay(const Parameter& parameter) const {
        return parameter.decays ? static_cast<float>(spec_.weightDecay) : 0.0f;
    }

    OptimizerSpec spec_;
    int updates_;
    Arena& arena_;
    MasterWeights master_;
};

std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena);

/// Elements of all parameters together.
std::size_t elementsOf(std::span<const Parameter> parameters);
/// Adds to `all` one entry for each parameter: its part of `moments`, which has one number for each element of all
/// parameters in their order.
void addMoments(std::string_view kind, ArraySpan moments, std::span<const Parameter> parameters,
                std::vector<OptimizerState>& all);

}  // namespace shardlab::train
