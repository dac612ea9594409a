// SPDX-License-Identifier: Apache-2.0
// What the name of a thread in another program's trace says of its lane.
#pragma once

#include "engine/trace/event/event.h"

#include <optional>
#include <string_view>

namespace shardlab::trace {

/// By its words, in any case: "compute" or "kernels" before "nccl", "communication" …, these before "memcpy", "copy" …,
/// and a "stream" of nothing else, or "XLA Ops", is compute. None: the name does not say it.
std::optional<Lane> laneNamedBy(std::string_view thread);

}  // namespace shardlab::trace
