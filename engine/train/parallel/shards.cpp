// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/shards.h"

#include "engine/layout/mesh/copies.h"
#include "engine/train/model/host_copy.h"

#include <algorithm>
#include <stdexcept>

namespace shardlab::train {
namespace {

std::int64_t extent(const Parameter& parameter) {
    std::int64_t size = 1;
    for (const int each : parameter.shape) size *= each;
    return size;
}

/// Where each parameter begins in a stage's flat memory: those of spread experts lie behind all others.
std::vector<std::int64_t> flatBegins(std::span<const Parameter> parameters) {
    std::vector<std::int64_t> begins(parameters.size());
    std::int64_t offset = 0;
    for (const bool experts : {false, true})
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (parameters[i].expert != experts) continue;
            begins[i] = offset;
            offset += extent(parameters[i]);
        }
    return begins;
}

template <class Span>
Span piece(Span whole, std::int64_t begin, std::int64_t size) {
    return whole.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
}

}  // namespace

void visitPieces(std::span<const Parameter> parameters, std::int64_t begin, std::int64_t end,
                 const std::function<void(std::size_t, std::int64_t, std::int64_t, std::int64_t)>& visit) {
    const std::vector<std::int64_t> offsets = flatBegins(parameters);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::int64_t from = std::max(begin, offsets[i]), to = std::min(end, offsets[i] + extent(parameters[i]));
        if (from < to) visit(i, from - begin, from - offsets[i], to - from);
    }
}

LayerSlots::LayerSlots(const SlotSizes& sizes, Arena& arena, DType type) {
    for (Buffer& turn : turns_)
        turn = arena.allocate(MemoryCategory::Buffers, static_cast<std::size_t>(sizes.turn), type);
    staying_ = arena.allocate(MemoryCategory::Buffers, static_cast<std::size_t>(sizes.staying), type);
}

GatherRoom::GatherRoom(std::int64_t turns, std::int64_t staying, Arena& arena, DType type)
    : turns_(arena.allocate(MemoryCategory::Buffers, static_cast<std::size_t>(turns), type)),
      staying_(arena.allocate(MemoryCategory::Buffers, static_cast<std::size_t>(staying), type)) {}

ArraySpan GatherRoom::place(const UnitGather& gather) {
    if (gather.group != group_) {
        group_ = gather.group;
        atEnd_ = !atEnd_;
        taken_ = 0;
    }
    if (gather.unit.staysBetweenLayers()) return staying_.span();
    const ArraySpan room = turns_.span();
    const auto size = static_cast<std::size_t>(gather.unit.size);
    taken_ += size;
    return room.subspan(atEnd_ ? room.size() - taken_ : taken_ - size, size);
}

std::vector<FlatUnit> unitsOf(const ParallelSpec& parallel, std::span<const Parameter> parameters) {
    std::vector<FlatUnit> units;
    std::int64_t offset = 0;
    bool closed = true;
    for (const Parameter& parameter : parameters) {
        if (parameter.expert) continue;
        const bool table = parameter.name == "wte.weight" || parameter.name == "lm_head.weight";
        const bool alone = table || parameter.name == "wpe.weight";
        const bool same = !units.empty() && !closed && !alone && units.back().lowestLayer == parameter.lowestLayer;
        if (!same) units.push_back({parameter.lowestLayer, parameter.highestLayer, offset, 0, table});
        units.back().size += extent(parameter);
        units.back().most += largestPart(parameter.slice);
        offset += extent(parameter);
        closed = alone;
    }
    for (const Parameter& parameter : parameters) {
        if (!parameter.expert) continue;
        const bool same = units.back().spread > 1 && units.back().lowestLayer == parameter.lowestLayer;
        if (!same)
            units.push_back(
                {parameter.lowestLayer, parameter.highestLayer, offset, 0, false, -1, expertSpread(parallel)});
        units.back().size += extent(parameter);
        units.back().most += largestPart(parameter.slice);
        offset += extent(parameter);
    }
    giveOwners(parallel, units);
    return units;
}

StageShards::StageShards(Stage& stage, const ParallelSpec& parallel, int replica, Arena& arena, Arena* host)
    : stage_(stage), host_(host), zero_(parallel.zero), replicas_(replicasOfCopy(parallel)),
      replica_(numberInCopy(parallel, replica)), units_(unitsOf(parallel, stage.parameters())),
      reduced_(reductionUnits(parallel, units_, sizeOf(stage.types().gradients))), bound_(reduced_.size()) {
    std::int64_t total = 0;
    for (const FlatUnit& unit : reduced_) {
        shardBegin_.push_back(total);
        total += partSize(unit, replica_, replicas_);
    }
    if (zero_ >= 3) {
        values_ = (host ? *host : arena)
                      .allocate(MemoryCategory::Parameters, static_cast<std::size_t>(total), stage.types().weights);
        startValues();
    }
    if (zero_ >= 2)
        gradients_ =
            arena.allocateZeroed(MemoryCategory::Gradients, static_cast<std::size_t>(total), stage.types().gradients);
    for (const FlatUnit& unit : reduced_) own(unit);
}

