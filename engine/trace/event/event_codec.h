// SPDX-License-Identifier: Apache-2.0
// Events as bytes: a block of columns, used by the wire, the spool and the run file alike. The bytes are written down
// in resources/manual/70-run-file.md; a block is self-contained, and decoding it never trusts it.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/result.h"
#include "engine/trace/event/event.h"

#include <cstddef>
#include <span>
#include <vector>

namespace shardlab::trace {

/// Events of one block at most; about 10 to 15 bytes each before compression, 85 at worst.
inline constexpr std::size_t largestBlock = 4096;

/// Appends one block of 1 to largestBlock events to `out`. Every event of legal times (legal_time.h) comes back bit for
/// bit.
void encodeEvents(std::span<const Event> events, Bytes& out);

/// Replaces `events` by the block's. Error: `block` is not exactly one block, or a time in it is not
/// legal; `events` is then empty.
Status decodeEvents(std::span<const std::byte> block, std::vector<Event>& events);

}  // namespace shardlab::trace
