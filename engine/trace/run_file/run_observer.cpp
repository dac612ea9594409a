// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/run_observer.h"

namespace shardlab::trace {

std::string_view name(RunState state) {
    constexpr std::string_view names[] = {"starting", "running", "paused", "stopping", "restarting", "ended"};
    return names[static_cast<std::size_t>(state)];
}

}  // namespace shardlab::trace
