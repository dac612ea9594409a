// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks a person wants to see: "" all; "0-3, 8" by number; "dp0 pp1" by every word of the label.
#pragma once

#include <string_view>
#include <vector>

namespace shardlab::ui {

class RunModel;
class Selection;

/// The ranks that match the filter, ascending; empty where none does.
std::vector<int> filterRanks(const RunModel& model, std::string_view filter);

/// The same ranks in the order they are shown: pinned ones first, as they were pinned, then those alike on an axis
/// together.
std::vector<int> orderRanks(const RunModel& model, std::vector<int> ranks, const Selection& selection);
/// How many of the first ranks are pinned.
int pinnedAmong(const std::vector<int>& ranks, const Selection& selection);

}  // namespace shardlab::ui
