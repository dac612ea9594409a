// SPDX-License-Identifier: Apache-2.0
// The option --language of the verbs that print pages.
#pragma once

#include "app/cli/verb.h"

#include <string>

namespace shardlab::cli {

/// Adds the option; empty in `target`: the language of the locale.
void offerLanguage(Verb& verb, std::string& target);
/// Called before pages are read.
void useLanguage(const std::string& chosen);

}  // namespace shardlab::cli
