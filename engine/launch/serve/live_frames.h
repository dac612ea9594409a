// SPDX-License-Identifier: Apache-2.0
// What is said over TCP between a run and its viewers, and between other programs and a run that listens for them. The
// bytes are written down in resources/manual/72-links.md; the frames themselves in resources/manual/70-run-file.md.
#pragma once

#include "engine/base/bytes.h"
#include "engine/trace/record/wire.h"
#include "engine/trace/run_file/run_rows.h"

#include <cstdint>
#include <span>
#include <string>

namespace shardlab {

inline constexpr std::uint32_t liveProtocol = 1;
inline constexpr std::size_t largestGreeting = 4096;  ///< type and body, of what a caller may send before it is let in

/// Values are part of the protocol.
enum class LiveFrame : std::uint8_t {
    Greeting = 32,  ///< caller, first
    Refusal = 33,   ///< to a caller, last: text
    Welcome = 34,   ///< to a caller, once
    From = 35,      ///< viewer, after welcome: the position from which to send
    Meta = 36,
    Rank = 37,
    Log = 38,
    Name = 39,
    Block = 40,
    Progress = 41,  ///< to a viewer: all that is stored by now has been sent, or some of it
    End = 42,       ///< to a viewer, last: nothing more will come
    Leave = 43,     ///< caller, last: it will not be back
};
constexpr FrameType frameType(LiveFrame type) { return static_cast<FrameType>(type); }

enum class CallerRole : std::uint8_t { Viewer = 1, Sender = 2 };

struct Greeting {
    std::uint32_t protocol = liveProtocol;
    CallerRole role = CallerRole::Viewer;
    std::uint64_t caller = 0;  ///< a random number that stays the same over lost connections
    std::string program;       ///< for people: "shardlab 0.1.0"
    std::string token;
};
Bytes encode(const Greeting& greeting);
Result<Greeting> decodeGreeting(std::span<const std::byte> body);

/// To a viewer. `notice`: why its last connection was closed; empty where there is nothing to say.
struct ViewerWelcome {
    std::int64_t newest = 0;  ///< number of the run's newest block
    std::string notice;
};
Bytes encode(const ViewerWelcome& welcome);
Result<ViewerWelcome> decodeViewerWelcome(std::span<const std::byte> body);

Bytes encode(const RunPosition& position);
Result<RunPosition> decodePosition(std::span<const std::byte> body);

struct Progress {
    std::int64_t newest = 0;  ///< number of the run's newest block
    bool complete = false;    ///< all that is stored by now has been sent
};
Bytes encode(const Progress& progress);
Result<Progress> decodeProgress(std::span<const std::byte> body);

Bytes encode(const RunEnd& end);
Result<RunEnd> decodeEnd(std::span<const std::byte> body);

Bytes encodeText(std::string_view text);
Result<std::string> decodeText(std::span<const std::byte> body);

}  // namespace shardlab
