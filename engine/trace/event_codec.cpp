// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event_codec.h"

#include <array>
#include <bit>
#include <cassert>
#include <limits>

namespace shardlab {
namespace {

enum class Mode : std::uint8_t { Constant, Deltas, Dictionary };

constexpr std::size_t largestDictionary = 256;

using Column = std::array<std::int64_t, largestBlock>;

std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrappingDifference(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// The bits of a double with the bytes reversed: sign, exponent and leading digits become the low, short part.
std::int64_t reversedBits(std::uint64_t bits) { return static_cast<std::int64_t>(__builtin_bswap64(bits)); }

/// Numbers up to 256 distinct values in the order of their first appearance.
class Dictionary {
public:
    /// False where there are too many.
    bool number(std::span<const std::int64_t> values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!find(values[i], indices_[i])) return false;
        }
        return true;
    }
    std::span<const std::int64_t> values() const { return {values_.data(), count_}; }
    std::span<const std::uint8_t> indices(std::size_t count) const { return {indices_.data(), count}; }

private:
    bool find(std::int64_t value, std::uint8_t& index) {
        std::size_t slot = (static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15u) >> 54;
        while (slots_[slot] != 0) {
            const std::size_t at = slots_[slot] - 1u;
            if (values_[at] == value) {
                index = static_cast<std::uint8_t>(at);
                return true;
            }
            slot = (slot + 1) % slots_.size();
        }
        if (count_ == largestDictionary) return false;
        index = static_cast<std::uint8_t>(count_);
        values_[count_++] = value;
        slots_[slot] = static_cast<std::uint16_t>(count_);
        return true;
    }

    std::array<std::uint16_t, 1024> slots_{};  ///< 0 free, else index + 1
    std::array<std::int64_t, largestDictionary> values_;
    std::array<std::uint8_t, largestBlock> indices_;
    std::size_t count_ = 0;
};

void writeDeltas(ByteWriter& out, std::span<const std::int64_t> values) {
    std::int64_t before = 0;
    for (std::int64_t value : values) {
        out.varint(zigzag(wrappingDifference(value, before)));
        before = value;
    }
}

void writeColumn(ByteWriter& out, std::span<const std::int64_t> values, bool mayRepeat) {
    if (mayRepeat) {
        Dictionary dictionary;
        const bool few = dictionary.number(values);
        if (few && dictionary.values().size() == 1) {
            out.fixed(Mode::Constant);
            out.varint(zigzag(values.front()));
            return;
        }
        if (few && dictionary.values().size() * 2 <= values.size()) {
            out.fixed(Mode::Dictionary);
            out.varint(dictionary.values().size());
            writeDeltas(out, dictionary.values());
            out.bytes(std::as_bytes(dictionary.indices(values.size())));
            return;
        }
    }
    out.fixed(Mode::Deltas);
    writeDeltas(out, values);
}

bool readDeltas(ByteReader& in, std::span<std::int64_t> values) {
    std::int64_t value = 0;
    for (std::int64_t& place : values) {
        value = wrappingSum(value, unzigzag(in.varint()));
        place = value;
    }
    return in.ok();
}

bool readColumn(ByteReader& in, std::span<std::int64_t> values) {
    switch (static_cast<Mode>(in.fixed<std::uint8_t>())) {
        case Mode::Constant: {
            const std::int64_t value = unzigzag(in.varint());
            for (std::int64_t& place : values) place = value;
            return in.ok();
        }
        case Mode::Deltas: return readDeltas(in, values);
        case Mode::Dictionary: {
            const std::uint64_t count = in.varint();
            if (count > largestDictionary) return false;
            std::array<std::int64_t, largestDictionary> words{};
            if (!readDeltas(in, std::span(words).first(static_cast<std::size_t>(count)))) return false;
            const auto indices = in.bytes(values.size());
            if (!in.ok()) return false;
            for (std::size_t i = 0; i < values.size(); ++i) {
                const auto index = static_cast<std::size_t>(indices[i]);
                if (index >= count) return false;
                values[i] = words[index];
            }
            return true;
        }
    }
    return false;
}

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
    write(true, [](const Event& event) { return static_cast<std::int64_t>(event.kind) * laneCount + static_cast<std::int64_t>(event.lane); });
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
            return event.value = std::bit_cast<double>(reversedBits(static_cast<std::uint64_t>(value))), true;
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
    return {};
}

}  // namespace shardlab
