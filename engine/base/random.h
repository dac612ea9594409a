// SPDX-License-Identifier: Apache-2.0
// Named random streams. Draw i of the stream (seed, name) is a function of nothing else: it does not depend on the
// rank, the layout, the number of draws before it, the machine or its mathematics library.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>
#include <string_view>

namespace shardlab::base {

class RandomStream {
public:
    RandomStream(std::int64_t seed, std::string_view name);

    // Draw number `index`, in any order.
    std::uint64_t bitsAt(std::uint64_t index) const;
    /// Uniform in [0, 1), a multiple of 2⁻⁵³.
    double uniformAt(std::uint64_t index) const;
    /// Normal, mean 0, deviation 1.
    double normalAt(std::uint64_t index) const;

    // The next draw; all four advance the same position by one.
    std::uint64_t bits() { return bitsAt(position_++); }
    double uniform() { return uniformAt(position_++); }
    double normal() { return normalAt(position_++); }
    /// Uniform in 0 … count − 1; 0 < count.
    std::uint32_t below(std::uint32_t count);

private:
    std::uint64_t key_;
    std::uint64_t normalKey_;  ///< normals never reuse the bits of uniforms
    std::uint64_t position_ = 0;
};

}  // namespace shardlab::base
