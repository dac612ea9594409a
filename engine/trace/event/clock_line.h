// SPDX-License-Identifier: Apache-2.0
// How the monotonic clock of a host gives the run's clock. It changes during a run as the clocks of hosts are compared
// again; where all ranks are on one host it never does.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>

namespace shardlab::trace {

struct ClockLine {
    std::int64_t origin = 0;  ///< this host's monotonicNanoseconds() at the run's 0, as it seems at `at`
    std::int64_t at = 0;      ///< this host's clock; nanoseconds
    double drift = 0;         ///< seconds that this host's clock gains on the launcher's in a second

    std::int64_t runTime(std::int64_t monotonic) const {
        return monotonic - origin - static_cast<std::int64_t>(drift * static_cast<double>(monotonic - at));
    }
    bool operator==(const ClockLine&) const = default;
};

}  // namespace shardlab::trace
