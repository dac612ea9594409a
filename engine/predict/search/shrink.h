// SPDX-License-Identifier: Apache-2.0
// Shrink to this machine: a design for machines that are not at hand gets a twin that trains here and whose step has
// the same shape.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"
#include "engine/predict/search/nearest_legal.h"

#include <vector>

namespace shardlab::predict {

/// The layout's ranks compute on processors of this machine, and together need no more memory than it has.
bool trainsHere(const Layout& layout);

struct ShrunkLayout {
    Layout layout;                     ///< legal, of this machine, and paced as the design's devices
    std::vector<FieldChange> changes;  ///< from the design to it, in the order of the layout file
};

/// The twin of a legal layout: the same kinds of model, schedule, optimizer, formats and exchanges, and of all that has
/// a size less. It has as many pipeline ranks, at most 8; as many chunks, where that makes no more than 32 stages; as
/// many microbatches for each pipeline rank, at most 8. Of the degrees beside the pipeline the smaller factors go
/// first, and a product of 8 at most is left, with a pipeline of 4 or more one of 2. A layer or two make a stage. Data
/// are generated. A layout that trains here is its own twin.
/// Errors: an order written by hand for more pipeline ranks than that; a layout of which no twin is legal.
Result<ShrunkLayout> shrinkToThisMachine(const Layout& layout);

}  // namespace shardlab::predict
