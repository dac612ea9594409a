// SPDX-License-Identifier: Apache-2.0
// ReLU: max(x, 0). What is no number stays none.
#pragma once

#include "kernels/array.h"

#include <cstdint>

namespace shardlab {

struct ReluOps {
    /// x := max(x, 0), element by element; T. Exact. Its gradient is part of what lies above: sumPatches, maxPoolGrad.
    virtual void relu(std::int64_t count, Array x) = 0;

protected:
    ~ReluOps() = default;
};

}  // namespace shardlab
