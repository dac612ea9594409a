// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/layer_context.h"

namespace shardlab::train {

/// A weight as a product reads it, in the type of the activations: the weight itself, or where it has another type a
/// rounded copy (Temporary), which this object owns.
class ProductWeight {
public:
    ProductWeight(Arena& arena, DType type, const Weight& weight);
    ConstArray data() const { return data_; }

private:
    Buffer copy_;
    ConstArray data_;
};

}  // namespace shardlab::train
