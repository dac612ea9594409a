// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/real_clock.h"

#include <chrono>
#include <cmath>
#include <thread>

namespace shardlab::train {

std::int64_t RealClock::meet(Communicator& group, const Action&) {
    group.barrier();
    return 0;
}

void RealClock::slowDown(std::int64_t began) {
    const double factor = faults_ ? faults_->slowdown() : 1;
    if (factor <= 1) return;
    device_.synchronize();
    const double longer = (factor - 1) * static_cast<double>(now() - began);
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::llround(longer)));
}

}  // namespace shardlab::train
