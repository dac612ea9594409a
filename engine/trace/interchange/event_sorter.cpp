// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/event_sorter.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <queue>
#include <type_traits>

namespace shardlab::trace {
namespace {

static_assert(std::is_trivially_copyable_v<ForeignEvent>);
constexpr std::int64_t eventBytes = sizeof(ForeignEvent);
constexpr std::int64_t readAhead = 8192;  ///< events of each batch in memory while they are merged

Error failure(const std::filesystem::path& folder, const char* doing) {
    return {doing, folder.string(), std::strerror(errno), "Room for about as much as the trace itself, unpacked"};
}

}  // namespace

struct EventSorter::Batch {
    std::int64_t next = 0;  ///< place in the file, in events
    std::int64_t left = 0;
    std::vector<ForeignEvent> ahead;
    std::size_t at = 0;

    /// False at its end, or where it cannot be read.
    bool fill(std::FILE* file) {
        const std::int64_t count = std::min(left, readAhead);
        ahead.resize(static_cast<std::size_t>(count));
        at = 0;
        if (count == 0 || fseeko(file, next * eventBytes, SEEK_SET) != 0 ||
            std::fread(ahead.data(), eventBytes, ahead.size(), file) != ahead.size())
            return false;
        next += count;
        left -= count;
        return true;
    }
};

Status EventSorter::add(const ForeignEvent& event) {
    events_.push_back(event);
    ++size_;
    return events_.size() < batch_ ? Status{} : spill();
}

void EventSorter::sort() { std::stable_sort(events_.begin(), events_.end(), earlier); }

Status EventSorter::spill() {
    constexpr auto doing = "cannot sort the trace's events";
    if (!file_) {
        file_ = scratchFile(folder_);
        if (!file_) return fail(failure(folder_, doing));
    }
    sort();
    if (std::fwrite(events_.data(), eventBytes, events_.size(), file_.get()) != events_.size() ||
        std::fflush(file_.get()) != 0)
        return fail(failure(folder_, doing));
    batches_.push_back(static_cast<std::int64_t>(events_.size()));
    events_.clear();
    return {};
}

Status EventSorter::merge(const std::function<bool(const ForeignEvent&)>& take) {
    sort();
    std::vector<Batch> sources;
    std::int64_t place = 0;
    for (const std::int64_t count : batches_) {
        sources.push_back({.next = place, .left = count});
        place += count;
        if (!sources.back().fill(file_.get())) return fail(failure(folder_, "cannot read the sorted events back"));
    }
    sources.push_back({.ahead = std::move(events_)});
    // Among equal events the one added first comes first: batches are in the order in which they were filled.
    const auto later = [&](std::size_t a, std::size_t b) {
        const ForeignEvent& x = sources[a].ahead[sources[a].at];
        const ForeignEvent& y = sources[b].ahead[sources[b].at];
        return earlier(x, y) ? false : earlier(y, x) ? true : a > b;
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> heads(later);
    for (std::size_t i = 0; i < sources.size(); ++i)
        if (!sources[i].ahead.empty()) heads.push(i);
    while (!heads.empty()) {
        const std::size_t head = heads.top();
        heads.pop();
        Batch& source = sources[head];
        if (!take(source.ahead[source.at])) return {};
        if (++source.at < source.ahead.size()) {
            heads.push(head);
        } else if (source.left > 0) {
            if (!source.fill(file_.get())) return fail(failure(folder_, "cannot read the sorted events back"));
            heads.push(head);
        }
    }
    return {};
}

}  // namespace shardlab::trace
