// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/async_server.h"

#include "engine/base/clock.h"
#include "engine/train/comm/backoff.h"
#include "engine/train/run/run_control.h"

#include <thread>
#include <utility>

namespace shardlab::train {

AsyncServer::AsyncServer(AsyncServerSetup setup) : setup_(std::move(setup)) {
    workers_.resize(static_cast<std::size_t>(setup_.data.size()));
    for (int worker = 1; worker < setup_.data.size(); ++worker) {
        Waiting& waiting = workers_[static_cast<std::size_t>(worker)];
        waiting.message = ireceiveMessage(setup_.data.host(), waiting.request, worker, ServerTag::Request);
    }
}

int AsyncServer::run() {
    const auto updates = static_cast<std::int64_t>(workers_.size()) - 1;  // in a step
    int step = 0;
    stepBegan_ = setup_.trace.now();
    for (; step < setup_.steps && decide() != Decision::Stop; ++step) {
        setup_.begins(step);
        setup_.arena.resetPeaks();
        while (version_ < (step + 1) * updates) serve(nextWorker());
        endStep(step);
    }
    release();
    return step;
}

/// To be called between two steps. A worker that waits for the lock goes on waiting.
Decision AsyncServer::decide() {
    Decision decision = setup_.control.next();
    for (; decision != Decision::Run && decision != Decision::Stop; decision = setup_.control.next()) {
        if (decision == Decision::Checkpoint) {
            setup_.checkpoint();
            continue;
        }
        setup_.trace.doing(RankPhase::Paused);
        std::this_thread::sleep_for(pausedPoll);
    }
    return decision;
}

int AsyncServer::nextWorker() {
    const Action& push = setup_.update.front();
    const std::int64_t reached = setup_.trace.now();
    setup_.trace.doing(RankPhase::Communicating, push);
    const auto look = [&] {
        for (int worker = 1; worker < setup_.data.size(); ++worker) {
            Waiting& waiting = workers_[static_cast<std::size_t>(worker)];
            if (!waiting.message || !waiting.message->test()) continue;
            waiting.message.reset();
            asking_.push_back(worker);
        }
        return !asking_.empty();
    };
    for (Backoff idle(true); !look(); idle.pause()) setup_.data.requireMembers();
    const int worker = asking_.front();
    asking_.pop_front();
    setup_.clock.waitUntil(workers_[static_cast<std::size_t>(worker)].request.clock);
    setup_.trace.span(Lane::Compute, EventKind::Wait, reached, setup_.trace.now(), push);
    return worker;
}

void AsyncServer::serve(int worker) {
    Waiting& waiting = workers_[static_cast<std::size_t>(worker)];
    const GradientRequest request = waiting.request;
    receiveGradient(worker, setup_.update.front());
    const std::span<const Action> between = std::span(setup_.update).subspan(1, setup_.update.size() - 2);
    const Executed done = setup_.executor.train(between, static_cast<int>(version_), {});
    setup_.trace.staleness(version_ - request.version, worker);
    ++version_;
    losses_ += request.lossSum / setup_.microbatches;
    norms_ += done.gradientNorm;
    setup_.trace.memory();
    if (isLast()) return dismiss(worker);
    waiting.message = ireceiveMessage(setup_.data.host(), waiting.request, worker, ServerTag::Request);
    sendWeights(worker, setup_.update.back());
}

void AsyncServer::receiveGradient(int worker, const Action& push) {
    setup_.trace.started(EventKind::PushGradients, push, 0, worker);
    const std::int64_t begin = setup_.trace.now();
    const ArraySpan gradients = setup_.stage.gradientBlock();
    const RequestPtr received = setup_.data.ireceive(gradients.bytes(), worker, static_cast<int>(ServerTag::Gradient));
    sendMessage(setup_.data.host(), Grant{setup_.clock.now()}, worker, ServerTag::Grant);
    received->wait();
    setup_.arena.device().synchronize();
    setup_.clock.finish(push);
    setup_.trace.span(Lane::Comm, EventKind::PushGradients, begin, setup_.trace.now(), push, 0, worker);
}

void AsyncServer::sendWeights(int worker, const Action& pull) {
    const ConstArraySpan weights = setup_.stage.parameterBlock();
    setup_.trace.doing(RankPhase::Communicating, pull);
    setup_.trace.started(EventKind::PullWeights, pull, setup_.costs.bytes(pull), worker);
    setup_.arena.device().synchronize();
    const std::int64_t begin = setup_.trace.now();
    sendMessage(setup_.data.host(), UpdateAnswer{version_, setup_.clock.now(), 0}, worker, ServerTag::Answer);
    setup_.data.send(weights.bytes(), worker, static_cast<int>(ServerTag::Weights));
    setup_.clock.finish(pull);
    setup_.trace.span(Lane::Comm, EventKind::PullWeights, begin, setup_.trace.now(), pull, setup_.costs.bytes(pull),
                      worker);
}

void AsyncServer::endStep(int step) {
    const std::int64_t now = setup_.trace.now();
    setup_.trace.span(Lane::Host, EventKind::Step, stepBegan_, now);
    setup_.trace.memoryPeak();
    const auto updates = static_cast<double>(workers_.size() - 1);
    setup_.stepped(step, std::exchange(losses_, 0) / updates, std::exchange(norms_, 0) / updates,
                   toSeconds(now - stepBegan_));
    stepBegan_ = setup_.trace.now();
}

/// A worker that still computes gets to know that the run ends when it asks for the lock.
void AsyncServer::release() {
    for (int worker = 1; worker < setup_.data.size(); ++worker) {
        Waiting& waiting = workers_[static_cast<std::size_t>(worker)];
        if (waiting.released) continue;
        if (waiting.message) waiting.message->wait();
        sendMessage(setup_.data.host(), Grant{-1}, worker, ServerTag::Grant);
        dismiss(worker);
    }
}

void AsyncServer::dismiss(int worker) {
    sendMessage(setup_.data.host(), UpdateAnswer{version_, setup_.clock.now(), 1}, worker, ServerTag::Answer);
    workers_[static_cast<std::size_t>(worker)].released = true;
}

}  // namespace shardlab::train
