// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/hosts/trunk_channel.h"

#include <algorithm>
#include <array>
#include <poll.h>

namespace shardlab {

void sendOnChannel(FrameLink& trunk, TrunkFrame type, std::uint32_t channel, std::span<const std::byte> bytes) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(channel);
    writer.bytes(bytes);
    trunk.send(frameType(type), body);
}

short TrunkChannel::events(bool room) const {
    const int in = room && credit_ > 0 && !finishing_ ? POLLIN : 0;
    return static_cast<short>(in | (pending_.empty() ? 0 : POLLOUT));
}

bool TrunkChannel::over(FrameLink& trunk) const {
    sendOnChannel(trunk, TrunkFrame::Close, number_);
    return false;
}

bool TrunkChannel::advance(FrameLink& trunk, bool room) {
    if (!pending_.empty()) {
        const auto sent = sendSome(socket_, pending_);
        if (!sent) return over(trunk);
        if (*sent > 0) {
            pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(*sent));
            const auto count = static_cast<std::uint32_t>(*sent);
            sendOnChannel(trunk, TrunkFrame::Taken, number_, std::as_bytes(std::span(&count, 1)));
        }
    }
    if (finishing_) return !pending_.empty() || over(trunk);
    if (!room || credit_ == 0) return true;
    std::array<std::byte, 1 << 16> piece;
    const auto got = receiveSome(socket_, std::span(piece).first(std::min(piece.size(), credit_)));
    if (!got) return over(trunk);
    if (*got > 0) sendOnChannel(trunk, TrunkFrame::Data, number_, std::span(piece).first(*got));
    credit_ -= *got;
    return true;
}

bool TrunkChannel::take(std::span<const std::byte> bytes) {
    if (pending_.size() + bytes.size() > window) return false;
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
    return true;
}

bool takeForChannel(std::map<std::uint32_t, TrunkChannel>& channels, TrunkFrame type, ByteReader& reader) {
    const auto found = channels.find(reader.fixed<std::uint32_t>());
    if (!reader.ok()) return false;
    if (found == channels.end()) return true;  // it has just been closed here
    TrunkChannel& channel = found->second;
    if (type == TrunkFrame::Close) channel.finish();
    if (type == TrunkFrame::Taken) channel.granted(reader.fixed<std::uint32_t>());
    return reader.ok() && (type != TrunkFrame::Data || channel.take(reader.bytes(reader.left())));
}

}  // namespace shardlab
