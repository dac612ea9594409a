// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/viewer.h"

#include "engine/launch/serve/row_frames.h"

namespace shardlab {
namespace {

constexpr std::size_t mostQueued = std::size_t{1}
                                   << 20;  ///< no more is read of the file for a viewer that has so much to take
constexpr std::size_t readAtOnce = std::size_t{1} << 18;
constexpr std::int64_t progressEvery = 1'000'000'000;  ///< so that a viewer knows that the run is still there

}  // namespace

Viewer::Viewer(Peer peer, std::int64_t now, std::int64_t newest, const std::string& notice)
    : peer_(std::move(peer)), since_(now), tookAt_(now) {
    peer_.link.send(frameType(LiveFrame::Welcome), encode(ViewerWelcome{newest, notice}));
}

Viewer::State Viewer::listen() {
    if (state_ > State::Following) return state_;
    const auto count = peer_.link.receive();
    Frame frame;
    for (;;) {
        switch (peer_.link.parser().next(frame)) {
        case FrameParser::Outcome::NeedMore:
            if (!count) state_ = State::Lost;
            return state_;
        case FrameParser::Outcome::Oversized: return state_ = State::Oversized;
        case FrameParser::Outcome::Damaged: return state_ = State::Garbage;
        case FrameParser::Outcome::Frame: break;
        }
        if (static_cast<LiveFrame>(frame.type) == LiveFrame::Leave) return state_ = State::Left;
        const auto from = decodePosition(frame.body);
        if (state_ != State::Awaiting || static_cast<LiveFrame>(frame.type) != LiveFrame::From || !from)
            return state_ = State::Garbage;
        cursor_.place = *from;
        resumed_ = cursor_.place != RunPosition{};
        state_ = State::Following;
    }
}

Result<bool> Viewer::feed(RunFollower& run, std::int64_t now) {
    if (last_ || peer_.link.queued() >= mostQueued) return false;
    RowFrames frames(peer_.link);
    const auto more = run.step(cursor_, readAtOnce, frames);
    if (!more) return more;
    if (frames.tooLong())
        return fail({"cannot be watched", "", "a part of this run is longer than a frame may be", ""});
    const bool news = upToDate_ == *more;
    upToDate_ = !*more;
    if (news || now - toldAt_ >= progressEvery) sendProgress(run, now);
    return *more;
}

void Viewer::sendProgress(RunFollower& run, std::int64_t now) {
    toldAt_ = now;
    const auto newest = run.newestBlock();
    peer_.link.send(frameType(LiveFrame::Progress), encode(Progress{newest ? *newest : 0, upToDate_}));
}

void Viewer::sendLast(LiveFrame type, const Bytes& body) {
    if (last_) return;
    last_ = type;
    peer_.link.send(frameType(type), body);
}

void Viewer::flush(std::int64_t now) {
    if (state_ > State::Following) return;
    const std::size_t before = peer_.link.queued();
    if (!peer_.link.flush()) state_ = State::Lost;
    else if (peer_.link.queued() == 0 || peer_.link.queued() < before) tookAt_ = now;
    if (state_ != State::Lost && last_ && peer_.link.queued() == 0)
        state_ = *last_ == LiveFrame::End ? State::Complete : State::Refused;
}

bool Viewer::stalled(std::int64_t now, std::chrono::milliseconds limit) const {
    return peer_.link.queued() > 0 && now - tookAt_ > limit.count() * 1'000'000;
}

}  // namespace shardlab
