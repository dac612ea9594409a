// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/wire.h"

#include "engine/base/crc32c.h"

namespace shardlab::trace {

void appendFrame(Bytes& out, FrameType type, std::span<const std::byte> body) {
    ByteWriter writer(out);
    const std::size_t begin = out.size();
    writer.fixed(static_cast<std::uint32_t>(body.size() + 1));
    writer.fixed(std::uint32_t{0});
    writer.fixed(type);
    writer.bytes(body);
    const std::uint32_t checksum = crc32c(std::span(out).subspan(begin + 8));
    std::memcpy(out.data() + begin + 4, &checksum, sizeof checksum);
}

void FrameParser::feed(std::span<const std::byte> bytes) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

FrameParser::Outcome FrameParser::next(Frame& frame) {
    ByteReader reader{std::span<const std::byte>(buffer_).subspan(at_)};
    const auto length = reader.fixed<std::uint32_t>();
    const auto checksum = reader.fixed<std::uint32_t>();
    if (!reader.ok()) return Outcome::NeedMore;
    if (length > limit_) return Outcome::Oversized;
    if (length == 0) return Outcome::Damaged;
    if (reader.left() < length) return Outcome::NeedMore;
    const auto content = reader.bytes(length);
    if (crc32c(content) != checksum) return Outcome::Damaged;
    frame = {static_cast<FrameType>(content.front()), content.subspan(1), frameOverhead - 1 + length};
    at_ += frame.size;
    return Outcome::Frame;
}

}  // namespace shardlab::trace
