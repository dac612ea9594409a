// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"
#include "engine/layout/layer_part.h"

#include <functional>

namespace shardlab::train {

/// Hears of each part of a layer that a stage has done of a forward or backward, in their order; may be empty.
using LayerObserver = std::function<void(const LayerDone&)>;

}  // namespace shardlab::train
