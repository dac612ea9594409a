// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/stored_lane.h"

#include <algorithm>
#include <limits>
#include <ranges>

namespace shardlab::ui {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();
constexpr double exactCells = 64;  ///< of a stretch of time, below which events are looked at in place of cells

bool isWithin(const Event& event, std::int64_t begin, std::int64_t end) {
    return event.end > begin && event.begin < end;
}

void sortByBegin(std::vector<Event>& events) {
    if (!std::ranges::is_sorted(events, {}, &Event::begin)) std::ranges::stable_sort(events, {}, &Event::begin);
}

/// Spans that begin in [begin, end).
std::span<const Event> beginning(const std::vector<Event>& spans, std::int64_t begin, std::int64_t end) {
    const auto first = std::ranges::lower_bound(spans, begin, {}, &Event::begin);
    const auto last =
        end == forever ? spans.end() : std::ranges::lower_bound(first, spans.end(), end, {}, &Event::begin);
    return {first, last};
}

}  // namespace

std::int64_t StoredLane::lastEnd() const {
    std::int64_t last = reach_.empty() ? 0 : reach_.back();
    for (const Event& event : open_.spans) last = std::max(last, event.end);
    return last;
}

StoredLane::Touching StoredLane::touching(std::int64_t begin, std::int64_t end) const {
    Touching found;
    found.open = !open_.spans.empty() && open_.spans.front().begin < end;
    const auto first = std::ranges::upper_bound(reach_, begin);
    for (auto i = static_cast<std::size_t>(first - reach_.begin()); i < entries_.size() && entries_[i].begin < end; ++i)
        if (entries_[i].end > begin) found.blocks.push_back(i);
    return found;
}

template <class Visit>
void StoredLane::visit(const Touching& touching, const Visit& visit) const {
    for (const std::size_t entry : touching.blocks) visit(load(entry)->spans);
    if (touching.open) visit(open_.spans);
}

std::vector<Event> StoredLane::within(std::int64_t begin, std::int64_t end) const {
    std::vector<Event> found;
    visit(touching(begin, end), [&](const std::vector<Event>& spans) {
        for (const Event& event : beginning(spans, never, end))
            if (isWithin(event, begin, end)) found.push_back(event);
    });
    sortByBegin(found);
    return found;
}

std::int64_t StoredLane::count(std::int64_t begin, std::int64_t end) const {
    std::int64_t sum = 0;
    const auto add = [&](const std::vector<Event>& spans) {
        sum += std::ranges::count_if(beginning(spans, never, end),
                                     [&](const Event& event) { return isWithin(event, begin, end); });
    };
    const Touching found = touching(begin, end);
    for (const std::size_t i : found.blocks) {
        const Entry& entry = entries_[i];
        if (entry.digest && entry.digest->begin > begin && entry.digest->end < end) sum += entry.digest->spans;
        else add(load(i)->spans);
    }
    if (found.open) add(open_.spans);
    return sum;
}

std::vector<Event> StoredLane::ofStep(std::int32_t step, Stretch within, Stretch likely) const {
    std::vector<Event> found;
    const auto take = [&](const std::vector<Event>& spans) {
        for (const Event& event : beginning(spans, within.begin, within.end))
            if (event.step == step) found.push_back(event);
    };
    for (std::size_t i = 0; i < entries_.size() && entries_[i].begin < within.end; ++i) {
        const Entry& entry = entries_[i];
        if (entry.end < within.begin) continue;
        const bool has = entry.digest ? entry.digest->firstStep <= step && step <= entry.digest->lastStep
                                      : entry.begin <= likely.end && entry.end >= likely.begin;
        if (has) take(load(i)->spans);
    }
    take(open_.spans);
    sortByBegin(found);
    return found;
}

std::size_t StoredLane::pageAt(std::int64_t time) const {
    const auto after = std::ranges::upper_bound(entries_, time, {}, &Entry::begin);
    return after == entries_.begin() ? 0 : static_cast<std::size_t>(after - entries_.begin()) - 1;
}

std::int64_t StoredLane::pageBegin(std::size_t page) const {
    return page == 0 || page >= entries_.size() ? never : entries_[page].begin;
}

std::vector<std::size_t> StoredLane::entriesOf(std::size_t page) const {
    std::vector<std::size_t> needed;
    for (std::size_t i = page + 1; i-- > 0 && i < entries_.size() && (page == 0 || reach_[i] >= pageBegin(page));)
        if (entries_[i].end >= pageBegin(page)) needed.push_back(i);
    std::ranges::reverse(needed);
    return needed;
}

std::vector<Event> StoredLane::page(std::size_t page) const {
    const std::int64_t begin = pageBegin(page);
    const std::int64_t end = page + 1 < entries_.size() ? entries_[page + 1].begin : forever;
    std::vector<Event> events;
    const auto take = [&](const std::vector<Event>& spans) {
        const auto part = beginning(spans, begin, end);
        events.insert(events.end(), part.begin(), part.end());
    };
    for (const std::size_t entry : entriesOf(page)) take(load(entry)->spans);
    take(open_.spans);
    sortByBegin(events);
    return events;
}

