// SPDX-License-Identifier: Apache-2.0
// Most stages of a pipeline are like another one: what one holds and costs need not be found again for the next.
#pragma once

#include "engine/layout/model_shape.h"

namespace shardlab::layout {

/// Whether two stages hold the same parameters and compute the same, each for its own layers.
bool alike(const ModelSpec& model, const StageShape& one, const StageShape& other);

}  // namespace shardlab::layout
