// SPDX-License-Identifier: GPL-3.0-or-later
// Steps in which numbers saturated as products in 8 bits rounded them, in words.
#pragma once

#include "ui/views/events/happenings.h"

#include <vector>

namespace shardlab::ui {

/// One for each step in which numbers saturated. Its event is the counter with most of them.
std::vector<Happening> saturatedSteps(const RunModel& model);

}  // namespace shardlab::ui
