// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/split_spans.h"

#include <utility>

namespace shardlab::train {

void SplitSpans::add(Mark mark) {
    marks_.push_back(std::move(mark));
    collect();
}

void SplitSpans::collect() {
    while (!marks_.empty()) {
        const auto times = trace_.times(marks_.front().begin, marks_.front().end);
        if (!times) return;
        record(marks_.front(), times->first, times->second);
        marks_.pop_front();
    }
}

void SplitSpans::record(const Mark& mark, std::int64_t begin, std::int64_t end) {
    if (mark.kind == Kind::Begin) {
        compute_ = mark.action;
        inside_ = true;
        begin_ = begin;
        return;
    }
    if (mark.kind == Kind::Wait && mark.end.ofDevice() && end - begin < RankTrace::shortestDeviceWait) return;
    if (inside_) trace_.span(Lane::Compute, eventKind(compute_.kind), begin_, begin, compute_);
    if (mark.kind == Kind::End) {
        inside_ = false;
        return;
    }
    trace_.span(Lane::Compute, EventKind::Wait, begin, end, mark.action);
    begin_ = end;
    waited_ += end - begin;
}

}  // namespace shardlab::train
