// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event/column_codec.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace shardlab::trace {
namespace {

enum class Mode : std::uint8_t { Constant, Deltas, Dictionary };

constexpr std::size_t largestDictionary = 256;

/// Numbers up to 256 distinct values in the order of their first appearance.
class Dictionary {
public:
    /// False where there are too many, or so many that it saves nothing.
    bool number(std::span<const std::int64_t> values) {
        const std::size_t most = std::min(largestDictionary, values.size() / 2);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0 && values[i] == values[i - 1]) indices_[i] = indices_[i - 1];
            else if (!find(values[i], most, indices_[i])) return false;
        }
        return true;
    }
    std::span<const std::int64_t> values() const { return {values_.data(), count_}; }
    std::span<const std::uint8_t> indices(std::size_t count) const { return {indices_.data(), count}; }

private:
    bool find(std::int64_t value, std::size_t most, std::uint8_t& index) {
        std::size_t slot = (static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15u) >> 54;
        while (slots_[slot] != 0) {
            const std::size_t at = slots_[slot] - 1u;
            if (values_[at] == value) {
                index = static_cast<std::uint8_t>(at);
                return true;
            }
            slot = (slot + 1) % slots_.size();
        }
        if (count_ == most) return false;
        index = static_cast<std::uint8_t>(count_);
        values_[count_++] = value;
        slots_[slot] = static_cast<std::uint16_t>(count_);
        return true;
    }

    std::array<std::uint16_t, 1024> slots_{};  ///< 0 free, else index + 1
    std::array<std::int64_t, largestDictionary> values_;
    std::array<std::uint8_t, largestColumn> indices_;
    std::size_t count_ = 0;
};

/// Many at a time: asking for room at every byte takes longer than all else.
void writeDeltas(ByteWriter& out, std::span<const std::int64_t> values) {
    constexpr std::size_t atATime = 64;
    std::array<std::byte, atATime * longestVarint> room;
    std::int64_t before = 0;
    while (!values.empty()) {
        const auto some = values.first(std::min(atATime, values.size()));
        std::byte* end = room.data();
        for (const std::int64_t value : some)
            end = putVarint(end, zigzag(wrappingDifference(value, std::exchange(before, value))));
        out.bytes({room.data(), end});
        values = values.subspan(some.size());
    }
}

bool readDeltas(ByteReader& in, std::span<std::int64_t> values) {
    std::int64_t value = 0;
    for (std::int64_t& place : values) {
        value = wrappingSum(value, unzigzag(in.varint()));
        place = value;
    }
    return in.ok();
}

}  // namespace

void writeColumn(ByteWriter& out, std::span<const std::int64_t> values, bool mayRepeat) {
    assert(!values.empty() && values.size() <= largestColumn);
    if (mayRepeat) {
        if (std::ranges::all_of(values, [&](std::int64_t value) { return value == values.front(); })) {
            out.fixed(Mode::Constant);
            out.varint(zigzag(values.front()));
            return;
        }
        if (Dictionary dictionary; dictionary.number(values)) {
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

}  // namespace shardlab::trace
