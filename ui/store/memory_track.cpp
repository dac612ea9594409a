// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/memory_track.h"

#include <algorithm>

namespace shardlab::ui {

void MemoryTrack::State::take(const MemoryMarks& marks) {
    for (std::size_t category = 0; category < bytes.size(); ++category) {
        if (marks.after.bytes[category] == unknownMemory || marks.told[category] < told[category]) continue;
        bytes[category] = marks.after.bytes[category];
        told[category] = marks.told[category];
    }
}

void MemoryTrack::State::take(const MemorySample& sample) {
    const auto category = static_cast<std::size_t>(sample.category);
    if (sample.time < told[category]) return;
    bytes[category] = sample.bytes;
    told[category] = sample.time;
}

void MemoryTrack::add(BlockKey key, std::shared_ptr<const BlockDigest> digest) {
    if (digest->memory.count == 0) return;
    const auto place =
        std::upper_bound(blocks_.begin(), blocks_.end(), digest->memory.first,
                         [](std::int64_t time, const Block& block) { return time < block.marks().first; });
    const auto at = static_cast<std::size_t>(place - blocks_.begin());
    blocks_.insert(place, {key, std::move(digest)});
    reach_.resize(std::min(reach_.size(), at));
    states_.resize(reach_.size());
}

void MemoryTrack::drop(BlockKey key) {
    const auto place = std::ranges::find(blocks_, key, &Block::key);
    if (place == blocks_.end()) return;
    reach_.resize(std::min(reach_.size(), static_cast<std::size_t>(place - blocks_.begin())));
    states_.resize(reach_.size());
    blocks_.erase(place);
}

bool MemoryTrack::empty() const {
    return blocks_.empty() &&
           std::ranges::all_of(open_, [](const auto* samples) { return !samples || samples->empty(); });
}

/// Those with moments within (begin, end], ascending.
std::vector<MemorySample> MemoryTrack::openSamples(std::int64_t begin, std::int64_t end) const {
    std::vector<MemorySample> found;
    for (const auto* samples : open_) {
        if (!samples) continue;
        for (const MemorySample& sample : *samples)
            if (sample.time > begin && sample.time <= end) found.push_back(sample);
    }
    if (!std::ranges::is_sorted(found, {}, &MemorySample::time))
        std::ranges::stable_sort(found, {}, &MemorySample::time);
    return found;
}

void MemoryTrack::refresh() const {
    for (std::size_t i = reach_.size(); i < blocks_.size(); ++i) {
        reach_.push_back(i > 0 ? std::max(reach_[i - 1], blocks_[i].marks().last) : blocks_[i].marks().last);
        states_.push_back(i > 0 ? states_[i - 1] : State());
        states_.back().take(blocks_[i].marks());
    }
}

std::size_t MemoryTrack::firstAfter(std::int64_t time) const {
    refresh();
    return static_cast<std::size_t>(std::ranges::upper_bound(reach_, time) - reach_.begin());
}

MemoryTrack::State MemoryTrack::stateBefore(std::size_t block) const {
    return block > 0 ? states_[block - 1] : State();
}

MemoryTrack::State MemoryTrack::stateAt(std::int64_t time) const {
    const std::size_t from = firstAfter(time);
    State state = stateBefore(from);
    for (std::size_t i = from; i < blocks_.size() && blocks_[i].marks().first <= time; ++i) {
        if (blocks_[i].marks().last <= time) {
            state.take(blocks_[i].marks());
            continue;
        }
        const BlockCache::Block block = cache_->load(blocks_[i].key);
        for (const MemorySample& sample : block->memory)
            if (sample.time <= time) state.take(sample);
    }
    for (const MemorySample& sample : openSamples(INT64_MIN, time)) state.take(sample);
    return state;
}

MemoryBytes MemoryTrack::at(std::int64_t time) const { return stateAt(time).bytes; }
MemoryBytes MemoryTrack::last() const { return stateAt(INT64_MAX).bytes; }

MemoryBytes MemoryTrack::fromAfar(std::int64_t time, std::span<const MemorySample> open) const {
    const std::size_t from = firstAfter(time);
    MemoryBytes bytes = stateBefore(from).bytes;
    for (std::size_t i = from; i < blocks_.size() && blocks_[i].marks().first <= time; ++i) {
        const auto& some = blocks_[i].marks().some;
        const auto after = std::ranges::upper_bound(some, time, {}, &MemoryState::time);
        if (after != some.begin()) bytes = completed((after - 1)->bytes, bytes);
    }
    for (const MemorySample& sample : open) {
        if (sample.time > time) break;
        bytes[static_cast<std::size_t>(sample.category)] = sample.bytes;
    }
    return bytes;
}

std::vector<MemoryTrack::Group> MemoryTrack::groups(std::int64_t begin, std::int64_t end) const {
    std::vector<Group> found;
    std::int64_t reach = 0;
    for (std::size_t i = firstAfter(begin); i < blocks_.size() && blocks_[i].marks().first <= end; ++i) {
        const MemoryMarks& marks = blocks_[i].marks();
        if (!found.empty() && marks.first <= reach) found.back().last = i + 1;
        else found.push_back({i, i + 1, false});
        reach = std::max(found.back().first == i ? marks.last : reach, marks.last);
    }
    const std::vector<MemorySample> open = openSamples(begin, end);
    if (open.empty()) return found;
    // Nearly always they follow on all blocks; where they do not, all is one group.
    if (!found.empty() && open.front().time <= reach) return {{found.front().first, found.back().last, true}};
    found.push_back({blocks_.size(), blocks_.size(), true});
    return found;
}

std::vector<MemorySample> MemoryTrack::samples(const Group& group, std::int64_t begin, std::int64_t end) const {
    std::vector<MemorySample> found;
    const auto take = [&](const std::vector<MemorySample>& all) {
        for (const MemorySample& sample : all)
            if (sample.time > begin && sample.time <= end) found.push_back(sample);
    };
    for (std::size_t i = group.first; i < group.last; ++i)
        if (blocks_[i].marks().last > begin) take(cache_->load(blocks_[i].key)->memory);
    if (group.open) take(openSamples(begin, end));
    if (!std::ranges::is_sorted(found, {}, &MemorySample::time))
        std::ranges::stable_sort(found, {}, &MemorySample::time);
    return found;
}

MemoryBytes MemoryTrack::largest(std::int64_t begin, std::int64_t end) const {
    State now = stateAt(std::max<std::int64_t>(begin, 0));
    MemoryBytes largest = now.bytes;
    const auto consider = [&](const MemoryBytes& bytes) {
        if (total(bytes) > total(largest)) largest = bytes;
    };
    for (const Group& group : groups(begin, end)) {
        if (group.last == group.first + 1 && !group.open) {
            if (const MemoryMarks& marks = blocks_[group.first].marks(); marks.first > begin && marks.last <= end) {
                for (const MemoryState& each : marks.largest) consider(completed(each.bytes, now.bytes));
                now.take(marks);
                continue;
            }
        }
        const std::vector<MemorySample> all = samples(group, begin, end);
        for (std::size_t i = 0; i < all.size(); ++i) {
            now.take(all[i]);
            if (i + 1 == all.size() || all[i + 1].time != all[i].time) consider(now.bytes);
        }
    }
    return largest;
}

std::vector<MemoryPoint> MemoryTrack::curve(std::int64_t begin, std::int64_t end, std::size_t most) const {
    std::vector<MemoryPoint> points;
    const auto add = [&](std::int64_t time, const MemoryBytes& bytes) {
        if (total(bytes) > 0) points.push_back({time, bytes});
    };
    const std::vector<Group> all = groups(begin, end);
    std::size_t count = 1;  // the moment `begin`
    std::vector<MemorySample> changes;
    for (const Group& group : all) {
        const bool whole = group.last == group.first + 1 && !group.open && blocks_[group.first].marks().first > begin &&
                           blocks_[group.first].marks().last <= end;
        if (whole && count + static_cast<std::size_t>(blocks_[group.first].marks().count) > most) {
            count = most + 1;
            break;
        }
        const std::vector<MemorySample> part = samples(group, begin, end);
        changes.insert(changes.end(), part.begin(), part.end());
        if ((count = 1 + changes.size()) > most) break;
    }
    if (count > most) {
        const std::vector<MemorySample> open = openSamples(INT64_MIN, end);
        for (std::size_t i = 0; i < most; ++i) {
            const std::int64_t time =
                begin + static_cast<std::int64_t>(static_cast<double>(end - begin) * static_cast<double>(i) /
                                                  static_cast<double>(most));
            add(time, fromAfar(std::max<std::int64_t>(time, 0), open));
        }
        return points;
    }
    State now = stateAt(std::max<std::int64_t>(begin, 0));
    add(begin, now.bytes);
    for (std::size_t i = 0; i < changes.size(); ++i) {
        now.take(changes[i]);
        if (i + 1 == changes.size() || changes[i + 1].time != changes[i].time) add(changes[i].time, now.bytes);
    }
    return points;
}

}  // namespace shardlab::ui
