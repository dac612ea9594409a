// SPDX-License-Identifier: Apache-2.0
// What of DeepSpeed's JSON is read back, for the target's table (deepspeed.cpp).
#pragma once

#include "engine/trace/trainers/trainer_target.h"

namespace shardlab::trace {

bool looksLikeDeepSpeed(std::string_view text);
/// Error: the text is no JSON object.
Result<ConfigLayout> readDeepSpeed(const std::filesystem::path& file, std::string_view text);

}  // namespace shardlab::trace
