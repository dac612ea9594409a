// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/memory_marks.h"

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr std::size_t mostMoments = 16;

std::int64_t knownSum(const MemoryBytes& bytes) {
    std::int64_t sum = 0;
    for (const std::int64_t part : bytes) sum += std::max<std::int64_t>(part, 0);
    return sum;
}

}  // namespace

MemoryMarks memoryMarks(std::span<const MemorySample> samples) {
    MemoryMarks marks;
    if (samples.empty()) return marks;
    marks.count = static_cast<int>(samples.size());
    marks.first = samples.front().time;
    marks.last = samples.back().time;
    marks.after.bytes.fill(unknownMemory);
    const std::size_t stride = (samples.size() + mostMoments - 1) / mostMoments;
    bool another = true;  // a category is known that was not
    for (std::size_t i = 0; i < samples.size(); ++i) {
        std::int64_t& bytes = marks.after.bytes[static_cast<std::size_t>(samples[i].category)];
        another = another || bytes == unknownMemory;
        bytes = samples[i].bytes;
        marks.told[static_cast<std::size_t>(samples[i].category)] = samples[i].time;
        marks.after.time = samples[i].time;
        if (i % stride == stride - 1) marks.some.push_back(marks.after);
        if (i + 1 < samples.size() && samples[i + 1].time == samples[i].time) continue;  // not a moment yet
        if (another) marks.largest.push_back(marks.after);
        else if (knownSum(marks.after.bytes) > knownSum(marks.largest.back().bytes)) marks.largest.back() = marks.after;
        another = false;
    }
    return marks;
}

MemoryBytes completed(const MemoryBytes& state, const MemoryBytes& before) {
    MemoryBytes whole = state;
    for (std::size_t category = 0; category < whole.size(); ++category)
        if (whole[category] == unknownMemory) whole[category] = before[category];
    return whole;
}

}  // namespace shardlab::ui
