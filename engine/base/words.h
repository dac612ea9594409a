// SPDX-License-Identifier: Apache-2.0
// Words of texts that people wrote.
#pragma once

#include "engine/base/wings.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlab::base {

/// The runs of letters and digits of a text, in small letters: "FSDP=16" has fsdp and 16.
std::vector<std::string> wordsOf(std::string_view text);

}  // namespace shardlab::base
