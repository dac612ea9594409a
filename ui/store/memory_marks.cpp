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
    marks.count = static_cast<std::int64_t>(samples.size());
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

std::optional<MemoryMarks> joined(const MemoryMarks& first, const MemoryMarks& second) {
    if (first.count == 0 || second.count == 0) return first.count == 0 ? second : first;
    if (first.last >= second.first) {
        if (second.last < first.first) return joined(second, first);
        return {};
    }
    MemoryMarks marks = first;
    marks.count += second.count;
    marks.last = second.last;
    for (std::size_t category = 0; category < marks.told.size(); ++category)
        if (second.after.bytes[category] != unknownMemory) marks.told[category] = second.told[category];
    const auto after = [&](const MemoryState& state) {
        return MemoryState{state.time, completed(state.bytes, first.after.bytes)};
    };
    marks.after = after(second.after);
    const auto unknown = [](const MemoryState& state) { return std::ranges::count(state.bytes, unknownMemory); };
    for (const MemoryState& each : second.largest) {
        const MemoryState state = after(each);
        if (unknown(state) != unknown(marks.largest.back())) marks.largest.push_back(state);
        else if (knownSum(state.bytes) > knownSum(marks.largest.back().bytes)) marks.largest.back() = state;
    }
    for (const MemoryState& each : second.some) marks.some.push_back(after(each));
    if (marks.some.size() > mostMoments) {
        std::size_t left = 0;
        for (std::size_t i = marks.some.size() % 2 == 0 ? 1 : 0; i < marks.some.size(); i += 2)
            marks.some[left++] = marks.some[i];
        marks.some.resize(left);
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
