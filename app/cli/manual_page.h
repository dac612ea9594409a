// SPDX-License-Identifier: Apache-2.0
// Manual pages of section 1, made from what --help knows.
#pragma once

#include "app/cli/verb.h"

#include <string>

namespace shardlab::cli {

/// shardlab(1) in the language of man(7): its options and its verbs.
std::string programPage(const CommandLine& line);
/// shardlab-VERB(1).
std::string verbPage(const VerbText& verb);

}  // namespace shardlab::cli
