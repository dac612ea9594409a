// SPDX-License-Identifier: Apache-2.0
// Bytes as they come over a link, cut into frames; and what frames hold, with checksums that are right.
#include "engine/trace/event/event_codec.h"
#include "engine/trace/record/wire.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

struct Parsed {
    std::vector<std::pair<FrameType, Bytes>> frames;
    FrameParser::Outcome end{};
};

Parsed parsed(std::span<const std::byte> stream, std::size_t piece, std::size_t limit) {
    FrameParser parser;
    parser.setLimit(limit);
    Parsed result;
    for (std::size_t at = 0;; at += piece) {
        parser.feed(stream.subspan(at, std::min(piece, stream.size() - at)));
        Frame frame;
        while ((result.end = parser.next(frame)) == FrameParser::Outcome::Frame) {
            require(frame.size == frame.body.size() + frameOverhead, "a frame's size is that of its parts");
            require(frame.body.size() < limit, "no frame is above the limit");
            result.frames.emplace_back(frame.type, Bytes(frame.body.begin(), frame.body.end()));
        }
        if (result.end != FrameParser::Outcome::NeedMore || piece >= stream.size() - at) return result;
    }
}

void raw(Input& input) {
    const std::size_t limit = input.below(2) == 0 ? largestFrame : 4096;
    const std::size_t piece = 1 + input.below(300);
    const auto stream = input.bytes(std::size_t{1} << 24);
    const Parsed whole = parsed(stream, std::max<std::size_t>(stream.size(), 1), limit),
                 cut = parsed(stream, piece, limit);
    require(whole.frames == cut.frames && whole.end == cut.end, "frames do not depend on how their bytes arrive");
    Bytes again;
    for (const auto& [type, body] : whole.frames) appendFrame(again, type, body);
    require(again.size() <= stream.size() && std::equal(again.begin(), again.end(), stream.begin()),
            "frames are the bytes they were cut from");
    ByteReader left(stream.subspan(again.size()));
    const auto length = left.fixed<std::uint32_t>();
    left.fixed<std::uint32_t>();  // the checksum
    if (left.ok())
        require((length > limit) == (whole.end == FrameParser::Outcome::Oversized),
                "what is longer than the limit is refused");
}

void body(FrameType type, std::span<const std::byte> bytes) {
    switch (type) {
    case FrameType::Hello: {
        const Result<Hello> hello = decode<Hello>(bytes);
        if (!hello) return requireClear(hello.error());
        const Result<Hello> again = decode<Hello>(encode(*hello));
        require(again && again->rank == hello->rank && again->pid == hello->pid && again->host == hello->host &&
                    again->token == hello->token && again->commandsTaken == hello->commandsTaken,
                "a hello comes back");
        return;
    }
    case FrameType::Log: {
        const Result<LogLine> line = decode<LogLine>(bytes);
        if (!line) return requireClear(line.error());
        const Result<LogLine> again = decode<LogLine>(encode(*line));
        require(again && again->time == line->time && again->level == line->level &&
                    line->text.starts_with(again->text),
                "a log line comes back");
        return;
    }
    case FrameType::Name: {
        const Result<EventName> name = decode<EventName>(bytes);
        if (!name) return requireClear(name.error());
        const Result<EventName> again = decode<EventName>(encode(*name));
        require(again && again->number == name->number && name->text.starts_with(again->text), "a name comes back");
        return;
    }
    case FrameType::Events: {
        std::vector<Event> events, again;
        if (const Status read = decodeEvents(bytes, events); !read) {
            require(events.empty(), "a damaged block gives no events");
            return requireClear(read.error());
        }
        Bytes block, second;
        encodeEvents(events, block);
        require(decodeEvents(block, again).has_value(), "events that were read can be written");
        encodeEvents(again, second);
        require(again.size() == events.size() && block == second, "events come back bit for bit");
        return;
    }
    default: return;
    }
}

void framed(Input& input) {
    Bytes stream;
    std::vector<std::pair<FrameType, Bytes>> given;
    while (!input.empty()) {
        const auto type = static_cast<FrameType>(input.number<std::uint8_t>());
        const auto bytes = input.bytes(input.below(8192));
        given.emplace_back(type, Bytes(bytes.begin(), bytes.end()));
        appendFrame(stream, type, bytes);
        body(type, bytes);
    }
    const Parsed read = parsed(stream, std::max<std::size_t>(stream.size(), 1), largestFrame);
    require(read.frames == given && read.end == FrameParser::Outcome::NeedMore, "frames come out as they went in");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    input.number<std::uint8_t>() % 2 == 0 ? raw(input) : framed(input);
    return 0;
}
