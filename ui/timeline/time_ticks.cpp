// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/time_ticks.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace shardlab::ui {

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t minute = 60 * second;

std::int64_t roundStep(std::uint64_t apart) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto least = static_cast<std::int64_t>(std::min(apart, most));
    constexpr std::int64_t large[]{minute / 2,  minute,      2 * minute,   5 * minute,   10 * minute, 15 * minute,
                                   30 * minute, 60 * minute, 120 * minute, 300 * minute, 600 * minute};
    std::int64_t step = 1;
    while (step < least && step < 10 * second) {
        for (const int factor : {2, 5, 10}) {
            if (step * factor >= least || factor == 10) {
                step *= factor;
                break;
            }
        }
    }
    if (step >= least) return step;
    if (least <= 20 * second) return 20 * second;
    for (const std::int64_t candidate : large) {
        if (candidate >= least) return candidate;
    }
    const std::int64_t day = 24 * 60 * minute;
    return least > std::numeric_limits<std::int64_t>::max() - day ? least : (least + day - 1) / day * day;
}

int decimals(std::int64_t step, std::int64_t unit) {
    int digits = 0;
    while (unit > step && digits < 9 && unit > 1) {
        unit /= 10;
        ++digits;
    }
    return digits;
}

QString decimal(std::int64_t time, std::int64_t unit, std::int64_t step, const char* name) {
    return QString::number(static_cast<double>(time) / static_cast<double>(unit), 'f', decimals(step, unit)) +
           QStringLiteral(" ") + QString::fromUtf8(name);
}

/// The smallest number has no positive one of its size.
std::int64_t magnitude(std::int64_t time) {
    return std::abs(std::max(time, -std::numeric_limits<std::int64_t>::max()));
}

QString inUnitOf(std::int64_t largest, std::int64_t time, std::int64_t step) {
    if (largest < 2000) return decimal(time, 1, step, "ns");
    if (largest < 2'000'000) return decimal(time, 1000, step, "µs");
    if (largest < second) return decimal(time, 1'000'000, step, "ms");
    if (largest < 3 * minute) return decimal(time, second, step, "s");
    const std::int64_t absolute = magnitude(time);
    const QString sign = time < 0 ? QStringLiteral("−") : QString();
    const int digits = decimals(step, second);
    const QString seconds = QString::number(static_cast<double>(absolute % minute) / second, 'f', digits)
                                .rightJustified(digits > 0 ? digits + 3 : 2, QLatin1Char('0'));
    const std::int64_t minutes = absolute / minute;
    if (largest < 60 * minute) return sign + QStringLiteral("%1:%2 min").arg(minutes).arg(seconds);
    return sign +
           QStringLiteral("%1:%2:%3 h").arg(minutes / 60).arg(minutes % 60, 2, 10, QLatin1Char('0')).arg(seconds);
}

}  // namespace

std::vector<TimeTick> timeTicks(std::int64_t begin, std::int64_t end, int most, DeviceTime device) {
    std::vector<TimeTick> ticks;
    begin = device.nanoseconds(begin);
    end = device.nanoseconds(end);
    if (end <= begin || most < 1) return ticks;
    const std::uint64_t span = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
    const std::int64_t step =
        roundStep(span / static_cast<unsigned>(most) + (span % static_cast<unsigned>(most) != 0 ? 1 : 0));
    std::int64_t time = begin / step * step;
    bool within = time >= begin || !__builtin_add_overflow(time, step, &time);
    const std::int64_t largest = std::max(magnitude(begin), magnitude(end));
    while (within && time <= end) {
        ticks.push_back({device.nanosecondsOnClock(time), inUnitOf(largest, time, step)});
        within = !__builtin_add_overflow(time, step, &time);
    }
    return ticks;
}

std::vector<TimeTick> timeTicksWithin(std::int64_t begin, std::int64_t end, int pixels,
                                      const std::function<int(const QString&)>& labelWidth, DeviceTime device) {
    constexpr int closest = 60, gap = 16;
    for (int most = std::max(1, pixels / closest);; --most) {
        std::vector<TimeTick> ticks = timeTicks(begin, end, most, device);
        if (ticks.size() < 2 || most == 1) return ticks;
        const double apart = (static_cast<double>(ticks[1].time) - static_cast<double>(ticks[0].time)) /
                             (static_cast<double>(end) - static_cast<double>(begin)) * pixels;
        const int widest = std::max(labelWidth(ticks.front().label), labelWidth(ticks.back().label));
        if (apart >= widest + gap) return ticks;
    }
}

QString formatMoment(std::int64_t time, std::int64_t step, std::int64_t largest) {
    return inUnitOf(std::max(magnitude(time), largest), time, std::max<std::int64_t>(1, step));
}

}  // namespace shardlab::ui
