// SPDX-License-Identifier: Apache-2.0
// What other programs say to a run that listens for them. The bytes are written down in resources/manual/72-links.md.
#pragma once

#include "engine/base/fields.h"
#include "engine/trace/event/event.h"
#include "engine/trace/event/legal_time.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardlab::launch {

/// Values are part of the protocol.
enum class SenderFrame : std::uint8_t {
    Join = 48,    ///< sender, after welcome, once: SenderJoin
    Taken = 49,   ///< to a sender: u64, so many of its events have been taken; its LiveFrame::Welcome says the same
    Name = 50,    ///< sender: SenderName, before the number is used
    Events = 51,  ///< sender: SenderEvents
    Doing = 52,   ///< sender, where nothing new has been recorded for a second: SenderDoing
};

struct SenderJoin {
    int rank = 0;
    int world = 1;
    int pid = 0;
    std::int64_t now = 0;      ///< nanoseconds of the sender's monotonic clock
    std::int64_t started = 0;  ///< the same, when it began to record: none of its events is earlier
    std::string clock;         ///< whose clock that is: the host's boot id, empty where it is not known
    std::string host;
};
void fields(auto& archive, FieldsOf<SenderJoin> auto& join) {
    archive.frame("join");
    archive("rank", join.rank);
    archive("world", join.world);
    archive("pid", join.pid);
    archive("now", join.now, isLegalTime, legalTimes);
    archive("started", join.started, isLegalTime, legalTimes);
    archive("clock", join.clock);
    archive("host", join.host);
}

struct SenderName {
    std::uint32_t number = 0;  ///< from 1, the sender's own
    std::string text;
};
void fields(auto& archive, FieldsOf<SenderName> auto& name) {
    archive.frame("name");
    archive(
        "number", name.number, [](std::uint32_t number) { return number != 0; }, "1 or more");
    archive("text", name.text);
}

/// The kinds of events that senders may use: those that a listening run can make sense of.
bool mayBeSent(EventKind kind);

/// An Event whose action is not known yet, but what it is made of. It takes 52 bytes in a frame.
struct SenderEvent {
    std::int64_t begin = 0, end = 0;  ///< nanoseconds of the sender's monotonic clock
    std::int64_t bytes = 0;
    double value = 0;
    std::int32_t step = -1;
    std::uint32_t name = 0;   ///< 0: none
    std::int32_t stage = -1;  ///< −1: none
    std::int32_t microbatch = -1;
    EventKind kind = EventKind::None;
    Lane lane = Lane::Host;
    /// The action that it belongs to, where that is not the one that leaves events of this kind: what a Wait waits for,
    /// which gather it is, the F or B that a tensor collective lies in.
    ActionKind action = ActionKind::None;
};
void fields(auto& archive, FieldsOf<SenderEvent> auto& event) {
    constexpr auto isAction = [](ActionKind kind) { return kind < ActionKind::Count; };
    constexpr auto isCount = [](std::int64_t count) { return count >= 0; };
    constexpr auto isNumber = [](std::int32_t number) { return number >= -1; };
    constexpr auto isStage = [](std::int32_t stage) { return stage >= -1 && stage < 1 << 16; };
    constexpr auto isMicrobatch = [](std::int32_t number) { return number >= -1 && number < (1 << 24) - 1; };
    archive("begin", event.begin, isLegalTime, legalTimes);
    archive("end", event.end, isLegalTime, legalTimes);
    archive("bytes", event.bytes, isCount, "0 or more");
    archive("value", event.value);
    archive("step", event.step, isNumber, "-1 or more");
    archive("name", event.name);
    archive("stage", event.stage, isStage, "-1 to 65535, which an action's id holds");
    archive("microbatch", event.microbatch, isMicrobatch, "-1 to 16777214, which an action's id holds");
    archive("kind", event.kind, mayBeSent, "a kind that resources/manual/72-links.md names");
    archive("lane", event.lane, Lane::Host);
    archive("action", event.action, isAction, "the number of a kind of action");
    std::uint8_t unused = 0;
    archive("unused", unused);
    archive.check("end", event.end >= event.begin, "it is before the begin");
}

inline constexpr std::uint32_t mostSenderEvents = 4096;  ///< in a frame

struct SenderEvents {
    std::uint64_t first = 0;    ///< how many events the sender has sent before these, not counting those it dropped
    std::uint64_t dropped = 0;  ///< how many it has dropped so far, because its queue was full
    std::vector<SenderEvent> events;
};
void fields(auto& archive, FieldsOf<SenderEvents> auto& events) {
    archive.frame("events");
    archive("first", events.first);
    archive("dropped", events.dropped);
    archive.list("event", events.events, mostSenderEvents);
}

/// What a rank does that has recorded nothing for a while: by this it is known who hangs.
struct SenderDoing {
    std::int64_t since = 0;  ///< nanoseconds of the sender's monotonic clock
    std::int32_t step = -1;
    bool waits = false;  ///< for a message or a collective of other ranks
    std::string text;    ///< "in 2F3", "after 2B7": for people
};
void fields(auto& archive, FieldsOf<SenderDoing> auto& doing) {
    constexpr auto isNumber = [](std::int32_t number) { return number >= -1; };
    archive.frame("doing");
    archive("since", doing.since, isLegalTime, legalTimes);
    archive("step", doing.step, isNumber, "-1 or more");
    archive("waits", doing.waits);
    archive("text", doing.text);
}

}  // namespace shardlab::launch
