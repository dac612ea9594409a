// SPDX-License-Identifier: Apache-2.0
// What stage_buffers.h says, of a stage of a cnn.
#pragma once

#include "engine/predict/plan/stage_buffers.h"

namespace shardlab::predict {

StageBuffers cnnStageBuffers(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours);

}  // namespace shardlab::predict
