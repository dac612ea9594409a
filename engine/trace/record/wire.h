// SPDX-License-Identifier: Apache-2.0
// Frames: what lies in a rank's spool and goes over its link to the collector. The bytes are written down in
// resources/manual/70-run-file.md.
//
// A frame is: length of type and body (u32), their CRC-32C (u32), type (u8), body. Frames of the kinds that are spooled
// begin their body with their own offset in the spool, so that the stream after a break goes on where it broke and
// nothing counts twice. What a rank sends after `welcome` is simply its spool, byte for byte.
#pragma once

#include "engine/base/fields.h"
#include "engine/trace/event/clock_line.h"
#include "engine/trace/event/event.h"
#include "engine/trace/event/legal_time.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace shardlab::trace {

inline constexpr std::uint32_t wireProtocol = 1;
inline constexpr std::size_t frameOverhead = 9;                    ///< length, checksum, type
inline constexpr std::size_t largestFrame = std::size_t{1} << 20;  ///< type and body

/// Values are part of the protocol.
enum class FrameType : std::uint8_t {
    Hello = 1,    ///< rank → collector, first
    Welcome = 2,  ///< collector → rank: u64, the spool's offset from which to send
    Events = 3,   ///< spooled: u64 offset, a block (event_codec.h)
    Log = 4,      ///< spooled: u64 offset, i64 time, u8 level, text
    Goodbye = 5,  ///< spooled: u64 offset, text: the rank's own end
    Ack = 6,      ///< collector → rank: u64, all before this offset has been handed over
    Command = 7,  ///< collector → rank: u8
    Clock = 8,    ///< collector → rank on another host: a ClockLine
    Fault = 9,    ///< collector → rank: u8, the InjectedFaultKind that it is to do to itself
    Name = 10,    ///< spooled: u64 offset, an EventName, before the first event that has it
};

/// The frame types of a protocol: this one's, or those of another that sends such frames.
template <class T>
concept FrameTypes = std::is_enum_v<T> && std::same_as<std::underlying_type_t<T>, std::uint8_t>;

struct Frame {
    FrameType type{};
    std::span<const std::byte> body;
    std::size_t size = 0;  ///< of the whole frame

    /// The frame's type in another protocol.
    template <FrameTypes Type>
    Type as() const {
        return static_cast<Type>(type);
    }
};

void appendFrame(Bytes& out, FrameType type, std::span<const std::byte> body);
void appendFrame(Bytes& out, FrameTypes auto type, std::span<const std::byte> body) {
    appendFrame(out, static_cast<FrameType>(type), body);
}

/// Cuts a stream of bytes into frames.
class FrameParser {
public:
    enum class Outcome : std::uint8_t { Frame, NeedMore, Oversized, Damaged };

    void feed(std::span<const std::byte> bytes);
    /// `frame.body` stays valid until the next feed(). Oversized and Damaged are final: where the next frame would
    /// begin is not known any more.
    Outcome next(Frame& frame);
    /// Until the handshake is done, a smaller limit keeps strangers from filling memory.
    void setLimit(std::size_t limit) { limit_ = limit; }

private:
    Bytes buffer_;
    std::size_t at_ = 0;
    std::size_t limit_ = largestFrame;
};

struct Hello {
    std::uint32_t protocol = wireProtocol;
    int rank = 0;
    int pid = 0;
    std::uint32_t commandsTaken = 0;  ///< commands that have arrived over earlier links
    std::string host;
    std::string token;
};

void fields(auto& archive, FieldsOf<Hello> auto& hello) {
    archive.frame("hello");
    if (!archive.version("protocol", hello.protocol, wireProtocol)) return;
    archive("rank", hello.rank);
    archive("pid", hello.pid);
    archive("commands taken", hello.commandsTaken);
    archive("host", hello.host);
    archive("token", hello.token);
}

/// What a rank calls events that are no actions.
struct EventName {
    std::uint32_t number = 0;  ///< from 1, the rank's own: in the order in which it names them
    std::string text;
};

void fields(auto& archive, FieldsOf<EventName> auto& name) {
    archive.frame("name");
    archive(
        "number", name.number, [](std::uint32_t number) { return number != 0; }, "1 or more");
    archive.text("text", name.text, largestLogText);
}

void fields(auto& archive, FieldsOf<ClockLine> auto& line) {
    archive.frame("clock line");
    archive("origin", line.origin, isLegalTime, legalTimes);
    archive("at", line.at, isLegalTime, legalTimes);
    // The comparison also refuses what is no number.
    archive(
        "drift", line.drift, [](double drift) { return drift >= -1e-3 && drift <= 1e-3; }, "at most a thousandth");
}

/// The rank is left out, since the link says whose line it is; the spool puts its offset in front.
void fields(auto& archive, FieldsOf<LogLine> auto& line) {
    archive.frame("log line");
    archive("time", line.time, isLegalTime, legalTimes);
    archive("level", line.level, LogLevel::Error);
    archive.text("text", line.text, largestLogText);
}

}  // namespace shardlab::trace
