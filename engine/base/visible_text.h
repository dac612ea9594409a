// SPDX-License-Identifier: Apache-2.0
// Text of files, links and other programs on its way to a terminal, which would obey what is not for reading.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace shardlab::base {

enum class Lines : std::uint8_t { Kept, Visible };  ///< what becomes of line feeds and tabs

/// The text without what a terminal obeys. Control characters (C0, DEL, C1), line and paragraph separators and marks
/// that change the direction of writing become "\u001b", as JSON writes them, so that JSON keeps its meaning; bytes
/// that are no UTF-8 become "\xff".
std::string visible(std::string_view text, Lines lines = Lines::Kept);

/// A piece of a file as an error quotes it: in quotation marks, cut behind `most` bytes; or "12 bytes that are no
/// text", since what a file of another kind holds says nothing to a reader.
std::string quoted(std::string_view text, std::size_t most = 60);

/// The text, or its begin of at most `most` bytes and "…"; no character of UTF-8 is cut in two.
std::string shortened(std::string_view text, std::size_t most = 60);

}  // namespace shardlab::base
