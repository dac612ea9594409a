// SPDX-License-Identifier: Apache-2.0
// What is said over TCP between a run and its viewers, and between other programs and a run that listens for them. The
// bytes are written down in resources/manual/72-links.md; the frames themselves in resources/manual/70-run-file.md, the
// rows of a run in engine/trace/run_file/row_fields.h.
#pragma once

#include "engine/base/fields.h"

#include <cstdint>
#include <string>

namespace shardlab::launch {

inline constexpr std::uint32_t liveProtocol = 1;

/// Values are part of the protocol.
enum class LiveFrame : std::uint8_t {
    Greeting = 32,  ///< caller, first
    Refusal = 33,   ///< to a caller, last: text
    Welcome = 34,   ///< to a caller, once
    From = 35,      ///< viewer, after welcome: the RunPosition from which to send
    Meta = 36,
    Rank = 37,
    Log = 38,
    Name = 39,
    Block = 40,
    Progress = 41,  ///< to a viewer: all that is stored by now has been sent, or some of it
    End = 42,       ///< to a viewer, last: a RunEnd; nothing more will come
    Leave = 43,     ///< caller, last: it will not be back
};

/// A relay passes on the calls of several senders (relayed_calls.h).
enum class CallerRole : std::uint8_t { Viewer = 1, Sender = 2, Relay = 3 };

struct Greeting {
    std::uint32_t protocol = liveProtocol;
    CallerRole role = CallerRole::Viewer;
    std::uint64_t caller = 0;  ///< a random number that stays the same over lost connections
    std::string program;       ///< for people: "shardlab 0.1.0"
    std::string token;
};
void fields(auto& archive, FieldsOf<Greeting> auto& greeting) {
    archive.frame("greeting");
    if (!archive.version("protocol", greeting.protocol, liveProtocol)) return;
    archive("role", greeting.role);
    archive("caller", greeting.caller);
    archive("program", greeting.program);
    archive("token", greeting.token);
}

/// The answer to a viewer that is let in.
struct ViewerWelcome {
    std::int64_t newest = 0;  ///< number of the run's newest block
    std::string notice;       ///< why the viewer's last connection was closed; empty where there is nothing to say
};
void fields(auto& archive, FieldsOf<ViewerWelcome> auto& welcome) {
    archive.frame("welcome");
    archive("newest", welcome.newest);
    archive("notice", welcome.notice);
}

struct Progress {
    std::int64_t newest = 0;  ///< number of the run's newest block
    bool complete = false;    ///< all that is stored by now has been sent
};
void fields(auto& archive, FieldsOf<Progress> auto& progress) {
    archive.frame("progress");
    archive("newest", progress.newest);
    archive("complete", progress.complete);
}

}  // namespace shardlab::launch