std::optional<Event> StoredLane::next(std::int64_t time, const std::function<bool(const Event&)>& wanted,
                                      const Event* from) const {
    for (std::size_t at = pageAt(time); at < pages(); ++at) {
        const std::vector<Event> events = page(at);
        auto place = std::ranges::lower_bound(events, time, {}, &Event::begin);
        if (from) {
            const auto known = std::find(place, events.end(), *from);
            if (known != events.end()) place = known + 1;
            from = nullptr;
        }
        if (const auto found = std::find_if(place, events.end(), wanted); found != events.end()) return *found;
    }
    return {};
}

std::optional<Event> StoredLane::previous(std::int64_t time, const std::function<bool(const Event&)>& wanted,
                                          const Event* from) const {
    for (std::size_t at = pages() == 0 ? 0 : pageAt(time) + 1; at-- > 0;) {
        const std::vector<Event> events = page(at);
        auto place = std::ranges::lower_bound(events, time, {}, &Event::begin);
        if (from) {
            if (const auto known = std::find(place, events.end(), *from); known != events.end()) place = known;
            from = nullptr;
        }
        const auto found = std::find_if(std::make_reverse_iterator(place), events.rend(), wanted);
        if (found != events.rend()) return *found;
    }
    return {};
}

std::vector<Event> StoredLane::all() const {
    std::vector<Event> events;
    for (std::size_t at = 0; at < pages(); ++at) {
        const std::vector<Event> part = page(at);
        events.insert(events.end(), part.begin(), part.end());
    }
    return events;
}

Coverage StoredLane::coverage(std::int64_t begin, std::int64_t end) const {
    Coverage covered;
    const auto add = [&](const std::vector<Event>& spans) {
        for (const Event& event : beginning(spans, never, end))
            if (const Paint paint = paintOf(event.kind); paint != Paint::None && isWithin(event, begin, end))
                covered[paint] += std::min(event.end, end) - std::max(event.begin, begin);
    };
    const Touching found = touching(begin, end);
    for (const std::size_t i : found.blocks) {
        const BlockDigest* const digest = entries_[i].digest.get();
        if (digest && digest->begin >= begin && digest->end <= end) covered += digest->overview.total();
        else if (digest && static_cast<double>(end) - static_cast<double>(begin) > exactCells * digest->overview.cell())
            covered += digest->overview.within(begin, end);
        else add(load(i)->spans);
    }
    if (found.open) add(open_.spans);
    return covered;
}

bool StoredLane::known(std::int64_t begin, std::int64_t end) const {
    const Touching found = touching(begin, end);
    const auto seen = [&](std::size_t i) { return entries_[i].digest || cache_->find(entries_[i].key); };
    return (found.open || !found.blocks.empty()) && std::ranges::all_of(found.blocks, seen);
}

void StoredLane::refreshReach(std::size_t from) {
    reach_.resize(entries_.size());
    for (std::size_t i = from; i < entries_.size(); ++i)
        reach_[i] = std::max(entries_[i].end, i > 0 ? reach_[i - 1] : never);
}

void StoredLane::add(Entry entry) {
    const auto place = std::ranges::upper_bound(entries_, entry.begin, {}, &Entry::begin);
    const auto at = static_cast<std::size_t>(place - entries_.begin());
    entries_.insert(place, std::move(entry));
    refreshReach(at);
}

void StoredLane::join(std::size_t entry, BlockKey key, std::shared_ptr<const BlockDigest> digest) {
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(entry);
    const Entry& second = *(first + 1);
    *first = {key, first->begin, std::max(first->end, second.end), first->count + second.count, std::move(digest)};
    entries_.erase(first + 1);
    refreshReach(entry);
}

void StoredLane::digest(BlockKey key, std::int64_t begin, std::shared_ptr<const BlockDigest> digest) {
    const auto from = std::ranges::lower_bound(entries_, begin, {}, &Entry::begin);
    auto entry =
        std::find_if(from, entries_.end(), [&](const Entry& each) { return each.key == key || each.begin > begin; });
    if (entry == entries_.end() || entry->key != key) entry = std::ranges::find(entries_, key, &Entry::key);
    if (entry == entries_.end()) return;
    entry->digest = std::move(digest);
    if (entry->digest->spans == 0 || (entry->digest->begin >= entry->begin && entry->digest->end <= entry->end)) return;
    // The row of the block told less than there is.
    entry->begin = std::min(entry->begin, entry->digest->begin);
    entry->end = std::max(entry->end, entry->digest->end);
    std::ranges::stable_sort(entries_, {}, &Entry::begin);
    refreshReach(0);
}

}  // namespace shardlab::ui
