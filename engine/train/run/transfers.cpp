// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/transfers.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace shardlab::train {

namespace {

std::span<std::byte> bytesOf(std::int64_t& moment) { return std::as_writable_bytes(std::span(&moment, 1)); }

}  // namespace

Transfers::Transfers(TransferSetup setup) : setup_(std::move(setup)), clock_(&setup_.clock) {}

bool Transfers::Incoming::test(const RankTrace& trace) {
    if (noticed == 0 && message->test() && (!arrival || arrival->test())) noticed = trace.now();
    return noticed != 0;
}

void Transfers::put(const Action& send, Buffer data) {
    const Action receive = otherEnd(send);
    if (rankOf(receive.stage) == setup_.pipeline.rank()) here_.insert_or_assign(receive, std::move(data));
    else outbox_.insert_or_assign(send, std::move(data));
}

void Transfers::start(const Action& action) {
    const int tag = pairTag(action);
    // Activations go from the lower to the upper of the two stages.
    const int upper = std::max<int>(action.stage, otherEnd(action).stage);
    const std::size_t elements = setup_.elements.at(static_cast<std::size_t>(upper));
    const auto bytes = static_cast<std::int64_t>(elements * sizeOf(setup_.type));
    if (isReceive(action.kind)) {
        const int peer = rankOf(otherEnd(action).stage);
        Incoming& incoming = posted_[action];
        incoming.data = setup_.arena.allocate(MemoryCategory::Buffers, elements, setup_.type);
        incoming.action = action;
        incoming.step = setup_.trace.step();
        incoming.posted = setup_.trace.now();
        setup_.trace.started(eventKind(action.kind), action, bytes, worldPeer(action));
        incoming.message = setup_.pipeline.ireceive(incoming.data.span().bytes(), peer, tag);
        if (clock_->isModelled())
            incoming.arrival = setup_.pipeline.host().ireceive(bytesOf(incoming.modelledArrival), peer, tag);
        return;
    }
    auto ready = outbox_.extract(action);
    if (ready.empty()) throw std::logic_error(toText(action) + ": nothing was computed for it");
    if (setup_.loses && setup_.loses(setup_.trace.step(), action)) return;
    const int peer = rankOf(otherEnd(action).stage);
    setup_.trace.started(eventKind(action.kind), action, bytes, worldPeer(action));
    Outgoing& outgoing = sending_.emplace_back();
    outgoing.action = action;
    outgoing.step = setup_.trace.step();
    outgoing.data = std::move(ready.mapped());
    outgoing.begin = setup_.trace.now();
    outgoing.bytes = bytes;
    outgoing.message = setup_.pipeline.isend(outgoing.data.span().bytes(), peer, tag);
    if (!setup_.arena.device().onHost()) {
        // A device that does not send by itself has handed over a copy.
        Buffer sent = std::move(outgoing.data);
        if (const auto end = outgoing.message->span().end) leaving_.push_back({std::move(sent), end});
    }
    outgoing.modelled = clock_->reserve(linkFree_[peer], clock_->now(), clock_->duration(action));
    if (outgoing.modelled) outgoing.arrival = setup_.pipeline.host().isend(bytesOf(outgoing.modelled->end), peer, tag);
}

Buffer Transfers::take(const Action& receive) {
    if (auto handed = here_.extract(receive); !handed.empty()) return std::move(handed.mapped());
    const auto found = posted_.find(receive);
    if (found == posted_.end()) throw std::logic_error(toText(receive) + ": needed, but never received");
    Incoming& incoming = found->second;
    RankTrace& trace = setup_.trace;
    const std::int64_t begin = trace.now();
    const Moment asked = trace.mark();
    bool waited = false;
    if (!incoming.test(trace)) {
        trace.doing(RankPhase::Waiting, receive, worldPeer(receive));
        incoming.message->wait();
        if (incoming.arrival) incoming.arrival->wait();
        incoming.noticed = trace.now();
        waited = true;
    }
    std::int64_t arrived = incoming.noticed;
    if (incoming.arrival) {
        // The modelled message is on its way for longer than the real one.
        waited = waited || incoming.modelledArrival > begin;
        clock_->waitUntil(incoming.modelledArrival);
        arrived = std::max(incoming.modelledArrival, incoming.posted);
    }
    const auto bytes = static_cast<std::int64_t>(incoming.data.span().bytes().size());
    const DeviceSpan device = incoming.arrival ? DeviceSpan{} : incoming.message->span();
    trace.spanOf(incoming.step, Lane::Comm, eventKind(receive.kind),
                 device.begin ? Moment(device.begin) : incoming.posted, device.end ? Moment(device.end) : arrived,
                 incoming.action, bytes);
    if (waited) trace.span(Lane::Compute, EventKind::Wait, asked, trace.mark(), receive);
    Buffer data = std::move(incoming.data);
    posted_.erase(found);
    return data;
}

void Transfers::record(const Outgoing& sent) {
    Moment begin = sent.begin, end = setup_.trace.now();
    if (const DeviceSpan device = sent.message->span(); device.end) {
        begin = Moment(device.begin);
        end = Moment(device.end);
    }
    if (sent.modelled) {
        begin = sent.modelled->begin;
        end = sent.modelled->end;
    }
    setup_.trace.spanOf(sent.step, Lane::Comm, eventKind(sent.action.kind), begin, end, sent.action, sent.bytes);
}

/// Memory is given back at places of the list, whenever messages are found to be sent: else each step had other
/// addresses, and its graphs would be captured anew.
void Transfers::computed() {
    std::erase_if(leaving_, [&](Leaving& each) {
        if (!std::exchange(each.computed, true)) return false;
        setup_.arena.device().await(*each.sent);
        return true;
    });
}

void Transfers::progress() {
    const std::int64_t now = setup_.trace.now();
    for (auto& [action, incoming] : posted_) incoming.test(setup_.trace);
    std::erase_if(sending_, [&](Outgoing& outgoing) {
        if (!outgoing.message->test() || (outgoing.arrival && !outgoing.arrival->test())) return false;
        if (outgoing.modelled && outgoing.modelled->end > now) return false;
        record(outgoing);
        return true;
    });
}

void Transfers::finish() {
    for (Outgoing& outgoing : sending_) {
        if (!outgoing.message->test())
            setup_.trace.doing(RankPhase::Waiting, outgoing.action, worldPeer(outgoing.action));
        outgoing.message->wait();
        if (outgoing.arrival) outgoing.arrival->wait();
        record(outgoing);
    }
    sending_.clear();
    leaving_.clear();
}

void Transfers::abandon() {
    for (auto& [action, incoming] : posted_) {
        incoming.message->wait();
        if (incoming.arrival) incoming.arrival->wait();
    }
    posted_.clear();
    here_.clear();
}

void Transfers::renumber(int by) {
    // Requests point into the nodes, which keep their place in memory.
    std::map<Action, Incoming> moved;
    while (!posted_.empty()) {
        auto node = posted_.extract(posted_.begin());
        node.key().microbatch += by;
        moved.insert(std::move(node));
    }
    posted_ = std::move(moved);
}

}  // namespace shardlab::train
