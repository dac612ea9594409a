// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/viewer.h"

#include "engine/base/clock.h"
#include "engine/launch/serve/row_frames.h"

namespace shardlab::launch {
namespace {

constexpr std::size_t mostQueued = std::size_t{1}
                                   << 20;  ///< no more is read of the file for a viewer that has so much to take
constexpr std::size_t readAtOnce = std::size_t{1} << 18;
constexpr std::int64_t progressEvery = nsPerSecond;  ///< so that a viewer knows that the run is still there

}  // namespace

Viewer::Viewer(FrameLink link, std::uint64_t caller, std::int64_t now, std::int64_t newest, const std::string& notice)
    : link_(std::move(link)), caller_(caller), since_(now), tookAt_(now) {
    link_.send(LiveFrame::Welcome, encode(ViewerWelcome{newest, notice}));
}

Viewer::State Viewer::listen() {
    if (state_ > State::Following) return state_;
    linkState_ = link_.read([this](const Frame& frame) { return take(frame); });
    if (state_ == State::Left || linkState_ == LinkState::Open) return state_;
    return state_ = linkState_ == LinkState::Closed ? State::Lost : State::Misbehaved;
}

bool Viewer::take(const Frame& frame) {
    if (frame.as<LiveFrame>() == LiveFrame::Leave) {
        state_ = State::Left;
        return false;
    }
    const auto from = decode<RunPosition>(frame.body);
    if (state_ != State::Awaiting || frame.as<LiveFrame>() != LiveFrame::From || !from) return false;
    cursor_.place = *from;
    resumed_ = cursor_.place != RunPosition{};
    state_ = State::Following;
    return true;
}

Result<bool> Viewer::feed(RunFollower& run, std::int64_t now) {
    if (last_ || link_.queued() >= mostQueued) return false;
    RowFrames frames(link_);
    const auto more = run.step(cursor_, readAtOnce, frames);
    if (!more) return more;
    if (frames.tooLong())
        return fail({say("cannot be watched"), "", say("a part of this run is longer than a frame may be"), ""});
    const bool news = upToDate_ == *more;
    upToDate_ = !*more;
    if (news || now - toldAt_ >= progressEvery) sendProgress(run, now);
    return *more;
}

void Viewer::sendProgress(RunFollower& run, std::int64_t now) {
    toldAt_ = now;
    const auto newest = run.newestBlock();
    link_.send(LiveFrame::Progress, encode(Progress{newest ? *newest : 0, upToDate_}));
}

void Viewer::sendLast(LiveFrame type, const Bytes& body) {
    if (last_) return;
    last_ = type;
    link_.send(type, body);
}

void Viewer::flush(std::int64_t now) {
    if (state_ > State::Following) return;
    const std::size_t before = link_.queued();
    if (!link_.flush()) state_ = State::Lost;
    else if (link_.queued() == 0 || link_.queued() < before) tookAt_ = now;
    if (state_ != State::Lost && last_ && link_.queued() == 0)
        state_ = *last_ == LiveFrame::End ? State::Complete : State::Refused;
}

bool Viewer::stalled(std::int64_t now, std::chrono::milliseconds limit) const {
    return link_.queued() > 0 && now - tookAt_ > limit.count() * nsPerMillisecond;
}

}  // namespace shardlab::launch
