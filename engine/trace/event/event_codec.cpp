// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event/event_codec.h"

#include "engine/trace/event/column_codec.h"
#include "engine/trace/event/legal_time.h"

#include <array>
#include <bit>
#include <cassert>
#include <limits>

namespace shardlab::trace {
namespace {

static_assert(largestBlock == largestColumn);

using Column = std::array<std::int64_t, largestBlock>;

template <class T>
bool fits(std::int64_t value) {
    return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

}  // namespace

void encodeEvents(std::span<const Event> events, Bytes& out) {
    assert(!events.empty() && events.size() <= largestBlock);
    ByteWriter writer(out);
    writer.varint(events.size());
    Column column;
    const auto write = [&](bool mayRepeat, auto value) {
        for (std::size_t i = 0; i < events.size(); ++i) column[i] = value(events[i]);
        writeColumn(writer, std::span(column).first(events.size()), mayRepeat);
    };
    write(false, [](const Event& event) { return event.begin; });
    write(true, [](const Event& event) { return wrappingDifference(event.end, event.begin); });
    write(true, [](const Event& event) { return static_cast<std::int64_t>(event.action); });
    write(true, [](const Event& event) { return event.bytes; });
    write(true, [](const Event& event) { return reversedBits(std::bit_cast<std::uint64_t>(event.value)); });
    write(true, [](const Event& event) { return std::int64_t{event.step}; });
    write(true, [](const Event& event) { return std::int64_t{event.rank}; });
    write(true, [](const Event& event) {
        return static_cast<std::int64_t>(event.kind) * laneCount + static_cast<std::int64_t>(event.lane);
    });
}

Status decodeEvents(std::span<const std::byte> block, std::vector<Event>& events) {
    events.clear();
    const auto damaged = [&](const char* why) {
        events.clear();
        return fail({"damaged block of events", "", why, ""});
    };
    ByteReader reader(block);
    const std::uint64_t count = reader.varint();
    if (!reader.ok() || count == 0 || count > largestBlock) return damaged("its count is not within 1 to 4096");
    events.resize(static_cast<std::size_t>(count));
    Column column;
    const auto read = [&](auto store) {
        if (!readColumn(reader, std::span(column).first(events.size()))) return false;
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (!store(events[i], column[i])) return false;
        }
        return true;
    };
    const bool whole =
        read([](Event& event, std::int64_t value) { return event.begin = value, true; }) &&
        read([](Event& event, std::int64_t value) { return event.end = wrappingSum(event.begin, value), true; }) &&
        read([](Event& event, std::int64_t value) { return event.action = static_cast<ActionId>(value), true; }) &&
        read([](Event& event, std::int64_t value) { return event.bytes = value, true; }) &&
        read([](Event& event, std::int64_t value) {
            return event.value = std::bit_cast<double>(reversedBack(value)), true;
        }) &&
        read([](Event& event, std::int64_t value) {
            return event.step = static_cast<std::int32_t>(value), fits<std::int32_t>(value);
        }) &&
        read([](Event& event, std::int64_t value) {
            return event.rank = static_cast<std::int16_t>(value), fits<std::int16_t>(value);
        }) &&
        read([](Event& event, std::int64_t value) {
            event.lane = static_cast<Lane>(value % laneCount);
            event.kind = static_cast<EventKind>(value / laneCount);
            return value >= 0 && value < 256 * laneCount;
        });
    if (!whole) return damaged("a column does not decode");
    if (!reader.atEnd()) return damaged("there are bytes behind it");
    if (auto why = illegalTime(events)) {
        events.clear();
        return fail({"damaged block of events", "", *why, legalTimes});
    }
    return {};
}

}  // namespace shardlab::trace
