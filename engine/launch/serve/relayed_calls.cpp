// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/relayed_calls.h"

#include <poll.h>
#include <sys/socket.h>

namespace shardlab::launch {
namespace {

constexpr std::size_t mostRelayed = 1024;  ///< calls at a time over one relay

}  // namespace

void RelayedCalls::watch(std::vector<pollfd>& watched) const {
    watched.push_back(relay_.awaited());
    for (const auto& [number, channel] : channels_)
        watched.push_back({channel.descriptor(), channel.events(relay_.hasRoom()), 0});
}

LinkState RelayedCalls::pass(const std::function<void(Descriptor)>& call) {
    const LinkState state = relay_.read([&](const Frame& frame) { return take(frame, call); });
    for (auto each = channels_.begin(); each != channels_.end();)
        each = each->second.advance(relay_, relay_.hasRoom()) ? std::next(each) : channels_.erase(each);
    return relay_.flush() || state != LinkState::Open ? state : LinkState::Closed;
}

bool RelayedCalls::take(const Frame& frame, const std::function<void(Descriptor)>& call) {
    if (frame.as<TrunkFrame>() != TrunkFrame::Open) return takeForChannel(channels_, frame);
    const auto opened = decode<ChannelBytes>(frame.body);
    int ends[2];
    if (!opened || channels_.size() >= mostRelayed ||
        ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    Descriptor theirs(ends[0]);
    call(Descriptor(ends[1]));
    return channels_.try_emplace(opened->channel, opened->channel, std::move(theirs)).second;
}

}  // namespace shardlab::launch
