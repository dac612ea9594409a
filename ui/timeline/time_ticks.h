// SPDX-License-Identifier: GPL-3.0-or-later
// Round moments to label a time axis with, each with its unit.
#pragma once

#include "engine/base/device_time.h"

#include <QString>

#include <cstdint>
#include <functional>
#include <vector>

namespace shardlab::ui {

struct TimeTick {
    std::int64_t time;  ///< on the run's clock; the label tells device time
    QString label;
};

/// At most `most` ticks within [begin, end], at 1, 2 or 5 times a power of ten (from a minute on at 1, 2, 5, 10, 15,
/// 30 of minutes and hours). All labels of one call have one unit: "41.2 ms", "12.45 s", "3:05 min".
std::vector<TimeTick> timeTicks(std::int64_t begin, std::int64_t end, int most, DeviceTime device = {});

/// As many ticks as have room for their labels on `pixels`, and no more than one every 60.
std::vector<TimeTick> timeTicksWithin(std::int64_t begin, std::int64_t end, int pixels,
                                      const std::function<int(const QString&)>& labelWidth, DeviceTime device = {});

/// One moment of device time, as exact as ticks `step` nanoseconds apart need it; in the unit that suits `largest` (0:
/// itself).
QString formatMoment(std::int64_t time, std::int64_t step, std::int64_t largest = 0);

}  // namespace shardlab::ui
