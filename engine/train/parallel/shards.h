// SPDX-License-Identifier: Apache-2.0
// ZeRO (arXiv 1910.02054): the shards that one data replica keeps of a stage, and where its layers find the rest while
// they need it. This file decides which memory belongs to what; the caller moves data between replicas.
#pragma once

#include "engine/layout/flat_units.h"
#include "engine/train/model/stage.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace shardlab::train {

/// Memory that the gradients of all stages of a rank use in turn (flat_units.h: SlotSizes), of category Buffers.
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

/// Memory for the gathered weights of all stages of a rank (flat_units.h: gatherRoom), of category Buffers.
class GatherRoom {
public:
    GatherRoom() = default;
    GatherRoom(std::int64_t turns, std::int64_t staying, Arena& arena, DType type);
    /// To be called where an action begins: nothing is in use any more.
    void clear() { group_ = -1; }
    ArraySpan place(const UnitGather& gather);

private:
    Buffer turns_, staying_;
    int group_ = -1;  ///< the group that was placed last
    bool atEnd_ = false;
    std::size_t taken_ = 0;  ///< elements that this group has taken, from its end
};

/// Calls `visit(parameter index, its first element within the unit, where the piece begins within it, elements)` for
/// each parameter of which the unit's range [begin, end) holds a piece; the range counts a stage's flat parameters.
void visitPieces(std::span<const Parameter> parameters, std::int64_t begin, std::int64_t end,
                 const std::function<void(std::size_t, std::int64_t, std::int64_t, std::int64_t)>& visit);

/// The flat units of a stage's parameters.
std::vector<FlatUnit> unitsOf(const ParallelSpec& parallel, std::span<const Parameter> parameters);

class StageShards {
public:
    /// For `parallel.zero` ≥ 1. Allocates the shards that the stage does not hold itself (categories Parameters and
    /// Gradients) and initialises the weights in them. `host`: where those of ZeRO 3's weights lie instead of in
    /// `arena`; may be null.
    StageShards(Stage& stage, const ParallelSpec& parallel, int replica, Arena& arena, Arena* host = nullptr);

    /// What this replica updates: one Parameter, with its flatBegin, for each piece of a weight in the shards.
    std::span<Parameter> owned() { return owned_; }

    /// Where the values of owned() lie: on the stage's device, or on its host.
    Device& valuesDevice() const { return host_ ? host_->device() : device(); }
    bool onHost() const { return host_ != nullptr; }

    /// The units in the order in which their gradients become final.
    const std::vector<FlatUnit>& reduced() const { return reduced_; }

    /// Memory of a whole unit, into which this replica's part is copied for a gather unless it lies on the host. The
    /// unit's parameters are bound to it (ZeRO 3).
    ArraySpan gatherInto(const FlatUnit& unit, ArraySpan slot);
    /// This replica's part of a unit's values (ZeRO 3).
    ArraySpan ownValues(const FlatUnit& unit) const { return shardOf(values_.span(), unit); }
    /// A whole unit's values, which always lie together with ZeRO 1 and 2.
    ArraySpan values(const FlatUnit& unit) { return blockPart(stage_.parameterBlock(), unit); }
    /// Zeroes the memory of a unit's whole gradient and binds the parameters' gradients to it (ZeRO 2, 3).
    ArraySpan bindGradient(const FlatUnit& unit, ArraySpan slot);
    /// Where a unit's gradient lies now.
    ArraySpan gradient(const FlatUnit& unit);
    /// Adds this replica's part of a unit's summed gradient to the shard. With ZeRO 1 it lies there already.
    void keepGradient(const FlatUnit& unit, ConstArraySpan whole);
    /// The other way round, before the last sum of a step: adds what the shard has to this replica's part of `whole`,
    /// and clears the shard.
    void returnGradient(const FlatUnit& unit, ArraySpan whole);
    /// This replica's part of a whole unit.
    ArraySpan ownPart(const FlatUnit& unit, ArraySpan whole) const;
    void zeroGradients();

private:
    static ArraySpan blockPart(ArraySpan block, const FlatUnit& unit) {
        return block.subspan(static_cast<std::size_t>(unit.begin), static_cast<std::size_t>(unit.size));
    }
    /// The part of `shards` that belongs to `unit`, one of reduced_.
    ArraySpan shardOf(ArraySpan shards, const FlatUnit& unit) const;
    std::size_t numberOf(const FlatUnit& unit) const;  ///< in reduced_
    /// Makes the parameters of the unit lie in `whole`, or their gradients.
    void bind(const FlatUnit& unit, ArraySpan whole, ArraySpan Parameter::*what);
    void startValues();
    void own(const FlatUnit& unit);

    Device& device() const { return stage_.arena().device(); }

    Stage& stage_;
    Arena* host_;  ///< null: all lies on the device
    int zero_;
    int replicas_;  ///< that share a copy
    int replica_;   ///< this one's number among them
    std::vector<FlatUnit> units_, reduced_;
    std::vector<std::int64_t> shardBegin_;  ///< by unit of reduced_, its first element within the shards
    Buffer values_, gradients_;
    std::vector<ArraySpan> bound_;  ///< by unit of reduced_, its gradient with ZeRO 2 and 3
    std::vector<Parameter> owned_;
};

}  // namespace shardlab::train
