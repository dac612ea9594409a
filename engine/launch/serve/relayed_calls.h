// SPDX-License-Identifier: Apache-2.0
// The ranks of a node that call through one connection, a relay's (resources/live/shardlab/relay.py): each has a pair
// of sockets here, so that whoever listens takes its call as any other. Frames and flow are those of the trunk.
#pragma once

#include "engine/launch/hosts/trunk_channel.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

struct pollfd;

namespace shardlab::launch {

class RelayedCalls {
public:
    explicit RelayedCalls(FrameLink relay) : relay_(std::move(relay)) {}

    FrameLink& relay() { return relay_; }
    void watch(std::vector<pollfd>& watched) const;
    /// Passes on what has arrived on either side. `call` is given the socket of each new caller. Anything but Open: the
    /// relay is over, and its callers with it once this is gone.
    LinkState pass(const std::function<void(Descriptor)>& call);

private:
    bool take(const Frame& frame, const std::function<void(Descriptor)>& call);

    FrameLink relay_;
    std::map<std::uint32_t, TrunkChannel> channels_;
};

}  // namespace shardlab::launch
