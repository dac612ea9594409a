// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/wire.h"

#include "engine/base/crc32c.h"
#include "engine/trace/event/legal_time.h"

#include <cmath>

namespace shardlab {

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

Bytes encodeHello(const Hello& hello) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(hello.protocol);
    writer.fixed(std::int32_t{hello.rank});
    writer.fixed(std::int32_t{hello.pid});
    writer.fixed(hello.commandsTaken);
    writer.text(hello.host);
    writer.text(hello.token);
    return body;
}

Result<Hello> decodeHello(std::span<const std::byte> body) {
    ByteReader reader(body);
    Hello hello;
    hello.protocol = reader.fixed<std::uint32_t>();
    hello.rank = reader.fixed<std::int32_t>();
    hello.pid = reader.fixed<std::int32_t>();
    hello.commandsTaken = reader.fixed<std::uint32_t>();
    hello.host = reader.text();
    hello.token = reader.text();
    if (!reader.atEnd()) return fail({"damaged hello", "", "its fields do not fill it exactly", ""});
    return hello;
}

Bytes encodeClock(const ClockLine& line) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(line.origin);
    writer.fixed(line.at);
    writer.fixed(line.drift);
    return body;
}

Result<ClockLine> decodeClock(std::span<const std::byte> body) {
    ByteReader reader(body);
    ClockLine line;
    line.origin = reader.fixed<std::int64_t>();
    line.at = reader.fixed<std::int64_t>();
    line.drift = reader.fixed<double>();
    // The comparison also refuses what is no number.
    if (!reader.atEnd() || !(std::abs(line.drift) <= 1e-3) || !isLegalTime(line.origin) || !isLegalTime(line.at))
        return fail({"damaged clock line", "", "its fields are not what they can be", ""});
    return line;
}

Bytes encodeLog(const LogLine& line) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(line.time);
    writer.fixed(line.level);
    writer.text(std::string_view(line.text).substr(0, largestLogText));
    return body;
}

Result<LogLine> decodeLog(std::span<const std::byte> body) {
    ByteReader reader(body);
    LogLine line;
    line.time = reader.fixed<std::int64_t>();
    line.level = reader.fixed<LogLevel>();
    line.text = reader.text();
    if (!reader.atEnd() || line.level > LogLevel::Error)
        return fail({"damaged log line", "", "its fields do not fill it exactly", ""});
    if (!isLegalTime(line.time))
        return fail(
            {"damaged log line", "", "it is of " + std::to_string(line.time) + " ns, beyond all times", legalTimes});
    return line;
}

}  // namespace shardlab
