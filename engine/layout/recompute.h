// SPDX-License-Identifier: Apache-2.0
// Which activations a stage's backward computes again instead of keeping them from the forward (1604.06174).
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <vector>

namespace shardlab {

/// selective: of every attention only its core, the probabilities, which is most of the memory and little of the work
/// (2205.05198).
bool recomputesCore(const MemorySpec& memory);

/// Blocks of each segment of a stage of `blocks`, from the lowest. A segment keeps its input alone; its backward begins
/// with its forward. full: 1 each; every: recomputeEvery; sqrt: the root of `blocks`, rounded, where the inputs and one
/// segment together are fewest. The last may be shorter. Empty: nothing is cut.
std::vector<int> recomputeSegments(const MemorySpec& memory, int blocks);

/// Each member of a tensor group keeps its part of a segment's input, and gathers the others' before it computes the
/// segment again (ZeRO-R's partitioned activation checkpoints, 1910.02054). Where tokens are split the input is the
/// member's own already; where no segment is kept there is nothing to share out.
bool partitionsInputs(const MemorySpec& memory, const ParallelSpec& parallel);

/// By layer of a stage (its embedding, the layers of its blocks, its output): the lowest of the segment that it is
/// computed again with; -1: it is not.
std::vector<int> layerSegments(const ModelSpec& model, const MemorySpec& memory, const StageShape& stage);
/// Whether `layer` is the highest of a segment.
bool endsSegment(const std::vector<int>& layerSegments, int layer);

}  // namespace shardlab