ArraySpan StageShards::shardOf(ArraySpan shards, const FlatUnit& unit) const {
    return piece(shards, shardBegin_[numberOf(unit)], partSize(unit, replica_, replicas_));
}

std::size_t StageShards::numberOf(const FlatUnit& unit) const {
    const auto found = std::ranges::find(reduced_, unit);
    if (found == reduced_.end()) throw std::logic_error("the stage has no such unit");
    return static_cast<std::size_t>(found - reduced_.begin());
}

void StageShards::startValues() {
    const std::span<Parameter> parameters = stage_.parameters();
    std::vector<float> whole;
    const std::vector<std::int64_t> offsets = flatBegins(parameters);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::int64_t offset = offsets[i];
        whole.resize(static_cast<std::size_t>(extent(parameters[i])));
        stage_.initialise(i, whole);
        for (const FlatUnit& unit : reduced_) {
            const std::int64_t begin = unit.begin + partBegin(unit, replica_, replicas_);
            const std::int64_t from = std::max(begin, offset);
            const std::int64_t to =
                std::min(begin + partSize(unit, replica_, replicas_), offset + static_cast<std::int64_t>(whole.size()));
            if (from >= to) continue;
            upload(valuesDevice(), piece(std::span<const float>(whole), from - offset, to - from),
                   piece(shardOf(values_.span(), unit), from - begin, to - from));
        }
    }
}

void StageShards::own(const FlatUnit& unit) {
    const std::int64_t skip = partBegin(unit, replica_, replicas_), size = partSize(unit, replica_, replicas_);
    const ArraySpan values =
        zero_ >= 3 ? shardOf(values_.span(), unit) : piece(blockPart(stage_.parameterBlock(), unit), skip, size);
    const ArraySpan gradients =
        zero_ >= 2 ? shardOf(gradients_.span(), unit) : piece(blockPart(stage_.gradientBlock(), unit), skip, size);
    const std::int64_t begin = unit.begin + skip;
    visitPieces(stage_.parameters(), begin, begin + size,
                [&](std::size_t i, std::int64_t at, std::int64_t flatBegin, std::int64_t count) {
                    Parameter owned = stage_.parameters()[i];
                    owned.flatBegin = flatBegin;
                    owned.value = piece(values, at, count);
                    owned.gradient = piece(gradients, at, count);
                    owned_.push_back(std::move(owned));
                });
}

void StageShards::bind(const FlatUnit& unit, ArraySpan whole, ArraySpan Parameter::*what) {
    visitPieces(stage_.parameters(), unit.begin, unit.end(),
                [&](std::size_t i, std::int64_t at, std::int64_t, std::int64_t count) {
                    stage_.parameters()[i].*what = piece(whole, at, count);
                });
}

ArraySpan StageShards::gatherInto(const FlatUnit& unit, ArraySpan slot) {
    const ArraySpan whole = piece(slot, 0, unit.size);
    const ArraySpan own = ownValues(unit);
    if (!own.empty() && !host_) device().copy(own.data().data, ownPart(unit, whole).data().data, own.bytes().size());
    bind(unit, whole, &Parameter::value);
    return whole;
}

ArraySpan StageShards::bindGradient(const FlatUnit& unit, ArraySpan slot) {
    const ArraySpan whole = piece(slot, 0, unit.size);
    device().clear(whole.data().data, whole.bytes().size());
    bound_[numberOf(unit)] = whole;
    bind(unit, whole, &Parameter::gradient);
    return whole;
}

ArraySpan StageShards::gradient(const FlatUnit& unit) {
    if (zero_ < 2) return blockPart(stage_.gradientBlock(), unit);
    return bound_[numberOf(unit)];
}

void StageShards::keepGradient(const FlatUnit& unit, ConstArraySpan whole) {
    if (zero_ < 2) return;
    const ArraySpan shard = shardOf(gradients_.span(), unit);
    if (shard.empty()) return;
    device().add(static_cast<std::int64_t>(shard.size()), whole.data() + partBegin(unit, replica_, replicas_),
                 shard.data());
}

void StageShards::returnGradient(const FlatUnit& unit, ArraySpan whole) {
    if (zero_ < 2) return;
    const ArraySpan shard = shardOf(gradients_.span(), unit);
    if (shard.empty()) return;
    device().add(static_cast<std::int64_t>(shard.size()), shard.data(), ownPart(unit, whole).data());
    device().clear(shard.data().data, shard.bytes().size());
}

ArraySpan StageShards::ownPart(const FlatUnit& unit, ArraySpan whole) const {
    return piece(whole, partBegin(unit, replica_, replicas_), partSize(unit, replica_, replicas_));
}

void StageShards::zeroGradients() {
    if (zero_ < 2) return stage_.zeroGradients();
    device().clear(gradients_.data().data, gradients_.span().bytes().size());
}

}  // namespace shardlab::train
