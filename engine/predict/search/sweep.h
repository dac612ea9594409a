// SPDX-License-Identifier: Apache-2.0
// One thing of a layout varied while the rest stays: what a slider goes through, and schedules side by side.
#pragma once

#include "engine/layout/layout.h"
#include "engine/predict/plan/plan.h"

#include <optional>
#include <string_view>
#include <vector>

namespace shardlab::predict {

enum class SweepAxis { Microbatches, Pipeline, Chunks };

/// The fields that a sweep may change, with one value of what is swept.
struct Setting {
    int value = 0;
    ParallelSpec parallel;
    ScheduleSpec schedule;
    int micro = 1;
    bool operator==(const Setting&) const = default;
};

/// Every value that check() accepts, ascending, the layout's own among them if it is legal. Microbatches come from the
/// microbatch's size, the global batch stays. Pipeline ranks are taken from the data axis and given back to it; where
/// the microbatch no longer divides a replica's share, the next smaller that does takes its place. A listed split of
/// the layers gives way to the even one where the number of stages changes.
std::vector<Setting> legalSettings(const Layout& layout, SweepAxis axis);
Setting settingOf(const Layout& layout, SweepAxis axis);
void apply(const Setting& setting, Layout& layout);

/// The layout under another schedule: with as many chunks as the method can have, nearest to those it has now.
Layout withSchedule(Layout layout, std::string_view kind);

}  // namespace shardlab::predict
