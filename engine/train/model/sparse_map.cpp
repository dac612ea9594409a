// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/sparse_map.h"

#include "engine/layout/kept_activations.h"
#include "engine/train/model/packed_map.h"

namespace shardlab::train {

namespace {

std::int32_t* beginsOf(const Buffer& buffer) { return static_cast<std::int32_t*>(buffer.data().data); }

}  // namespace

SparseMap::SparseMap(const LayerContext& context, Buffer& map) : size_(static_cast<std::int64_t>(map.size())) {
    if (sparseBeginBytes(size_) == 0) return;
    const auto rows = static_cast<std::size_t>(sparseRows(size_));
    Buffer begins = context.arena.allocate(MemoryCategory::Activations, rows + 1, DType::I32);
    Device& device = context.device();
    device.countNonzeros(size_, map.data(), beginsOf(begins));
    std::int32_t nonzeros = 0;
    device.download(beginsOf(begins) + rows, &nonzeros, sizeof nonzeros);
    if (sparseMapBytes(size_, nonzeros, static_cast<std::int64_t>(sizeOf(map.type()))) == 0) return;
    nonzeros_ = nonzeros;
    begins_ = std::move(begins);
    packed_ = context.arena.allocateVarying(MemoryCategory::Activations,
                                            static_cast<std::size_t>(sparseBytes(nonzeros_, map.type())), DType::U8);
    device.packNonzeros(size_, nonzeros_, map.data(), beginsOf(begins_), codesOf(packed_));
    map = {};
}

void SparseMap::visit(const KeptVisitor& visit) {
    visit(begins_);
    visit(packed_);
}

std::int64_t SparseMap::bytes() const {
    return static_cast<std::int64_t>(begins_.span().bytes().size() + packed_.span().bytes().size());
}

Buffer SparseMap::unpack(const LayerContext& context) const {
    Buffer map = context.allocate(MemoryCategory::Activations, static_cast<std::size_t>(size_));
    context.device().unpackNonzeros(size_, nonzeros_, beginsOf(begins_), codesOf(packed_), map.data());
    return map;
}

}  // namespace shardlab::train
