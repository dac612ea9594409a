// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/sender_frames.h"

#include "engine/trace/event/legal_time.h"

#include <fmt/format.h>

namespace shardlab {
namespace {

constexpr int mostStages = 1 << 16, mostMicrobatches = (1 << 24) - 1;  ///< what an action's id holds

tl::unexpected<Error> damagedSender(const char* what) {
    return fail({std::string("damagedSender ") + what, "", "its fields are not what they may be", ""});
}

bool isLegal(const SenderEvent& event) {
    return mayBeSent(event.kind) && static_cast<int>(event.lane) < laneCount && event.end >= event.begin &&
           event.bytes >= 0 && event.step >= -1 && event.stage >= -1 && event.stage < mostStages &&
           event.microbatch >= -1 && event.microbatch < mostMicrobatches;
}

}  // namespace

bool mayBeSent(EventKind kind) {
    return (kind >= EventKind::Forward && kind <= EventKind::Recompute) || kind == EventKind::Optimizer ||
           kind == EventKind::Step || kind == EventKind::Validation ||
           (kind >= EventKind::Loss && kind <= EventKind::TokensPerSecond) ||
           (kind >= EventKind::Kernel && kind <= EventKind::Annotation) || kind == EventKind::NamedCounter ||
           kind == EventKind::Mark;
}

Bytes encodeTaken(std::uint64_t taken) {
    Bytes body;
    ByteWriter(body).fixed(taken);
    return body;
}

Bytes encode(const SenderJoin& join) {
    Bytes body;
    ByteWriter writer(body);
    for (const int number : {join.rank, join.world, join.pid}) writer.fixed(static_cast<std::int32_t>(number));
    writer.fixed(join.now);
    writer.fixed(join.started);
    writer.text(join.clock);
    writer.text(join.host);
    return body;
}

Result<SenderJoin> decodeJoin(std::span<const std::byte> body) {
    ByteReader reader(body);
    SenderJoin join;
    for (int* number : {&join.rank, &join.world, &join.pid}) *number = reader.fixed<std::int32_t>();
    join.now = reader.fixed<std::int64_t>();
    join.started = reader.fixed<std::int64_t>();
    join.clock = reader.text();
    join.host = reader.text();
    if (!reader.atEnd() || !isLegalTime(join.now) || !isLegalTime(join.started)) return damagedSender("join");
    return join;
}

Bytes encode(const SenderName& name) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(name.number);
    writer.text(name.text);
    return body;
}

Result<SenderName> decodeName(std::span<const std::byte> body) {
    ByteReader reader(body);
    SenderName name;
    name.number = reader.fixed<std::uint32_t>();
    name.text = reader.text();
    if (!reader.atEnd() || name.number == 0) return damagedSender("name");
    return name;
}

Bytes encode(const SenderEvents& events) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(events.first);
    writer.fixed(events.dropped);
    writer.fixed(static_cast<std::uint32_t>(events.events.size()));
    for (const SenderEvent& event : events.events) {
        for (const std::int64_t number : {event.begin, event.end, event.bytes}) writer.fixed(number);
        writer.fixed(event.value);
        writer.fixed(event.step);
        writer.fixed(event.name);
        writer.fixed(event.stage);
        writer.fixed(event.microbatch);
        writer.fixed(event.kind);
        writer.fixed(event.lane);
        writer.fixed(std::uint16_t{0});
    }
    return body;
}

Result<SenderEvents> decodeSenderEvents(std::span<const std::byte> body) {
    ByteReader reader(body);
    SenderEvents events;
    events.first = reader.fixed<std::uint64_t>();
    events.dropped = reader.fixed<std::uint64_t>();
    const auto count = reader.fixed<std::uint32_t>();
    if (!reader.ok() || count > mostSenderEvents || reader.left() != count * senderEventSize)
        return damagedSender("events");
    events.events.resize(count);
    for (SenderEvent& event : events.events) {
        for (std::int64_t* number : {&event.begin, &event.end, &event.bytes}) *number = reader.fixed<std::int64_t>();
        event.value = reader.fixed<double>();
        event.step = reader.fixed<std::int32_t>();
        event.name = reader.fixed<std::uint32_t>();
        event.stage = reader.fixed<std::int32_t>();
        event.microbatch = reader.fixed<std::int32_t>();
        event.kind = reader.fixed<EventKind>();
        event.lane = reader.fixed<Lane>();
        static_cast<void>(reader.fixed<std::uint16_t>());
        if (!isLegal(event)) return damagedSender("events");
        if (!isLegalTime(event.begin) || !isLegalTime(event.end))
            return fail({"damagedSender events", "",
                         fmt::format("event {} ({}) goes from {} to {} ns, beyond all times",
                                     events.first + static_cast<std::uint64_t>(&event - events.events.data()) + 1,
                                     name(event.kind), event.begin, event.end),
                         legalTimes});
    }
    return events;
}

}  // namespace shardlab
