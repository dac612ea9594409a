// SPDX-License-Identifier: Apache-2.0
// Sleeping until another process changes a word in memory that both see.
#pragma once

#include <cstdint>

namespace shardlab {

/// Returns when woken, when the word is not `value`, after 50 ms, or for no reason.
void sleepWhile(const void* word, std::uint32_t value);
/// Those of all processes that sleep on it.
void wakeSleepers(const void* word);

}  // namespace shardlab
