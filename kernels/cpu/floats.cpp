// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/floats.h"

#include "kernels/cpu/convert.h"

#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace shardlab::kernels::cpu {

namespace {

struct Free {
    void operator()(float* block) const { std::free(block); }
};

/// The n-th block serves the n-th living Scratch, and keeps the largest size that it has had.
struct Blocks {
    struct Block {
        std::unique_ptr<float, Free> data;
        std::size_t floats = 0;
    };
    std::vector<Block> blocks;
    std::size_t taken = 0;
};

thread_local Blocks ownBlocks;

bool isCopied(ConstArray array) { return array && array.type != DType::F32; }

std::size_t copied(ConstArray array, std::int64_t rows, std::int64_t columns) {
    return isCopied(array) ? static_cast<std::size_t>(rows * columns) : 0;
}

}  // namespace

Scratch::Scratch(std::size_t floats) {
    if (floats == 0) return;
    if (ownBlocks.taken == ownBlocks.blocks.size()) ownBlocks.blocks.emplace_back();
    Blocks::Block& block = ownBlocks.blocks[ownBlocks.taken];
    if (block.floats < floats) {
        const std::size_t whole = (floats + 1023) / 1024 * 1024;
        block.data.reset();
        block.data.reset(static_cast<float*>(std::aligned_alloc(64, whole * sizeof(float))));
        block.floats = block.data ? whole : 0;
        if (!block.data) throw std::bad_alloc();
    }
    ++ownBlocks.taken;
    data_ = block.data.get();
}

Scratch::~Scratch() {
    if (data_) --ownBlocks.taken;
}

ConstFloats::ConstFloats(ConstArray array, std::int64_t rows, std::int64_t columns, std::int64_t stride)
    : scratch_(copied(array, rows, columns)),
      data_(isCopied(array) ? scratch_.data() : static_cast<const float*>(array.data)),
      stride_(static_cast<int>(isCopied(array) ? columns : stride)) {
    if (scratch_.data()) toFloats(rows, columns, array, stride, scratch_.data(), columns);
}

Factor::Factor(ConstArray array, std::int64_t rows, std::int64_t columns, std::int64_t stride, DType type)
    : scratch_(array.type == type ? 0 : static_cast<std::size_t>(rows * columns)),
      array_(array.type == type ? array : ConstArray(scratch_.data(), type)),
      stride_(static_cast<int>(array.type == type ? stride : columns)) {
    if (!scratch_.data()) return;
    if (type == DType::F32) toFloats(rows, columns, array, stride, scratch_.data(), columns);
    else fromFloats(rows, columns, array.floats(), stride, Array(scratch_.data(), type), columns);
}

Floats::Floats(Array array, Access access, std::int64_t rows, std::int64_t columns, std::int64_t stride)
    : array_(array), access_(access), rows_(rows), columns_(columns), arrayStride_(stride),
      scratch_(copied(array, rows, columns)),
      data_(isCopied(array) ? scratch_.data() : static_cast<float*>(array.data)),
      stride_(static_cast<int>(isCopied(array) ? columns : stride)) {
    if (scratch_.data() && access != Access::Write) toFloats(rows, columns, array, stride, data_, columns);
}

Floats::~Floats() {
    if (scratch_.data() && access_ != Access::Spoil) fromFloats(rows_, columns_, data_, columns_, array_, arrayStride_);
}

}  // namespace shardlab::kernels::cpu
