// SPDX-License-Identifier: Apache-2.0
// One end of a rank's link as it goes through the trunk: a local socket whose bytes become frames, and back. Both sides
// have one for each link. At most `window` bytes are on the way in a direction, so that a link that is not read holds
// up no other, nor the pings.
#pragma once

#include "engine/launch/hosts/trunk_frames.h"
#include "engine/trace/record/frame_link.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

namespace shardlab::launch {

class TrunkChannel {
public:
    static constexpr std::size_t window = std::size_t{1} << 18;

    TrunkChannel(std::uint32_t number, Descriptor socket) : number_(number), socket_(std::move(socket)) {}

    std::uint32_t number() const { return number_; }
    int descriptor() const { return socket_.value(); }
    /// What poll(2) should look for. `room`: whether the trunk takes more.
    short events(bool room) const;

    /// Passes on what can be passed on now. False: this end is over, and Close has been queued.
    bool advance(FrameLink& trunk, bool room);
    /// Takes what a Data frame carries. Returns false where that is more than the window allows.
    bool take(std::span<const std::byte> bytes);
    /// Adds what a Taken frame grants.
    void granted(std::uint32_t bytes) { credit_ += bytes; }
    /// The other side has closed: what has arrived is still passed on, then this end is over.
    void finish() { finishing_ = true; }

private:
    bool over(FrameLink& trunk) const;

    std::uint32_t number_;
    Descriptor socket_;
    Bytes pending_;  ///< arrived, not yet passed on
    std::size_t credit_ = window;
    bool finishing_ = false;
};

void sendOnChannel(FrameLink& trunk, TrunkFrame type, std::uint32_t channel, std::span<const std::byte> bytes = {});
/// Gives a Data, Taken or Close frame to the channel that it names; a channel that is not there has just been closed.
/// False: the frame is damaged, or carries more than the window allows.
bool takeForChannel(std::map<std::uint32_t, TrunkChannel>& channels, const Frame& frame);

}  // namespace shardlab::launch
