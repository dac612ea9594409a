// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/slice.h"
#include "kernels/array.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardlab {

/// A named weight with its gradient. Names and shapes are those of GPT-2 in Hugging Face safetensors
/// ("h.3.attn.c_attn.weight", [hidden, 3·hidden], stored input × output); the mlp model uses the same scheme.
/// Values start from a stream of (seed, name): they do not depend on the layout.
struct Parameter {
    std::string name;
    std::vector<int> shape;  ///< of what this rank holds
    Slice slice;             ///< and where that lies in the whole
    ArraySpan value;         ///< a slice of the stage's parameter block
    ArraySpan gradient;      ///< the slice at the same place of the stage's gradient block
    /// ZeRO: value and gradient are a shard, the elements from here on of the tensor that `shape` describes, row by
    /// row.
    std::int64_t flatBegin = 0;
    int lowestLayer = 0;  ///< of the stage's layers that use it; 0 is the stage's lowest layer
    int highestLayer = 0;
    bool decays = false;  ///< weight decay applies (matrices yes, biases and norms no)
    bool expert = false;  ///< of a member of an expert group, the others of which hold other experts
    bool tied = false;    ///< shared with another stage (the token embedding of first and last)
    /// Counts it in norms and totals: of a tied pair the first stage, of what a tensor group holds in common (axis -1)
    /// its first member.
    bool owner = true;
};

}  // namespace shardlab
