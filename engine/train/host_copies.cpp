// SPDX-License-Identifier: Apache-2.0
#include "engine/train/host_copies.h"

#include "engine/comm/idle.h"

#include <algorithm>
#include <utility>

namespace shardlab {

HostCopies::HostCopies(HostCopiesSetup setup) : setup_(std::move(setup)), waits_(setup_.trace) {}

void HostCopies::start(const Action& action) {
    Copy copy{.action = action};
    if (action.kind == ActionKind::OffloadGradients && setup_.dataAxis) copy.after = setup_.dataAxis->lastReduction();
    if (setup_.pacer) {
        const std::int64_t ready = std::max(setup_.pacer->clock(), copy.after ? copy.after->end : 0);
        copy.begin = std::max(ready, linkFree(action.kind));
        copy.end = linkFree(action.kind) = copy.begin + setup_.pacer->duration(action);
    }
    waiting_.push_back(std::move(copy));
    last_ = action;
    progress();
}

void HostCopies::progress() {
    if (running_ && background_.idle()) {
        background_.wait();  // throws what it threw
        const Copy done = *std::exchange(running_, std::nullopt);
        record(done, done.begin, done.end);
    }
    while (!running_ && !waiting_.empty()) {
        const std::optional<DataAxis::Reduction>& after = waiting_.front().after;
        if (after && !setup_.dataAxis->isOver(*after)) return;
        Copy next = std::move(waiting_.front());
        waiting_.pop_front();
        begin(std::move(next));
    }
}

std::shared_ptr<DeviceMoment> HostCopies::carryOut(const Action& action) {
    HostMirror& mirror = *setup_.mirrors.at(action.stage);
    return action.kind == ActionKind::OffloadGradients ? mirror.fetchGradients() : mirror.returnValues();
}

void HostCopies::begin(Copy copy) {
    if (setup_.device.onHost()) {
        running_ = std::move(copy);
        background_.start([this] {
            setup_.device.enter();
            const std::int64_t from = setup_.trace.now();
            carryOut(running_->action);
            if (setup_.pacer) return;
            running_->begin = from;
            running_->end = setup_.trace.now();
        });
        return;
    }
    const Moment from = setup_.trace.mark();
    const std::shared_ptr<DeviceMoment> over = carryOut(copy.action);
    if (setup_.pacer) {
        record(copy, copy.begin, copy.end);
    } else {
        record(copy, from, over ? Moment(over) : Moment(setup_.trace.now()));
    }
    asked_.push_back({std::move(copy), from, over});
}

void HostCopies::settle(ActionKind kind) {
    progress();
    while (running_ || !waiting_.empty()) {
        if (running_)
            background_.wait();
        else
            setup_.dataAxis->settleReductions();
        progress();
    }
    // Weights go before what the device is asked for from now on: the processor waits for gradients alone.
    for (const Asked& asked : asked_)
        if (asked.over && (kind == ActionKind::OffloadGradients || setup_.pacer))
            for (Idle idle(false); !asked.over->reached();) idle.pause();
}

void HostCopies::await(ActionKind kind) {
    if (!last_ || last_->kind != kind) return;
    const Action what = *std::exchange(last_, std::nullopt);
    RankTrace& trace = setup_.trace;
    progress();
    const std::shared_ptr<DeviceMoment> over = asked_.empty() ? nullptr : asked_.back().over;
    const bool byDevice = over && kind == ActionKind::ReloadWeights && !setup_.pacer;
    const bool waits = setup_.pacer ? linkFree(kind) > trace.now() : running_ || !waiting_.empty() || over;
    const Moment from = over && !setup_.pacer && !byDevice ? trace.mark() : Moment(trace.now());
    settle(kind);
    if (setup_.pacer) setup_.pacer->waitForArrival(linkFree(kind));
    if (waits) waits_.wait(what, from, byDevice ? Moment(over) : Moment(trace.now()));
    asked_.clear();
}

void HostCopies::record(const Copy& copy, const Moment& begin, const Moment& end) {
    setup_.trace.span(Lane::Copy, eventKind(copy.action.kind), begin, end, copy.action, setup_.costs.bytes(copy.action));
    lengths_.emplace_back(begin, end);
}

void HostCopies::collect() {
    waits_.collect();
    while (!lengths_.empty()) {
        const auto times = setup_.trace.times(lengths_.front().first, lengths_.front().second);
        if (!times) return;
        copied_ += times->second - times->first;
        lengths_.pop_front();
    }
}

}  // namespace shardlab
