// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/sender.h"

#include <algorithm>

namespace shardlab::launch {
namespace {

/// The kind of action that an event of another program belongs to; None where it belongs to none.
ActionKind sentAction(const SenderEvent& sent) {
    return sent.action != ActionKind::None ? sent.action : actionOf(sent.kind);
}

}  // namespace

bool Sender::translate(const SenderEvent& sent, Event& event) const {
    // A rank that began before the first one that connected has nothing before the run's beginning.
    event.begin = std::max<std::int64_t>(0, sent.begin + offset_);
    event.end = std::max<std::int64_t>(0, sent.end + offset_);
    event.bytes = sent.bytes;
    event.value = sent.value;
    event.step = sent.step;
    event.rank = static_cast<std::int16_t>(join_.rank);
    event.kind = sent.kind;
    event.lane = sent.lane;
    const auto name = names_.find(sent.name);
    if (sent.name != 0 && name == names_.end()) return false;
    const ActionKind action = sentAction(sent);
    if (action == ActionKind::None) event.action = sent.name != 0 ? namedId(name->second) : 0;
    else
        event.action = actionId(
            {action, std::max(0, sent.stage), actionTraits[action].ofMicrobatch ? std::max(0, sent.microbatch) : -1});
    return true;
}

bool Sender::take(const SenderEvents& sent, std::vector<Event>& events) {
    events.clear();
    if (!before_) {
        constexpr std::uint64_t most = std::uint64_t{1} << 60;  // whoever counts further has not counted events
        if (sent.first > most) return false;
        before_ = taken_ = sent.first;
    }
    if (sent.first > taken_ || sent.dropped < dropped_) return false;
    const std::uint64_t known = taken_ - sent.first;
    for (std::size_t i = known; i < sent.events.size(); ++i)
        if (!translate(sent.events[i], events.emplace_back())) return false;
    taken_ = std::max(taken_, sent.first + sent.events.size());
    if (sent.dropped > dropped_) {
        Event event;
        event.begin = event.end = events.empty() ? 0 : events.back().end;
        event.value = static_cast<double>(sent.dropped - dropped_);
        event.rank = static_cast<std::int16_t>(join_.rank);
        event.lane = Lane::Host;
        event.kind = EventKind::Dropped;
        events.push_back(event);
        dropped_ = sent.dropped;
    }
    return true;
}

}  // namespace shardlab::launch
