// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/navigation.h"

#include <algorithm>

namespace shardlab {

TimeRange keepInSight(TimeRange range, TimeRange whole) {
    const std::int64_t span = std::max<std::int64_t>(whole.end - whole.begin, leastVisible);
    const std::int64_t length = std::clamp(range.end - range.begin, leastVisible, 4 * span);
    if (length != range.end - range.begin) {
        const std::int64_t middle = range.begin + (range.end - range.begin) / 2;
        range = {middle - length / 2, middle - length / 2 + length};
    }
    const std::int64_t overlap = std::min(length, span) / 10;
    if (range.end < whole.begin + overlap) range = {whole.begin + overlap - length, whole.begin + overlap};
    if (range.begin > whole.end - overlap) range = {whole.end - overlap, whole.end - overlap + length};
    return range;
}

TimeRange zoomed(TimeRange range, double factor, std::int64_t fixed, TimeRange whole) {
    const std::int64_t span = std::max<std::int64_t>(whole.end - whole.begin, leastVisible);
    const double length = static_cast<double>(range.end - range.begin);
    const double wanted = std::clamp(length * factor, static_cast<double>(leastVisible), 4.0 * static_cast<double>(span));
    const double share = length > 0 ? static_cast<double>(fixed - range.begin) / length : 0.5;
    const std::int64_t begin = fixed - static_cast<std::int64_t>(share * wanted);
    return keepInSight({begin, begin + static_cast<std::int64_t>(wanted)}, whole);
}

TimeRange panned(TimeRange range, double fraction, TimeRange whole) {
    const auto shift = static_cast<std::int64_t>(static_cast<double>(range.end - range.begin) * fraction);
    return keepInSight({range.begin + shift, range.end + shift}, whole);
}

TimeRange padded(TimeRange range, double fraction) {
    const auto margin = static_cast<std::int64_t>(static_cast<double>(range.end - range.begin) * fraction);
    return {range.begin - margin, range.end + margin};
}

TimeRange following(TimeRange range, std::int64_t now) {
    const std::int64_t length = range.end - range.begin;
    const std::int64_t end = now + length / 40;
    return {end - length, end};
}

}  // namespace shardlab
