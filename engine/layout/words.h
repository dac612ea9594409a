// SPDX-License-Identifier: Apache-2.0
// The words that stand for an enum's values in a layout file. Inside the program a kind is an enum; its word is needed
// only where JSON is read or written, and where people are told of it.
#pragma once

#include "engine/base/wings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string_view>

namespace shardlab::layout {

/// The words of an enum whose values count from 0, in the order of its values. kinds.h has the list of each enum.
template <class Kind>
inline constexpr std::nullptr_t layoutWords = nullptr;

template <class Kind>
constexpr std::string_view wordOf(Kind kind) {
    return layoutWords<Kind>[static_cast<std::size_t>(kind)];
}

/// Nothing where no value has this word.
template <class Kind>
constexpr std::optional<Kind> kindOf(std::string_view word) {
    const auto found = std::ranges::find(layoutWords<Kind>, word);
    if (found == std::end(layoutWords<Kind>)) return std::nullopt;
    return static_cast<Kind>(found - std::begin(layoutWords<Kind>));
}

/// Any of an enum's values, each once: in a layout file, a list of their words in the order of the enum.
template <class Kind>
class WordSet {
public:
    constexpr WordSet() = default;
    constexpr WordSet(std::initializer_list<Kind> kinds) {
        for (const Kind kind : kinds) set(kind, true);
    }
    constexpr bool has(Kind kind) const { return (bits_ >> static_cast<unsigned>(kind) & 1U) != 0; }
    constexpr bool empty() const { return bits_ == 0; }
    constexpr void set(Kind kind, bool in) {
        const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(kind);
        bits_ = in ? bits_ | bit : bits_ & ~bit;
    }
    constexpr bool operator==(const WordSet&) const = default;

private:
    std::uint32_t bits_ = 0;
};

}  // namespace shardlab::layout
