// SPDX-License-Identifier: Apache-2.0
// The words of a shell script's commands, without running it.
#pragma once

#include "engine/base/wings.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

using ShellVariables = std::map<std::string, std::string, std::less<>>;

/// The words of each command, in the order of the text, quotes and continued lines taken apart. What an array or an
/// assignment lists is a command too, since scripts collect a program's arguments in them, and so is the text that a
/// shell is given to run. Variables that the text has assigned or that are `known`, with their defaults and whole
/// numbers computed, are put in; others stay as they are written, "$NAME". Of a branch whose condition such variables
/// do not settle every command counts.
std::vector<std::vector<std::string>> shellCommands(std::string_view script, const ShellVariables& known = {});
/// The word so that a shell reads it as one word again, in quotes only where it has to be.
std::string shellQuoted(std::string_view word);

}  // namespace shardlab::trace
