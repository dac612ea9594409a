// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/navigation.h"

#include "engine/base/saturate.h"
#include "engine/trace/event/legal_time.h"

#include <algorithm>

namespace shardlab::ui {

namespace {

std::int64_t lengthOf(TimeRange range) { return saturatedDifference(range.end, range.begin); }

/// The longest range that is shown: all of `whole`, and a quarter of it beyond.
std::int64_t longest(TimeRange whole) {
    const std::int64_t all = std::clamp(lengthOf(whole), leastVisible, latestTime);
    return all + all / 4;
}

/// Moved on so far that at most a twentieth of it lies before `first`.
TimeRange notLongBefore(std::int64_t first, TimeRange range) {
    const std::int64_t length = lengthOf(range), least = saturatedDifference(first, length / 20);
    return range.begin < least ? TimeRange{least, saturatedSum(least, length)} : range;
}

/// The nearest whole number within what is ever shown.
std::int64_t rounded(double time) {
    constexpr double most = 4.0 * static_cast<double>(latestTime);
    return static_cast<std::int64_t>(std::clamp(time, -most, most));
}

TimeRange moved(TimeRange range, std::int64_t by) {
    return {saturatedSum(range.begin, by), saturatedSum(range.end, by)};
}

/// The range of that length that begins at `begin`.
TimeRange from(std::int64_t begin, std::int64_t length) { return {begin, saturatedSum(begin, length)}; }

}  // namespace

TimeRange keepInSight(TimeRange range, TimeRange whole) {
    const std::int64_t span = std::max(lengthOf(whole), leastVisible);
    const std::int64_t length = std::clamp(lengthOf(range), leastVisible, longest(whole));
    if (length != lengthOf(range)) {
        const std::int64_t middle = saturatedSum(range.begin, lengthOf(range) / 2);
        range = from(saturatedDifference(middle, length / 2), length);
    }
    const std::int64_t overlap = std::min(length, span) / 10;
    const std::int64_t last = saturatedDifference(whole.end, overlap);
    if (range.begin > last) range = from(last, length);
    return notLongBefore(whole.begin, range);
}

TimeRange zoomed(TimeRange range, double factor, std::int64_t fixed, TimeRange whole) {
    const auto length = static_cast<double>(lengthOf(range));
    const double wanted =
        std::clamp(length * factor, static_cast<double>(leastVisible), static_cast<double>(longest(whole)));
    const double share = length > 0 ? (static_cast<double>(fixed) - static_cast<double>(range.begin)) / length : 0.5;
    return keepInSight(from(saturatedDifference(fixed, rounded(share * wanted)), rounded(wanted)), whole);
}

TimeRange panned(TimeRange range, double fraction, TimeRange whole) {
    return keepInSight(moved(range, rounded(static_cast<double>(lengthOf(range)) * fraction)), whole);
}

TimeRange padded(TimeRange range, double fraction) {
    const std::int64_t margin = rounded(static_cast<double>(lengthOf(range)) * fraction);
    return {saturatedDifference(range.begin, margin), saturatedSum(range.end, margin)};
}

TimeRange following(TimeRange range, TimeRange whole) {
    const std::int64_t length = lengthOf(range);
    const std::int64_t end = saturatedSum(whole.end, length / 40);
    return notLongBefore(whole.begin, {saturatedDifference(end, length), end});
}

}  // namespace shardlab::ui
