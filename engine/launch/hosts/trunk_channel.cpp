// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/hosts/trunk_channel.h"

#include <algorithm>
#include <array>
#include <poll.h>

namespace shardlab::launch {

void sendOnChannel(FrameLink& trunk, TrunkFrame type, std::uint32_t channel, std::span<const std::byte> bytes) {
    trunk.send(type, encode(ChannelBytes{channel, bytes}));
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
            sendOnChannel(trunk, TrunkFrame::Taken, number_, encode(static_cast<std::uint32_t>(*sent)));
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

bool takeForChannel(std::map<std::uint32_t, TrunkChannel>& channels, const Frame& frame) {
    const auto data = decode<ChannelBytes>(frame.body);
    if (!data) return false;
    const auto found = channels.find(data->channel);
    if (found == channels.end()) return true;  // it has just been closed here
    TrunkChannel& channel = found->second;
    switch (frame.as<TrunkFrame>()) {
    case TrunkFrame::Close: channel.finish(); return true;
    case TrunkFrame::Data: return channel.take(data->bytes);
    case TrunkFrame::Taken: {
        const auto count = decode<std::uint32_t>(data->bytes);
        if (count) channel.granted(*count);
        return count.has_value();
    }
    default: return false;
    }
}

}  // namespace shardlab::launch
