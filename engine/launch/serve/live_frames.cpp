// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/live_frames.h"

namespace shardlab {
namespace {

tl::unexpected<Error> damagedLive(const char* what) {
    return fail({std::string("damagedLive ") + what, "", "its fields do not fill it exactly", ""});
}

}  // namespace

Bytes encode(const Greeting& greeting) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(greeting.protocol);
    writer.fixed(greeting.role);
    writer.fixed(greeting.caller);
    writer.text(greeting.program);
    writer.text(greeting.token);
    return body;
}

Result<Greeting> decodeGreeting(std::span<const std::byte> body) {
    ByteReader reader(body);
    Greeting greeting;
    greeting.protocol = reader.fixed<std::uint32_t>();
    // What a later protocol says after its number is not known here; that it is another one is.
    if (reader.ok() && greeting.protocol != liveProtocol) return greeting;
    greeting.role = reader.fixed<CallerRole>();
    greeting.caller = reader.fixed<std::uint64_t>();
    greeting.program = reader.text();
    greeting.token = reader.text();
    if (!reader.atEnd()) return damagedLive("greeting");
    return greeting;
}

Bytes encode(const ViewerWelcome& welcome) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(welcome.newest);
    writer.text(welcome.notice);
    return body;
}

Result<ViewerWelcome> decodeViewerWelcome(std::span<const std::byte> body) {
    ByteReader reader(body);
    ViewerWelcome welcome;
    welcome.newest = reader.fixed<std::int64_t>();
    welcome.notice = reader.text();
    if (!reader.atEnd()) return damagedLive("welcome");
    return welcome;
}

Bytes encode(const RunPosition& position) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(position.log);
    writer.fixed(position.name);
    writer.varint(position.lanes.size());
    for (const auto& [lane, place] : position.lanes) {
        writer.fixed(lane.source);
        writer.fixed(static_cast<std::int32_t>(lane.rank));
        writer.fixed(lane.lane);
        writer.varint(static_cast<std::uint64_t>(place.block));
        writer.varint(place.taken);
    }
    return body;
}

Result<RunPosition> decodePosition(std::span<const std::byte> body) {
    ByteReader reader(body);
    RunPosition position;
    position.log = reader.fixed<std::int64_t>();
    position.name = reader.fixed<std::int64_t>();
    const std::uint64_t lanes = reader.varint();
    for (std::uint64_t i = 0; i < lanes && reader.ok(); ++i) {
        LaneOfRun lane;
        lane.source = reader.fixed<EventSource>();
        lane.rank = reader.fixed<std::int32_t>();
        lane.lane = reader.fixed<Lane>();
        RunPosition::Place place;
        place.block = static_cast<std::int64_t>(reader.varint());
        place.taken = static_cast<std::uint32_t>(reader.varint());
        position.lanes[lane] = place;
    }
    if (!reader.atEnd() || position.lanes.size() != lanes) return damagedLive("position");
    return position;
}

Bytes encode(const Progress& progress) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(progress.newest);
    writer.fixed(static_cast<std::uint8_t>(progress.complete));
    return body;
}

Result<Progress> decodeProgress(std::span<const std::byte> body) {
    ByteReader reader(body);
    Progress progress;
    progress.newest = reader.fixed<std::int64_t>();
    progress.complete = reader.fixed<std::uint8_t>() != 0;
    if (!reader.atEnd()) return damagedLive("progress");
    return progress;
}

Bytes encode(const RunEnd& end) {
    Bytes body;
    ByteWriter writer(body);
    writer.text(end.outcome);
    writer.text(end.reason);
    return body;
}

Result<RunEnd> decodeEnd(std::span<const std::byte> body) {
    ByteReader reader(body);
    RunEnd end;
    end.outcome = reader.text();
    end.reason = reader.text();
    if (!reader.atEnd()) return damagedLive("end");
    return end;
}

Bytes encodeText(std::string_view text) {
    Bytes body;
    ByteWriter(body).text(text);
    return body;
}

Result<std::string> decodeText(std::span<const std::byte> body) {
    ByteReader reader(body);
    std::string text = reader.text();
    if (!reader.atEnd()) return damagedLive("text");
    return text;
}

}  // namespace shardlab
