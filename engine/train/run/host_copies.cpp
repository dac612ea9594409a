// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/host_copies.h"

#include "engine/train/comm/backoff.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace shardlab::train {

HostCopies::HostCopies(HostCopiesSetup setup) : setup_(std::move(setup)), waits_(setup_.trace) {}

HostCopies::Copy HostCopies::prepared(const Action& action) {
    if (!isSwap(action.kind)) {
        HostMirror& mirror = *setup_.mirrors.at(action.stage);
        if (action.kind == ActionKind::OffloadGradients)
            return {action, [&mirror] { return mirror.fetchGradients(); }, setup_.costs.bytes(action)};
        return {action, [&mirror] { return mirror.returnValues(); }, setup_.costs.bytes(action)};
    }
    Device& device = setup_.device;
    Stage& stage = *setup_.stages.at(action.stage);
    const std::pair key{action.stage, action.microbatch};
    if (action.kind == ActionKind::SwapOut) {
        const auto [entry, added] = swapped_.try_emplace(key, Swapped{{stage, action.microbatch, setup_.host}});
        if (!added) throw std::logic_error(toText(action) + ": it is on the host already");
        const SwappedActivations& activations = entry->second.activations;
        return {action, [&] { return activations.store(device); }, activations.bytes()};
    }
    const auto found = swapped_.find(key);
    if (found == swapped_.end() || found->second.onDevice)
        throw std::logic_error(toText(action) + ": it is not on the host");
    SwappedActivations& activations = found->second.activations;
    activations.enterDevice(stage, action.microbatch, setup_.arena);
    return {action, [&] { return activations.restore(device); }, activations.bytes()};
}

void HostCopies::start(const Action& action) {
    Copy copy = prepared(action);
    if (action.kind == ActionKind::OffloadGradients && setup_.dataParallel)
        copy.after = setup_.dataParallel->lastReduction();
    const std::int64_t ready = std::max(setup_.clock.now(), copy.after ? copy.after->end : 0);
    copy.modelled = setup_.clock.reserve(linkFree(action.kind), ready, setup_.clock.duration(action));
    if (isSwap(action.kind))
        swapped_.at({action.stage, action.microbatch}).end = copy.modelled ? copy.modelled->end : 0;
    else last_[direction(action.kind)] = action;
    waiting_.push_back(std::move(copy));
    progress();
}

void HostCopies::progress() {
    if (running_ && background_.idle()) {
        background_.wait();  // rethrows what the copy threw
        const Copy done = *std::exchange(running_, std::nullopt);
        const TimeSpan& when = done.modelled ? *done.modelled : done.measured;
        record(done, when.begin, when.end);
    }
    std::array<bool, 2> blocked{};  // by direction: a copy does not pass one that waits
    for (auto next = waiting_.begin(); !running_ && next != waiting_.end();) {
        bool& stands = blocked[direction(next->action.kind)];
        stands = stands || (next->after && !setup_.dataParallel->isOver(*next->after));
        if (stands) {
            ++next;
            continue;
        }
        Copy copy = std::move(*next);
        next = waiting_.erase(next);
        begin(std::move(copy));
    }
}

void HostCopies::begin(Copy copy) {
    if (setup_.device.onHost()) {
        running_ = std::move(copy);
        background_.start([this] {
            setup_.device.enter();
            const std::int64_t from = setup_.trace.now();
            running_->carryOut();
            running_->measured = {from, setup_.trace.now()};
        });
        return;
    }
    const Moment from = setup_.trace.mark();
    const Completion completion = copy.carryOut();
    if (copy.modelled) {
        record(copy, copy.modelled->begin, copy.modelled->end);
    } else {
        record(copy, from, completion ? Moment(completion) : Moment(setup_.trace.now()));
    }
    onDevice_.push_back({std::move(copy), from, completion});
}

bool HostCopies::isPending(const Which& which) const {
    return (running_ && which(*running_)) || std::ranges::any_of(waiting_, which);
}

void HostCopies::settle(const Which& which) {
    for (progress(); isPending(which); progress()) {
        if (running_) background_.wait();
        else setup_.dataParallel->settleReductions();
    }
}

void HostCopies::await(ActionKind kind) {
    if (!last_[direction(kind)]) return;
    const Action what = *std::exchange(last_[direction(kind)], std::nullopt);
    const auto alike = [&](const Copy& copy) { return direction(copy.action.kind) == direction(kind); };
    RankTrace& trace = setup_.trace;
    progress();
    const Completion completion = completionOf(what);
    // The device itself does later work after the weights have come; only for gradients does the processor wait.
    const bool modelled = setup_.clock.isModelled();
    const bool byDevice = completion && kind == ActionKind::ReloadWeights && !modelled;
    const bool waits = modelled ? linkFree(kind) > trace.now() : isPending(alike) || completion;
    const Moment from = completion && !modelled && !byDevice ? trace.mark() : Moment(trace.now());
    settle(alike);
    for (const DeviceCopy& started : onDevice_)
        if (started.completion && alike(started.copy) && !byDevice)
            for (Backoff idle(false); !started.completion->reached();) idle.pause();
    setup_.clock.waitUntil(linkFree(kind));
    if (waits) waits_.wait(what, from, byDevice ? Moment(completion) : Moment(trace.now()));
    std::erase_if(onDevice_, [&](const DeviceCopy& started) { return alike(started.copy); });
}

HostCopies::Completion HostCopies::completionOf(const Action& action) const {
    const auto found =
        std::ranges::find(onDevice_, action, [](const DeviceCopy& started) { return started.copy.action; });
    return found == onDevice_.end() ? nullptr : found->completion;
}

void HostCopies::awaitSwap(const Action& what, std::int64_t end) {
    const auto same = [&](const Copy& copy) { return copy.action == what; };
    RankTrace& trace = setup_.trace;
    progress();
    const Completion completion = completionOf(what);
    const bool modelled = setup_.clock.isModelled();
    const bool byDevice = completion && !modelled;
    const bool waits = modelled ? end > trace.now() : isPending(same) || completion;
    const Moment from = byDevice ? trace.mark() : Moment(trace.now());
    settle(same);
    if (byDevice) setup_.device.await(*completion);
    else if (completion)
        for (Backoff idle(false); !completion->reached();) idle.pause();
    setup_.clock.waitUntil(end);
    if (waits) waits_.wait(what, from, byDevice ? trace.mark() : Moment(trace.now()));
    std::erase_if(onDevice_, [&](const DeviceCopy& started) { return same(started.copy); });
}

void HostCopies::leaveDevice(const Action& free) {
    const auto found = swapped_.find({free.stage, free.microbatch});
    if (found == swapped_.end() || !found->second.onDevice)
        throw std::logic_error(toText(free) + ": it has left the device already");
    Swapped& swapped = found->second;
    awaitSwap({ActionKind::SwapOut, free.stage, free.microbatch}, swapped.end);
    swapped.activations.leaveDevice();
    swapped.onDevice = false;
}

void HostCopies::beforeCompute(const Action& compute) {
    if (!givesInputGrad(compute.kind)) return;
    const auto found = swapped_.find({compute.stage, compute.microbatch});
    if (found == swapped_.end()) return;
    awaitSwap({ActionKind::SwapIn, compute.stage, compute.microbatch}, found->second.end);
    swapped_.erase(found);
}

void HostCopies::record(const Copy& copy, const Moment& begin, const Moment& end) {
    setup_.trace.span(Lane::Copy, eventKind(copy.action.kind), begin, end, copy.action, copy.bytes);
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

}  // namespace shardlab::train
