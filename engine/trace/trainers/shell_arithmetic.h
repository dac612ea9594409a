// SPDX-License-Identifier: Apache-2.0
// The whole numbers that a shell's $((…)) stands for.
#pragma once

#include "engine/trace/trainers/shell_words.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace shardlab::trace {

/// The value of + - * / % and parentheses over whole numbers and names, which `values` gives. None: something else
/// stands in the text, a name has no whole number, or a number does not fit.
std::optional<std::int64_t> shellArithmetic(std::string_view text, const ShellVariables& values);

}  // namespace shardlab::trace
