// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/layout.h"

namespace shardlab::predict {

/// A model of the same kind and with the same parts, `layers` deep, that processor cores compute in milliseconds a
/// layer, and whose heads, columns and experts can be shared out as `parallel` says.
ModelSpec smallModel(const ModelSpec& model, const ParallelSpec& parallel, int layers);

}  // namespace shardlab::predict
