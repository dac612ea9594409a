// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/block_parts.h"
#include "engine/layout/context_split.h"
#include "engine/train/model/arena.h"
#include "engine/train/model/context_group.h"
#include "engine/train/model/expert_group.h"
#include "engine/train/model/fp8_products.h"
#include "engine/train/model/parameter_set.h"
#include "engine/train/model/recompute.h"
#include "engine/train/model/tensor_group.h"
#include "engine/train/model/types.h"

namespace shardlab::train {

/// What the layers of a stage have in common; it outlives them.
struct LayerContext {
    ParameterSet& set;
    Arena& arena;
    TensorGroup& tensor;
    int samples = 1;   ///< samples of a microbatch: b
    int sequence = 1;  ///< tokens of a sample that this rank has: s, or s/c in a context group
    int hidden = 1;    ///< h
    double dropout = 0;
    std::int64_t seed = 1;
    Types types = {};
    Recompute recompute = {};
    ContextGroup* context = nullptr;  ///< null where no ranks share the tokens of a sample
    ExpertGroup* experts = nullptr;   ///< null where no other replica has other experts
    BlockParts parts = {};            ///< those of a gpt where nothing else is said
    Fp8Products* fp8 = nullptr;       ///< null where products read the format of activations
    int folds = 1;                    ///< parts of the tensor group that hold different experts (mesh/folding.h)

    Device& device() const { return arena.device(); }
    /// Allocates activations or their gradients.
    Buffer allocate(MemoryCategory category, std::size_t elements) const {
        return arena.allocate(category, elements, types.activations);
    }
    int tokens() const { return samples * sequence; }
    /// Ranks that share the tokens of a sample, and the tokens of a sample that they have together.
    int sharers() const { return context ? context->size() : 1; }
    int wholeSequence() const { return sequence * sharers(); }
    /// Where those of the member `sharer` lie in a sample.
    RowPositions positionsOf(int sharer) const {
        const auto runs = contextRuns(wholeSequence(), sharers(), sharer);
        return {runs[0].first, runs[0].count, runs[1].first};
    }
    int ownTokens() const { return tensor.ownTokens(tokens()); }
    std::size_t ownSize() const { return static_cast<std::size_t>(ownTokens()) * static_cast<std::size_t>(hidden); }
    std::size_t allSize() const { return static_cast<std::size_t>(tokens()) * static_cast<std::size_t>(hidden); }
};

}  // namespace shardlab::train
