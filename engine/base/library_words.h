// SPDX-License-Identifier: Apache-2.0
// What a library says of a fault, as a sentence of ours: its causes that are known in our own words, others as it says
// them.
#pragma once

#include "engine/base/sentence.h"

#include <string_view>

namespace shardlab::base {

/// The message of an exception of nlohmann's JSON, without the place, which callers tell.
Sentence jsonReason(std::string_view message);
/// What any library says, quoted.
Sentence saidByLibrary(std::string_view library, std::string_view message);

}  // namespace shardlab::base
