// SPDX-License-Identifier: Apache-2.0
// The wire format of protocol buffers, as far as one writes messages with it.
#pragma once

#include "engine/base/wings.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace shardlab::trace {

class ProtoWriter {
public:
    ProtoWriter& number(int field, std::uint64_t value) {
        key(field, 0);
        varint(value);
        return *this;
    }
    /// int32 and int64: negative numbers take ten bytes.
    ProtoWriter& whole(int field, std::int64_t value) { return number(field, static_cast<std::uint64_t>(value)); }
    ProtoWriter& fixed(int field, std::uint64_t value) {
        key(field, 1);
        for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte) & 0xFF);
        return *this;
    }
    ProtoWriter& real(int field, double value) { return fixed(field, std::bit_cast<std::uint64_t>(value)); }
    /// A string, or a message within this one.
    ProtoWriter& text(int field, std::string_view text) {
        key(field, 2);
        varint(text.size());
        bytes_ += text;
        return *this;
    }
    ProtoWriter& message(int field, const ProtoWriter& inner) { return text(field, inner.bytes_); }
    const std::string& bytes() const { return bytes_; }
    bool empty() const { return bytes_.empty(); }
    void clear() { bytes_.clear(); }

private:
    void key(int field, unsigned wire) { varint(static_cast<std::uint64_t>(field) << 3 | wire); }
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }
    std::string bytes_;
};

}  // namespace shardlab::trace
