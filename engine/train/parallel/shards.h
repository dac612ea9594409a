// SPDX-License-Identifier: Apache-2.0
// ZeRO (arXiv 1910.02054): what one data replica keeps of a stage, and where its layers find the rest while they need
// it. Knows which memory is whose; what moves between replicas is the caller's business.
#pragma once

#include "engine/layout/flat_units.h"
#include "engine/train/model/stage.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardlab {

/// Memory that the gradients of all stages of a rank take in turn (flat_units.h: SlotSizes), of category Buffers.
class LayerSlots {
public:
    LayerSlots() = default;
    LayerSlots(const SlotSizes& sizes, Arena& arena, DType type);
    ArraySpan turn(std::size_t which) const { return turns_[which].span(); }
    ArraySpan staying() const { return staying_.span(); }

private:
    Buffer turns_[2];
    Buffer staying_;
};

/// Memory for weights that are gathered, of all stages of a rank (flat_units.h: gatherRoom), of category Buffers.
class GatherRoom {
public:
    GatherRoom() = default;
    GatherRoom(std::int64_t turns, std::int64_t staying, Arena& arena, DType type);
    /// An action begins: nothing is in use.
    void clear() { group_ = -1; }
    ArraySpan place(const UnitGather& gather);

private:
    Buffer turns_, staying_;
    int group_ = -1;  ///< that was placed last
    bool atEnd_ = false;
    std::size_t taken_ = 0;  ///< by it, from its end
};

/// Of a stage's parameters: a layer's weights each by its extent. Embeddings and output by weight.
std::vector<FlatUnit> unitsOf(const ParallelSpec& parallel, std::span<const Parameter> parameters);

class StageShards {
public:
    /// `parallel.zero` ≥ 1. Allocates the shards that the stage does not hold itself (Parameters, Gradients) and starts
    /// the weights in them.
    StageShards(Stage& stage, const ParallelSpec& parallel, int replica, Arena& arena);

    /// What this replica updates: a Parameter for each piece of a weight in its shards, flatBegin and all.
    std::span<Parameter> owned() { return owned_; }

    /// In the order in which gradients become final.
    const std::vector<FlatUnit>& reduced() const { return reduced_; }

    /// Memory of a whole unit, the own part in it filled in for a gather; its parameters are bound to it (ZeRO 3), or
    /// it is where they always lie (ZeRO 1, 2).
    ArraySpan gatherInto(const FlatUnit& unit, ArraySpan slot);
    ArraySpan values(const FlatUnit& unit) { return blockPart(stage_.parameterBlock(), unit); }
    /// Memory of a unit's whole gradient, zeroed and bound (ZeRO 2, 3).
    ArraySpan bindGradient(const FlatUnit& unit, ArraySpan slot);
    /// Where a unit's gradient lies now.
    ArraySpan gradient(const FlatUnit& unit);
    /// Adds the own part of a unit's summed gradient to the shard; nothing to do where that is its place (ZeRO 1).
    void keepGradient(const FlatUnit& unit, ConstArraySpan whole);
    void zeroGradients();

private:
    static ArraySpan blockPart(ArraySpan block, const FlatUnit& unit) {
        return block.subspan(static_cast<std::size_t>(unit.begin), static_cast<std::size_t>(unit.size));
    }
    /// Of `shards`, the part of `unit`, a member of reduced_.
    ArraySpan shardOf(ArraySpan shards, const FlatUnit& unit) const;
    void startValues();
    void own(const FlatUnit& unit);

    Device& device() const { return stage_.arena().device(); }

    Stage& stage_;
    int zero_;
    int replicas_;
    int replica_;
    std::vector<FlatUnit> units_, reduced_;
    std::vector<std::int64_t> shardBegin_;  ///< of reduced_ within the shards
    Buffer values_, gradients_;
    std::vector<ArraySpan> bound_;  ///< gradients of reduced_, ZeRO 2 and 3
    std::vector<Parameter> owned_;
};

}  // namespace shardlab
