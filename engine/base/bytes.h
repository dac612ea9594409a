// SPDX-License-Identifier: Apache-2.0
// Bytes as they lie in files and on the wire: little-endian integers, variable-length integers, lengths before texts.
#pragma once

#include "engine/base/wings.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::base {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian, and so are the hosts");

using Bytes = std::vector<std::byte>;

/// Small magnitudes of either sign become small numbers: 0, -1, 1, -2 → 0, 1, 2, 3.
constexpr std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

inline constexpr std::size_t longestVarint = 10;
/// Seven bits a byte, lowest first, the top bit set on all but the last, at a place that has room for the longest;
/// returns the one behind it.
inline std::byte* putVarint(std::byte* at, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<std::byte>(value | 0x80);
    *at++ = static_cast<std::byte>(value);
    return at;
}

/// Appends to `out`.
class ByteWriter {
public:
    explicit ByteWriter(Bytes& out) : out_(out) {}

    template <class T>
    void fixed(T value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::size_t at = out_.size();
        out_.resize(at + sizeof value);
        std::memcpy(out_.data() + at, &value, sizeof value);
    }
    void varint(std::uint64_t value) {
        std::array<std::byte, longestVarint> room;
        bytes({room.data(), putVarint(room.data(), value)});
    }
    void bytes(std::span<const std::byte> data) { out_.insert(out_.end(), data.begin(), data.end()); }
    /// varint length, then the bytes.
    void text(std::string_view value) {
        varint(value.size());
        bytes(std::as_bytes(std::span(value.data(), value.size())));
    }

private:
    Bytes& out_;
};

/// Reads what may be damaged: past the end, or at an overlong varint, it gives zeros and ok() is false for good.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> data) : data_(data) {}

    bool ok() const { return ok_; }
    std::size_t left() const { return data_.size() - at_; }
    bool atEnd() const { return ok_ && left() == 0; }

    template <class T>
    T fixed() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value{};
        if (left() < sizeof value) {
            fail();
            return value;
        }
        std::memcpy(&value, data_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            if (at_ == data_.size()) break;
            const auto byte = static_cast<std::uint64_t>(data_[at_++]);
            if (shift == 63 && byte > 1) break;
            value |= (byte & 0x7f) << shift;
            if (byte < 0x80) return value;
        }
        fail();
        return 0;
    }
    std::span<const std::byte> bytes(std::uint64_t count) {
        if (left() < count) {
            fail();
            return {};
        }
        const auto part = data_.subspan(at_, static_cast<std::size_t>(count));
        at_ += part.size();
        return part;
    }
    std::string text() {
        const auto part = bytes(varint());
        return {reinterpret_cast<const char*>(part.data()), part.size()};
    }

private:
    void fail() {
        ok_ = false;
        at_ = data_.size();
    }

    std::span<const std::byte> data_;
    std::size_t at_ = 0;
    bool ok_ = true;
};

}  // namespace shardlab::base
