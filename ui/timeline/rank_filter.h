// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks a person wants to see: "" all; "0-3, 8" by number; "dp0 pp1" by every word of the label.
#pragma once

#include <string_view>
#include <vector>

namespace shardlab {

class RunModel;

/// Ascending. Ranks that match nothing give an empty list.
std::vector<int> filterRanks(const RunModel& model, std::string_view filter);

}  // namespace shardlab
