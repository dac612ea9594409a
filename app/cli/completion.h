// SPDX-License-Identifier: Apache-2.0
// What shells complete of the command line, made from the table of verbs.
#pragma once

#include "app/cli/verb.h"

#include <string>
#include <vector>

namespace shardlab::cli {

/// The shells that completionScript knows: bash, zsh, fish.
std::vector<std::string> completionShells();
/// A script that the shell reads. Verbs and options are completed by name, everything else as a file.
std::string completionScript(const std::string& shell, const CommandLine& line);

}  // namespace shardlab::cli
