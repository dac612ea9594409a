// SPDX-License-Identifier: Apache-2.0
#include "engine/base/clock.h"

#include <ctime>
#include <fmt/chrono.h>

namespace shardlab::base {

std::string utcNow() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace shardlab::base
