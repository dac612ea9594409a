// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/alike_stages.h"

namespace shardlab::layout {

bool alike(const ModelSpec& model, const StageShape& one, const StageShape& other) {
    StageShape moved = one;
    moved.firstLayer = other.firstLayer;
    if (moved != other || evenLayers(model)) return moved == other;
    for (int i = 0; i < one.layers; ++i)
        if (!sameShapes(model, one.firstLayer + i, other.firstLayer + i)) return false;
    return true;
}

}  // namespace shardlab::layout
