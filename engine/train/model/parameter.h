// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/slice.h"
#include "kernels/array.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardlab::train {

/// A named weight with its gradient. Names and shapes are those of GPT-2 in Hugging Face safetensors
/// ("h.3.attn.c_attn.weight", [hidden, 3·hidden], stored input × output); the mlp model uses the same scheme.
/// Initial values come from a random stream of (seed, name) and do not depend on the layout.
struct Parameter {
    std::string name;
    std::vector<int> shape;  ///< shape of what this rank holds
    Slice slice;             ///< where that lies in the whole tensor
    ArraySpan value;         ///< a slice of the stage's parameter block
    ArraySpan gradient;      ///< the slice at the same place of the stage's gradient block
    /// With ZeRO, value and gradient are a shard: the elements from here on, row by row, of the tensor that `shape`
    /// describes.
    std::int64_t flatBegin = 0;
    int lowestLayer = 0;  ///< the lowest of the stage's layers that use it; 0 is the stage's lowest layer
    int highestLayer = 0;
    bool decays = false;  ///< weight decay applies (matrices yes, biases and norms no)
    bool expert = false;  ///< belongs to an expert that other replicas do not hold
    bool tied = false;    ///< shared with another stage (the token embedding of first and last)
    /// Whether norms and totals count it here: a tied weight counts on the first stage, a weight that several members
    /// of a tensor group hold (axis -1) on the first of them.
    bool owner = true;
};

}  // namespace shardlab::train
