// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/arena.h"

#include <cstdint>
#include <vector>

namespace shardlab::train {

/// How many tokens chose each expert of a layer, and how many of them were dropped, since the last take().
struct ExpertLoad {
    int layer = 0;  ///< layer of the model
    std::vector<std::int32_t> asked;
    std::vector<std::int32_t> dropped;
};

/// The device counts, with each input gradient, so once for each microbatch, whatever is recomputed.
class ExpertTally {
public:
    ExpertTally(Arena& arena, int experts)
        : device_(arena.device()),
          counts_(arena.allocateZeroed(MemoryCategory::Buffers, 2 * static_cast<std::size_t>(experts), DType::I32)) {}

    std::int32_t* counts() const { return static_cast<std::int32_t*>(counts_.data().data); }
    /// Waits for the device, returns the counts, and starts again from zero.
    ExpertLoad take(int layer) {
        ExpertLoad load{layer, std::vector<std::int32_t>(counts_.size() / 2),
                        std::vector<std::int32_t>(counts_.size() / 2)};
        const std::size_t bytes = load.asked.size() * sizeof(std::int32_t);
        device_.download(counts(), load.asked.data(), bytes);
        device_.download(counts() + load.asked.size(), load.dropped.data(), bytes);
        device_.clear(counts(), 2 * bytes);
        return load;
    }

private:
    Device& device_;
    Buffer counts_;
};

}  // namespace shardlab::train
