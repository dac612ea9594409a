// SPDX-License-Identifier: Apache-2.0
#include "engine/base/clock.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fstream>

namespace shardlab::base {

std::string bootId() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(file, id);
    return id;
}

std::string utcNow() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace shardlab::base
