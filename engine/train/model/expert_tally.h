// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/arena.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardlab::train {

/// How many tokens chose each expert of a layer, and how many of them were dropped, since the last take().
struct ExpertLoad {
    int layer = 0;  ///< layer of the model
    std::vector<std::int32_t> asked;
    std::vector<std::int32_t> dropped;
    /// Where experts choose their tokens.
    struct Chosen {
        std::int32_t untaken = 0;      ///< tokens that no expert took
        std::int32_t mostOfToken = 0;  ///< the most experts that took one token
        std::int32_t mostRounds = 0;   ///< of the assignment of a sample's tokens; 0: there is none
    };
    std::optional<Chosen> chosen;
};

/// The device counts, with each input gradient, so once for each microbatch, whatever is recomputed.
class ExpertTally {
public:
    /// `theyChoose`: experts choose their tokens.
    ExpertTally(Arena& arena, int experts, bool theyChoose)
        : device_(arena.device()), experts_(static_cast<std::size_t>(experts)),
          counts_(
              arena.allocateZeroed(MemoryCategory::Buffers, 2 * experts_ + (theyChoose ? ofChosen : 0), DType::I32)) {}

    /// As Device::countLoad() takes it.
    std::int32_t* counts() const { return static_cast<std::int32_t*>(counts_.data().data); }
    /// As Device::countTaken() takes it; null where experts do not choose.
    std::int32_t* chosen() const { return counts_.size() > 2 * experts_ ? counts() + 2 * experts_ : nullptr; }
    /// Waits for the device, returns the counts, and starts again from zero.
    ExpertLoad take(int layer) {
        std::vector<std::int32_t> all(counts_.size());
        const std::size_t bytes = all.size() * sizeof(std::int32_t);
        device_.download(counts(), all.data(), bytes);
        device_.clear(counts(), bytes);
        const auto dropped = all.begin() + static_cast<std::ptrdiff_t>(experts_);
        const auto ofTokens = dropped + static_cast<std::ptrdiff_t>(experts_);
        ExpertLoad load{layer, {all.begin(), dropped}, {dropped, ofTokens}, {}};
        if (chosen()) load.chosen = {ofTokens[0], ofTokens[1], ofTokens[2]};
        return load;
    }

private:
    static constexpr std::size_t ofChosen = 3;
    Device& device_;
    std::size_t experts_;
    Buffer counts_;
};

}  // namespace shardlab::train
