// SPDX-License-Identifier: Apache-2.0
// A process sleeps until another one changes a word in memory that both see.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>

namespace shardlab::train {

/// Sleeps; returns when woken, when the word is not `value`, after 50 ms, or for no reason.
void sleepWhile(const void* word, std::uint32_t value);
/// Wakes all processes that sleep on the word.
void wakeSleepers(const void* word);

}  // namespace shardlab::train
