// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/recompute.h"

#include <algorithm>
#include <cmath>

namespace shardlab::layout {
namespace {

/// The parts that a word stands for.
WordSet<RecomputePart> partsOf(const MemorySpec& memory) {
    using enum RecomputePart;
    switch (memory.recompute) {
    case RecomputeKind::Selective: return {Core};
    case RecomputeKind::Latent: return {Heads};
    case RecomputeKind::Pointwise: return {Norms, Activations};
    case RecomputeKind::Mlp: return {FeedForward, Experts};
    case RecomputeKind::Parts: return memory.recomputeParts;
    default: return {};
    }
}

/// Blocks of a segment; 0: there are no segments.
int segmentLength(const MemorySpec& memory, int blocks) {
    switch (memory.recompute) {
    case RecomputeKind::Full:
    case RecomputeKind::Operations: return 1;
    case RecomputeKind::Every: return std::max(1, memory.recomputeEvery);
    case RecomputeKind::Sqrt: return std::max(1, static_cast<int>(std::lround(std::sqrt(blocks))));
    default: return recomputesSecondHalves(memory) ? 1 : 0;
    }
}

}  // namespace

bool recomputes(const MemorySpec& memory, RecomputePart part) { return partsOf(memory).has(part); }
bool recomputesCore(const MemorySpec& memory) { return recomputes(memory, RecomputePart::Core); }
bool recomputesSecondHalves(const MemorySpec& memory) {
    return recomputes(memory, RecomputePart::FeedForward) || recomputes(memory, RecomputePart::Experts);
}
bool recomputesHeads(const MemorySpec& memory) { return recomputes(memory, RecomputePart::Heads); }
void recomputeParts(const ModelSpec& model, WordSet<RecomputePart> parts, MemorySpec& memory) {
    using enum RecomputeKind;
    memory.recomputeParts = {};
    if (parts.empty()) {
        memory.recompute = None;
        return;
    }
    // The part that no block has goes with the other, where a word then says both.
    const bool experts = hasBlocks(model, true), dense = hasBlocks(model, false);
    if (!experts && parts.has(RecomputePart::FeedForward)) parts.set(RecomputePart::Experts, true);
    if (!dense && parts.has(RecomputePart::Experts)) parts.set(RecomputePart::FeedForward, true);
    for (const RecomputeKind kind : {Selective, Latent, Pointwise, Mlp}) {
        memory.recompute = kind;
        if (partsOf(memory) == parts) return;
    }
    if (!experts) parts.set(RecomputePart::Experts, false);
    if (!dense) parts.set(RecomputePart::FeedForward, false);
    memory.recompute = Parts;
    memory.recomputeParts = parts;
}
bool keepsExchangedHeads(const Layout& layout) {
    return exchangesHeads(layout) && !recomputesCore(layout.memory) && !recomputesHeads(layout.memory);
}
bool exchangesHeadsAgain(const Layout& layout) {
    return exchangesHeads(layout) && recomputesHeads(layout.memory) && !recomputesCore(layout.memory);
}
bool recomputesOperations(const MemorySpec& memory) { return memory.recompute == RecomputeKind::Operations; }
bool makesHalvesAgain(const MemorySpec& memory, int tensor) { return recomputesOperations(memory) && tensor == 1; }

int lossPieces(const Layout& layout) { return readsImages(layout.model) ? 1 : layout.memory.lossPieces; }
std::int64_t mostLossPieces(const Layout& layout) {
    return std::int64_t{layout.batch.micro} * (layout.model.sequence / std::max(1, layout.parallel.context));
}
bool makesLogitsOnce(const Layout& layout) { return layout.parallel.zero < 2 && !layout.parallel.sequence; }

bool hasSegments(const MemorySpec& memory) { return segmentLength(memory, 1) > 0; }

bool recomputesBlock(const ModelSpec& model, const MemorySpec& memory, const StageShape& stage, int block) {
    if (memory.recomputeBlocks > 0 && block >= memory.recomputeBlocks) return false;
    if (!recomputesSecondHalves(memory)) return hasSegments(memory);
    return recomputes(memory, hasExperts(model, stage.firstLayer + block) ? RecomputePart::Experts
                                                                          : RecomputePart::FeedForward);
}

PointwiseAgain pointwiseAgain(const ModelSpec& model, const MemorySpec& memory, bool recomputesBlock) {
    const int halves = layersOfBlock(model) - (recomputesBlock ? 1 : 0);
    return {.norms = recomputes(memory, RecomputePart::Norms) ? halves : 0,
            .activation = recomputes(memory, RecomputePart::Activations) && !recomputesBlock};
}

std::vector<RecomputedBlocks> recomputedBlocks(const ModelSpec& model, const MemorySpec& memory,
                                               const StageShape& stage) {
    const int covered = memory.recomputeBlocks > 0 ? std::min(memory.recomputeBlocks, stage.layers) : stage.layers;
    const int length = segmentLength(memory, covered);
    const int others = (recomputesCore(memory) ? 1 : 0) + (recomputesHeads(memory) ? 1 : 0);
    std::vector<RecomputedBlocks> all;
    for (int block = 0; block < stage.layers;) {
        const bool again = recomputesBlock(model, memory, stage, block);
        const PointwiseAgain pointwise = pointwiseAgain(model, memory, again);
        const int blocks = again ? std::min(length, covered - block) : 1;
        // A half with both makes them again in one go.
        const int ofPointwise = pointwise.norms > 0 ? pointwise.norms : pointwise.activation ? 1 : 0;
        all.push_back({block, blocks, again, (again ? 1 : 0) + others + ofPointwise});
        block += blocks;
    }
    return all;
}

bool partitionsInputs(const MemorySpec& memory, const ParallelSpec& parallel) {
    return memory.partitionActivations && parallel.tensor > 1 && !parallel.sequence && !recomputesOperations(memory) &&
           hasSegments(memory);
}

std::vector<int> layerSegments(const ModelSpec& model, const MemorySpec& memory, const StageShape& stage) {
    const int kept = recomputesSecondHalves(memory) ? layersOfBlock(model) - 1 : 0;
    std::vector<int> lowest;
    if (embeds(model, stage)) lowest.push_back(-1);
    for (const RecomputedBlocks& part : recomputedBlocks(model, memory, stage)) {
        const auto layers = static_cast<std::size_t>(part.blocks * layersOfBlock(model) - kept);
        lowest.insert(lowest.end(), static_cast<std::size_t>(kept), -1);
        lowest.insert(lowest.end(), layers, part.segment ? static_cast<int>(lowest.size()) : -1);
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
