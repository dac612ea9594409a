// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/layer_context.h"

namespace shardlab {

/// A weight as a product reads it, in the type of the activations: itself; or where it is kept in another, a rounded
/// copy (Temporary) that goes with this.
class ProductWeight {
public:
    ProductWeight(Arena& arena, DType type, const Weight& weight);
    ConstArray data() const { return data_; }

private:
    Buffer copy_;
    ConstArray data_;
};

}  // namespace shardlab
