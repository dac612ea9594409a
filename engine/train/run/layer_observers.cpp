// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/layer_observers.h"

namespace shardlab::train {
namespace {

EventKind collectiveEvent(TensorCollective::Kind kind) {
    switch (kind) {
    case TensorCollective::Kind::AllReduce: return EventKind::TensorAllReduce;
    case TensorCollective::Kind::ReduceScatter: return EventKind::TensorReduceScatter;
    case TensorCollective::Kind::AllGather: return EventKind::TensorAllGather;
    }
    return EventKind::None;
}

EventKind transferEvent(ContextTransfer::Kind kind) {
    switch (kind) {
    case ContextTransfer::Kind::Hop: return EventKind::KeyValueHop;
    case ContextTransfer::Kind::ExchangeHeads: return EventKind::ExchangeHeads;
    case ContextTransfer::Kind::GatherChoices: return EventKind::GatherChoices;
    }
    return EventKind::None;
}

/// Runs and records a collective that the layer waits for.
void record(RankTrace& trace, EventKind kind, int layer, std::int64_t bytes, const std::function<void()>& run) {
    const Moment begin = trace.mark();
    trace.started(kind, trace.action(), bytes);
    run();
    trace.tensorSpan(kind, layer, begin, trace.mark(), trace.action(), bytes);
}

TensorParallel::Observer tensorObserver(RankTrace& trace) {
    return [&trace](const TensorCollective& collective, const std::function<void()>& run) {
        record(trace, collectiveEvent(collective.kind), collective.layer, collective.bytes, run);
    };
}

ContextParallel::Observer contextObserver(RankTrace& trace) {
    return [&trace](const ContextTransfer& transfer) -> std::function<void()> {
        const Action action = trace.action();
        const EventKind kind = transferEvent(transfer.kind);
        trace.started(kind, action, transfer.bytes);
        return [&trace, transfer, kind, action, begin = trace.mark()] {
            trace.tensorSpan(kind, transfer.layer, begin, trace.mark(), action, transfer.bytes);
        };
    };
}

ExpertParallel::Observer expertObserver(RankTrace& trace) {
    return [&trace](const ExpertAllToAll& exchange, const std::function<void()>& run) {
        const bool dispatches = exchange.direction == ExpertExchange::Dispatch;
        record(trace, dispatches ? EventKind::DispatchTokens : EventKind::CombineTokens, exchange.layer, exchange.bytes,
               run);
    };
}

Recompute::Observer recomputeObserver(RankTrace& trace) {
    return [&trace](const std::function<void()>& run) {
        trace.memory();
        const Moment begin = trace.mark();
        run();
        trace.memory();
        trace.span(Lane::Compute, EventKind::Recompute, begin, trace.mark(), trace.action());
    };
}

LayerObserver layerObserver(RankTrace& trace) {
    return [&trace](const LayerDone& done) {
        if (notesMemory(done)) trace.memory();
    };
}

}  // namespace

LayerObservers measuringObservers(RankTrace& trace) {
    return {tensorObserver(trace), contextObserver(trace), expertObserver(trace), recomputeObserver(trace),
            layerObserver(trace)};
}

}  // namespace shardlab::train
