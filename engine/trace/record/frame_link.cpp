// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/frame_link.h"

namespace shardlab::trace {
namespace {

constexpr std::size_t mostSentKept = std::size_t{1}
                                     << 20;  ///< bytes that are sent and still held, before what is left moves up

}  // namespace

std::optional<std::size_t> FrameLink::receive() {
    room_.resize(std::size_t{1} << 18);
    const auto count = transport_ ? transport_->receive(socket_, room_) : receiveSome(socket_, room_);
    if (count) parser_.feed(std::span(room_).first(*count));
    return count;
}

bool FrameLink::flush() {
    while (queued() > 0) {
        const auto rest = std::span(std::as_const(out_)).subspan(sent_);
        const auto count = transport_ ? transport_->send(socket_, rest) : sendSome(socket_, rest);
        if (!count) return false;
        if (*count == 0) break;
        sent_ += *count;
    }
    if (queued() > 0 && sent_ < mostSentKept) return true;
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent_));
    sent_ = 0;
    return true;
}

}  // namespace shardlab::trace
