// SPDX-License-Identifier: Apache-2.0
// One rank of another program as the listening run sees it: over all its connections, its events once and in order.
#pragma once

#include "engine/launch/serve/name_table.h"
#include "engine/launch/serve/sender_frames.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardlab::launch {

/// A sender has no more names than that: an event with another is refused.
inline constexpr std::size_t mostSenderNames = std::size_t{1} << 18;

class Sender {
public:
    /// `offset` is added to times of the sender's clock to have those of the run's.
    Sender(SenderJoin join, std::int64_t offset) : join_(std::move(join)), offset_(offset) {}

    const SenderJoin& join() const { return join_; }
    /// Events that it has recorded and need not send again.
    std::uint64_t taken() const { return taken_; }
    /// The events that it recorded before this run: another listener has them. None is known before its first event.
    std::uint64_t before() const { return before_.value_or(0); }
    void name(const SenderName& name, NameTable& names) {
        if (names_.size() < mostSenderNames || names_.contains(name.number))
            names_[name.number] = names.numberOf(name.text);
    }
    /// Replaces `events` by what is new in `sent`, as events of the run. False: events were left out that no drop
    /// accounts for, or a name is not known. The first may begin in the middle of what the sender records.
    bool take(const SenderEvents& sent, std::vector<Event>& events);

private:
    bool translate(const SenderEvent& sent, Event& event) const;

    SenderJoin join_;
    std::int64_t offset_;
    std::uint64_t taken_ = 0;
    std::optional<std::uint64_t> before_;  ///< none: nothing was sent yet
    std::uint64_t dropped_ = 0;
    std::map<std::uint32_t, std::uint32_t> names_;  ///< from the sender's numbers to the run's
};

}  // namespace shardlab::launch
