// SPDX-License-Identifier: Apache-2.0
// Inputs that differ a little from known ones, for the replay of fuzz targets where there is no libFuzzer.
#pragma once

#include "engine/base/random.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace shardlab::fuzz {

using InputBytes = std::vector<std::uint8_t>;

/// One change: a byte, a bit, a digit, a number, a piece taken out, repeated, or brought from another input.
inline void mutate(InputBytes& input, const InputBytes& other, RandomStream& random) {
    const auto below = [&](std::size_t count) {
        return static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(std::max<std::size_t>(count, 1))));
    };
    if (input.empty()) input.push_back(static_cast<std::uint8_t>(random.below(256)));
    const std::size_t at = below(input.size());
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    const auto pieceOf = [&](const InputBytes& from) {
        const std::size_t begin = below(from.size()),
                          length = std::min(from.size() - std::min(begin, from.size()), 1 + below(64));
        return InputBytes(from.begin() + static_cast<std::ptrdiff_t>(begin),
                          from.begin() + static_cast<std::ptrdiff_t>(begin + length));
    };
    switch (random.below(8)) {
    case 0: *place = static_cast<std::uint8_t>(random.below(256)); break;
    case 1: *place ^= static_cast<std::uint8_t>(1u << random.below(8)); break;
    case 2: {
        static constexpr std::string_view signs = "0123456789-+.eE{}[]\",:@/ \n";
        *place = static_cast<std::uint8_t>(signs[below(signs.size())]);
        break;
    }
    case 3: {
        static constexpr std::array<std::uint64_t, 8> numbers{
            0, 1, 0x7f, 0xff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff};
        const std::uint64_t number = numbers[below(numbers.size())];
        const std::size_t width = std::size_t{1} << random.below(4);
        for (std::size_t i = 0; i < width && at + i < input.size(); ++i)
            input[at + i] = static_cast<std::uint8_t>(number >> (8 * i));
        break;
    }
    case 4: input.erase(place, place + static_cast<std::ptrdiff_t>(std::min(input.size() - at, 1 + below(64)))); break;
    case 5: {
        const InputBytes piece = pieceOf(input);
        input.insert(place, piece.begin(), piece.end());
        break;
    }
    case 6: {
        const InputBytes piece = pieceOf(other);
        input.insert(place, piece.begin(), piece.end());
        break;
    }
    default: input.insert(place, static_cast<std::uint8_t>(random.below(256)));
    }
}

}  // namespace shardlab::fuzz
