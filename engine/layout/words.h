// SPDX-License-Identifier: Apache-2.0
// The words that stand for an enum's values in a layout file. Inside the program a kind is an enum; its word is needed
// only where JSON is read or written, and where people are told of it.
#pragma once

#include "engine/base/wings.h"

#include <algorithm>
#include <cstddef>
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

}  // namespace shardlab::layout
