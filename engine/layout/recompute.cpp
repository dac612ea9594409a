// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/recompute.h"

#include <algorithm>
#include <cmath>

namespace shardlab::layout {
namespace {

/// Blocks of a segment; 0: there are no segments.
int segmentLength(const MemorySpec& memory, int blocks) {
    switch (memory.recompute) {
    case RecomputeKind::Full:
    case RecomputeKind::Operations:
    case RecomputeKind::Mlp: return 1;
    case RecomputeKind::Every: return std::max(1, memory.recomputeEvery);
    case RecomputeKind::Sqrt: return std::max(1, static_cast<int>(std::lround(std::sqrt(blocks))));
    case RecomputeKind::None:
    case RecomputeKind::Selective:
    case RecomputeKind::Latent:
    case RecomputeKind::Pointwise: return 0;
    }
    return 0;
}

}  // namespace

bool recomputesCore(const MemorySpec& memory) { return memory.recompute == RecomputeKind::Selective; }
bool recomputesSecondHalves(const MemorySpec& memory) { return memory.recompute == RecomputeKind::Mlp; }
bool recomputesHeads(const MemorySpec& memory) { return memory.recompute == RecomputeKind::Latent; }
bool keepsExchangedHeads(const Layout& layout) { return exchangesHeads(layout) && !recomputesCore(layout.memory); }
bool recomputesPointwise(const MemorySpec& memory) { return memory.recompute == RecomputeKind::Pointwise; }
bool recomputesOperations(const MemorySpec& memory) { return memory.recompute == RecomputeKind::Operations; }
bool makesHalvesAgain(const MemorySpec& memory, int tensor) { return recomputesOperations(memory) && tensor == 1; }

int recomputedParts(const ModelSpec& model, const MemorySpec& memory) {
    if (recomputesPointwise(memory)) return layersOfBlock(model);
    return recomputesCore(memory) || recomputesHeads(memory) ? 1 : 0;
}

std::vector<int> recomputeSegments(const MemorySpec& memory, int blocks) {
    blocks = recomputedBlocks(memory, blocks);
    const int length = segmentLength(memory, blocks);
    std::vector<int> segments;
    if (length == 0) return segments;
    for (int begin = 0; begin < blocks; begin += length) segments.push_back(std::min(length, blocks - begin));
    return segments;
}

int recomputedBlocks(const MemorySpec& memory, int blocks) {
    if (segmentLength(memory, blocks) == 0) return 0;
    return memory.recomputeBlocks > 0 ? std::min(memory.recomputeBlocks, blocks) : blocks;
}

bool partitionsInputs(const MemorySpec& memory, const ParallelSpec& parallel) {
    return memory.partitionActivations && parallel.tensor > 1 && !parallel.sequence && !recomputesOperations(memory) &&
           segmentLength(memory, 1) > 0;
}

std::vector<int> layerSegments(const ModelSpec& model, const MemorySpec& memory, const StageShape& stage) {
    const int kept = recomputesSecondHalves(memory) ? layersOfBlock(model) - 1 : 0;
    std::vector<int> lowest;
    if (embeds(model, stage)) lowest.push_back(-1);
    for (const int blocks : recomputeSegments(memory, stage.layers)) {
        const auto layers = static_cast<std::size_t>(blocks * layersOfBlock(model) - kept);
        lowest.insert(lowest.end(), static_cast<std::size_t>(kept), -1);
        lowest.insert(lowest.end(), layers, static_cast<int>(lowest.size()));
    }
    const auto layers = static_cast<std::size_t>((embeds(model, stage) ? 1 : 0) + stage.layers * layersOfBlock(model));
    lowest.resize(layers + (stage.last ? 1 : 0), -1);
    return lowest;
}

bool endsSegment(const std::vector<int>& layerSegments, int layer) {
    const auto i = static_cast<std::size_t>(layer);
    return layerSegments[i] >= 0 && (i + 1 == layerSegments.size() || layerSegments[i + 1] != layerSegments[i]);
}

}  // namespace shardlab::layout
