// SPDX-License-Identifier: Apache-2.0
// What other programs say to a run that listens for them. The bytes are written down in resources/manual/72-links.md.
#pragma once

#include "engine/trace/event/event.h"
#include "engine/launch/serve/live_frames.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardlab {

/// Values are part of the protocol.
enum class SenderFrame : std::uint8_t {
    Join = 48,    ///< sender, after welcome, once
    Taken = 49,   ///< to a sender: so many of its events have been taken
    Name = 50,    ///< sender: what a number stands for, before it is used
    Events = 51,  ///< sender
};
constexpr FrameType frameType(SenderFrame type) { return static_cast<FrameType>(type); }

/// To a sender, in the frame of LiveFrame::Welcome: how many of its events have been taken over earlier connections.
Bytes encodeTaken(std::uint64_t taken);

struct SenderJoin {
    int rank = 0;
    int world = 1;
    int pid = 0;
    std::int64_t now = 0;      ///< nanoseconds of the sender's monotonic clock
    std::int64_t started = 0;  ///< the same, when it began to record: none of its events is earlier
    std::string clock;         ///< whose clock that is: the host's boot id, empty where it is not known
    std::string host;
};
Bytes encode(const SenderJoin& join);
Result<SenderJoin> decodeJoin(std::span<const std::byte> body);

struct SenderName {
    std::uint32_t number = 0;  ///< from 1, the sender's own
    std::string text;
};
Bytes encode(const SenderName& name);
Result<SenderName> decodeName(std::span<const std::byte> body);

/// 52 bytes each; as an Event, but for what an event's action is made of.
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
};
inline constexpr std::size_t senderEventSize = 52;
inline constexpr std::size_t mostSenderEvents = 4096;  ///< in a frame
/// The kinds that senders may use: those a listening run can make sense of.
bool mayBeSent(EventKind kind);

struct SenderEvents {
    std::uint64_t first = 0;    ///< how many events the sender has sent before these, not counting those it dropped
    std::uint64_t dropped = 0;  ///< how many it has dropped so far, because its queue was full
    std::vector<SenderEvent> events;
};
Bytes encode(const SenderEvents& events);
/// Error: also kinds and lanes that may not be sent, events that end before they begin, and times that are not
/// legal (trace/event/legal_time.h).
Result<SenderEvents> decodeSenderEvents(std::span<const std::byte> body);

}  // namespace shardlab
