// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/product_weight.h"

namespace shardlab::train {

ProductWeight::ProductWeight(Arena& arena, DType type, const Weight& weight) : data_(weight.value()) {
    if (data_.type == type) return;
    std::size_t count = 1;
    for (const int extent : weight.shape()) count *= static_cast<std::size_t>(extent);
    copy_ = arena.allocate(MemoryCategory::Temporary, count, type);
    arena.device().convert(static_cast<std::int64_t>(count), data_, copy_.data());
    data_ = copy_.data();
}

}  // namespace shardlab::train
