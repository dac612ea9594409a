// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/time_ticks.h"

#include <algorithm>
#include <cstdlib>

namespace shardlab {

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t minute = 60 * second;

std::int64_t roundStep(std::int64_t least) {
    constexpr std::int64_t large[]{minute / 2,  minute,      2 * minute,  5 * minute,   10 * minute, 15 * minute,
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
    return (least + day - 1) / day * day;
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

QString inUnitOf(std::int64_t largest, std::int64_t time, std::int64_t step) {
    if (largest < 2000) return decimal(time, 1, step, "ns");
    if (largest < 2'000'000) return decimal(time, 1000, step, "µs");
    if (largest < second) return decimal(time, 1'000'000, step, "ms");
    if (largest < 3 * minute) return decimal(time, second, step, "s");
    const std::int64_t absolute = std::abs(time);
    const QString sign = time < 0 ? QStringLiteral("−") : QString();
    const int digits = decimals(step, second);
    const QString seconds = QString::number(static_cast<double>(absolute % minute) / second, 'f', digits)
                                .rightJustified(digits > 0 ? digits + 3 : 2, QLatin1Char('0'));
    const std::int64_t minutes = absolute / minute;
    if (largest < 60 * minute) return sign + QStringLiteral("%1:%2 min").arg(minutes).arg(seconds);
    return sign + QStringLiteral("%1:%2:%3 h").arg(minutes / 60).arg(minutes % 60, 2, 10, QLatin1Char('0')).arg(seconds);
}

}  // namespace

std::vector<TimeTick> timeTicks(std::int64_t begin, std::int64_t end, int most, DeviceTime device) {
    std::vector<TimeTick> ticks;
    begin = device.nanoseconds(begin);
    end = device.nanoseconds(end);
    if (end <= begin || most < 1) return ticks;
    const std::int64_t step = roundStep((end - begin + most - 1) / most);
    std::int64_t time = begin / step * step;
    if (time < begin) time += step;
    const std::int64_t largest = std::max(std::abs(begin), std::abs(end));
    for (; time <= end; time += step) ticks.push_back({device.nanosecondsOnClock(time), inUnitOf(largest, time, step)});
    return ticks;
}

std::vector<TimeTick> timeTicksWithin(std::int64_t begin, std::int64_t end, int pixels,
                                      const std::function<int(const QString&)>& labelWidth, DeviceTime device) {
    constexpr int closest = 60, gap = 16;
    for (int most = std::max(1, pixels / closest);; --most) {
        std::vector<TimeTick> ticks = timeTicks(begin, end, most, device);
        if (ticks.size() < 2 || most == 1) return ticks;
        const double apart = static_cast<double>(ticks[1].time - ticks[0].time) / static_cast<double>(end - begin) * pixels;
        const int widest = std::max(labelWidth(ticks.front().label), labelWidth(ticks.back().label));
        if (apart >= widest + gap) return ticks;
    }
}

QString formatMoment(std::int64_t time, std::int64_t step, std::int64_t largest) {
    return inUnitOf(std::max(std::abs(time), largest), time, std::max<std::int64_t>(1, step));
}

}  // namespace shardlab
