// SPDX-License-Identifier: Apache-2.0
// What a host may be called: a word that no program takes for an option or an address of something else.
#pragma once

#include "engine/base/wings.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace shardlab::layout {

inline constexpr std::string_view legalHostName = "letters, digits, dots and hyphens, beginning with a letter or digit";

inline bool isHostName(std::string_view name) {
    if (name.empty() || name.size() > 253 || !std::isalnum(static_cast<unsigned char>(name[0]))) return false;
    return std::ranges::all_of(name,
                               [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '-' || c == '_'; });
}

}  // namespace shardlab::layout
