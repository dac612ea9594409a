// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/executor.h"

#include "engine/layout/exchange.h"
#include "engine/train/comm/scalars.h"
#include "engine/train/parallel/data.h"
#include "engine/train/parallel/server.h"
#include "engine/train/parallel/tied.h"
#include "engine/train/run/elastic_centre.h"
#include "engine/train/run/host_copies.h"
#include "engine/train/run/shared_weights.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace shardlab::train {

namespace {

/// What scales the gradient of each microbatch's loss, so that their sum over all replicas is the mean.
float lossGradientScale(const StepPlan& plan) {
    const int microbatches = plan.lowered.microbatches / plan.lowered.updates;
    return static_cast<float>(plan.layout.optimizer.lossWeight) *
           gradientScale(microbatches, replicasOfUpdate(plan.layout.parallel));
}

}  // namespace

Executor::Executor(ExecutorSetup setup)
    : setup_(setup), clock_(&setup_.clock),
      gradientCheck_(setup_.stages, setup_.arena, setup_.groups, setup_.trace, setup_.scale,
                     updatesAtServer(setup_.plan.layout.parallel), setup_.plan.layout.optimizer.clip),
      versions_(setup_.stages, setup_.arena, setup_.trace, setup_.clock, setup_.plan.costs),
      lossGradientScale_(lossGradientScale(setup_.plan)) {}

Executed Executor::train(std::span<const Action> actions, int step, const Tokens& tokens) {
    step_ = step;
    tokens_ = &tokens;
    updatesDone_.clear();
    gradients_ = gradientCheck_.unchecked();
    setup_.arena.startStep();
    for (const Action& action : actions) {
        setup_.transfers.progress();
        if (setup_.dataParallel) setup_.dataParallel->collect();
        if (setup_.hostCopies) setup_.hostCopies->progress();
        setup_.trace.collect();
        carryOut(action);
        setup_.trace.memoryAt(clock_->now());  // a rank that is paced may have come to it late
    }
    finishList();
    Executed executed{0, 0, gradients_.norm, gradients_.overflow};
    for (const double* loss : losses_) executed.lossSum += *loss;
    for (const std::span<const double> modules : predictions_)
        for (const double loss : modules) executed.predictionSum += loss / static_cast<double>(modules.size());
    losses_.clear();
    predictions_.clear();
    evaluated_.clear();
    setup_.trace.collect();
    microbatches_.clear();
    setup_.trace.memory();
    return executed;
}

/// Waits for everything that the list has begun, and records it.
void Executor::finishList() {
    if (setup_.plan.lowered.flushes() || evaluating_) setup_.transfers.finish();
    if (setup_.dataParallel) setup_.dataParallel->settleAll();
    if (setup_.hostCopies) setup_.hostCopies->await(ActionKind::ReloadWeights);
    setup_.arena.device().synchronize();
    if (setup_.dataParallel) setup_.dataParallel->collect();
    if (setup_.hostCopies) setup_.hostCopies->collect();
}

void Executor::carryOut(const Action& action) {
    switch (workOf(action.kind)) {
    case ActionWork::Compute:
        if (action.kind == ActionKind::Recompute) break;  // a stage computes again within its backward
        return compute(action);
    case ActionWork::Send:
    case ActionWork::Receive: return setup_.transfers.start(action);
    case ActionWork::Reduction:
        if (action.kind == ActionKind::ReduceGradients || updatesItself()) reduce(action);
        else if (action.kind == ActionKind::ReduceNorm) gradients_ = gradientCheck_.learnOfCheck();
        return;
    case ActionWork::ServerExchange:
        if (action.kind == ActionKind::ExchangeElastic) return exchangeElastic(action);
        if (action.kind == ActionKind::PullWeights && setup_.shared) return readShared(action);
        return reduce(action);
    case ActionWork::DataPieces:
        if (action.kind == ActionKind::GatherUpdated && setup_.hostCopies)
            setup_.hostCopies->await(ActionKind::ReloadWeights);
        return setup_.dataParallel->announce(action);
    case ActionWork::Update: return update(action);
    case ActionWork::WeightVersion:
        return action.kind == ActionKind::StashWeights ? versions_.stash(action) : versions_.free(action);
    case ActionWork::HostCopy: return setup_.hostCopies->start(action);
    case ActionWork::HostRelease: return setup_.hostCopies->leaveDevice(action);
    case ActionWork::None: break;
    }
    throw std::logic_error(toText(action) + ": the executor has no such action");
}

Executed Executor::evaluate(std::span<const Action> actions, const Tokens& tokens) {
    setup_.transfers.finish();
    useClock(setup_.clock.unmodelled());
    evaluating_ = true;
    setup_.trace.setQuiet(true);
    const Executed executed = train(actions, step_, tokens);
    setup_.trace.setQuiet(false);
    evaluating_ = false;
    useClock(setup_.clock);
    return executed;
}

void Executor::useClock(StepClock& clock) {
    clock_ = &clock;
    setup_.transfers.setClock(clock);
    if (setup_.dataParallel) setup_.dataParallel->setClock(clock);
}

bool Executor::updatesItself() const {
    return !updatesAtServer(setup_.plan.layout.parallel) || setup_.groups.data.rank() == 0;
}

RankStage& Executor::at(const Action& action) {
    const auto found = setup_.stages.find(action.stage);
    if (found == setup_.stages.end()) throw std::logic_error(toText(action) + ": this rank does not hold the stage");
    return found->second;
}

TokenBatch Executor::batch(int microbatch) {
    auto [entry, added] = microbatches_.try_emplace(microbatch);
    if (added) entry->second = (*tokens_)(microbatch);
    return entry->second.batch();
}

Buffer Executor::input(const Action& action) {
    if (action.kind == ActionKind::WeightGrad) return {};
    const bool forward = action.kind == ActionKind::Forward;
    if (forward ? action.stage == 0 : isLast(action)) return {};
    return setup_.transfers.take(
        {forward ? ActionKind::RecvForward : ActionKind::RecvBackward, action.stage, action.microbatch});
}

void Executor::compute(const Action& action) {
    Buffer received = input(action);
    if (setup_.hostCopies) setup_.hostCopies->beforeCompute(action);
    align();
    Device& device = setup_.arena.device();
    const Moment begin = setup_.trace.mark();
    const std::int64_t began = clock_->now();
    setup_.trace.doing(RankPhase::Compute, action);
    const bool layered = setup_.dataParallel && setup_.dataParallel->begin(action);
    const ConstArraySpan stashed = versions_.of(action);
    device.beginRange(toText(action).c_str());
    if (!stashed.empty()) at(action).stage->computeWith(stashed);
    computeStage(action, std::move(received));
    if (!stashed.empty()) at(action).stage->computeWith({});
    device.endRange();
    setup_.transfers.computed();
    // What the processor carries out beside compute follows the processor's clock.
    if (layered && !setup_.dataParallel->followsDevice()) device.synchronize();
    clock_->slowDown(began);
    if (layered) setup_.dataParallel->end();
    else clock_->finish(action);
    clock_->recordParts(action, began);
    if (!layered) setup_.trace.span(Lane::Compute, eventKind(action.kind), begin, setup_.trace.mark(), action);
}

void Executor::computeStage(const Action& action, Buffer received) {
    if (action.kind == ActionKind::WeightGrad) at(action).stage->weightGrad(action.microbatch);
    else if (action.kind == ActionKind::Forward) forward(action, std::move(received));
    else backward(action, std::move(received));
}

void Executor::forward(const Action& action, Buffer received) {
    Stage& stage = *at(action).stage;
    const int microbatch = action.microbatch;
    double* const evaluated = evaluating_ && isLast(action) ? &evaluated_.emplace_back() : nullptr;
    Buffer output = evaluating_ ? stage.evaluate(batch(microbatch), std::move(received), evaluated)
                                : stage.forward(microbatch, batch(microbatch), std::move(received));
    if (isLast(action)) {
        losses_.push_back(evaluating_ ? evaluated : &stage.loss(microbatch));
        if (!evaluating_) predictions_.push_back(stage.predictionLosses(microbatch));
        return;
    }
    setup_.transfers.put({ActionKind::SendForward, action.stage, microbatch}, std::move(output));
}

void Executor::backward(const Action& action, Buffer received) {
    Stage& stage = *at(action).stage;
    const int microbatch = action.microbatch;
    const float scale = lossGradientScale_ * setup_.scale.value();
    Buffer gradient = action.kind == ActionKind::Backward ? stage.backward(microbatch, std::move(received), scale)
                                                          : stage.inputGrad(microbatch, std::move(received), scale);
    if (action.stage == 0) return;
    setup_.transfers.put({ActionKind::SendBackward, action.stage, microbatch}, std::move(gradient));
}

void Executor::reduce(const Action& action) {
    if (setup_.dataParallel) {
        setup_.dataParallel->settleReductions();
        setup_.dataParallel->drain();
    }
    if (setup_.hostCopies) setup_.hostCopies->progress();
    setup_.arena.device().synchronize();
    const std::int64_t reached = setup_.trace.now();
    setup_.trace.doing(RankPhase::Communicating, action);
    setup_.trace.started(eventKind(action.kind), action, leavingBytes(action));
    Communicator* group = &setup_.groups.data;
    if (action.kind == ActionKind::ReduceNorm) group = &setup_.groups.replica;
    if (action.kind == ActionKind::ReduceTied) group = setup_.groups.tied;
    if (!group) throw std::logic_error(toText(action) + ": this rank has no group for it");

    // The members meet first, so that the wait for the last of them is recorded apart from moving the data.
    const std::int64_t end = clock_->meet(*group, action);
    const std::int64_t begin = setup_.trace.now();
    setup_.trace.span(Lane::Compute, EventKind::Wait, reached, begin, action);
    exchange(action, *group);
    setup_.arena.device().synchronize();
    clock_->finishAt(action, end);
    setup_.trace.span(Lane::Comm, eventKind(action.kind), begin, setup_.trace.now(), action, leavingBytes(action));
}

void Executor::exchange(const Action& action, Communicator& group) {
    switch (action.kind) {
    case ActionKind::ReduceGradients: return averageGradients(at(action).stage->gradientBlock(), group);
    case ActionKind::PushGradients: return pushGradients(at(action).stage->gradientBlock(), group);
    case ActionKind::PullWeights: return pullWeights(at(action).stage->parameterBlock(), group);
    case ActionKind::ReduceTied: {
        std::vector<std::span<Parameter>> held;
        for (auto& [index, rankStage] : setup_.stages) held.push_back(rankStage.owned());
        return sumTiedGradients(held, group, setup_.arena.device());
    }
    default: gradients_ = gradientCheck_.check(step_);
    }
}

std::int64_t Executor::leavingBytes(const Action& action) const {
    const std::int64_t bytes = setup_.plan.costs.bytes(action);
    if (action.kind == ActionKind::PushGradients) return updatesItself() ? 0 : bytes;
    if (action.kind == ActionKind::PullWeights) return updatesItself() ? bytes * (setup_.groups.data.size() - 1) : 0;
    return bytes;
}

void Executor::exchangeElastic(const Action& action) {
    ElasticCentre& centre = *setup_.elastic;
    if (!centre.takesPart(step_)) return;
    const int peer = centre.peer(step_);
    const bool here = peer == centre.replica();
    setup_.arena.device().synchronize();
    const std::int64_t reached = setup_.trace.now(), bytes = here ? 0 : setup_.plan.costs.bytes(action);
    setup_.trace.doing(RankPhase::Communicating, action);
    setup_.trace.started(EventKind::ExchangeElastic, action, bytes);
    // The two sides meet first, so that the wait for the other is recorded apart from moving the weights.
    clock_->waitUntil(here ? 0 : exchanged(centre.group().host(), peer, clock_->now()));
    const std::int64_t begin = setup_.trace.now();
    setup_.trace.span(Lane::Compute, EventKind::Wait, reached, begin, action);
    const double squares = centre.exchange(step_);
    setup_.arena.device().synchronize();
    clock_->finish(action);
    const int turn = centre.turn(step_);
    setup_.trace.span(Lane::Comm, EventKind::ExchangeElastic, begin, setup_.trace.now(), action, bytes, turn);
    if (centre.replica() != turn) return;
    const double whole = sum(setup_.groups.replica, squares);
    if (setup_.groups.replica.rank() == 0 && setup_.groups.context.rank() == 0)
        setup_.trace.counter(EventKind::ElasticDistance, std::sqrt(whole));
}

/// Takes the weights that Hogwild's workers share as they are at this moment, and waits for nobody.
void Executor::readShared(const Action& action) {
    const std::int64_t begin = setup_.trace.now();
    setup_.trace.doing(RankPhase::Compute, action);
    setup_.shared->read();
    clock_->finish(action);
    setup_.trace.span(Lane::Comm, EventKind::PullWeights, begin, setup_.trace.now(), action);
}

void Executor::updateShared(int number) {
    const HogwildUpdate done = setup_.shared->update(number, gradients_.factor);
    setup_.trace.staleness(done.staleness, setup_.groups.data.rank());
    setup_.trace.overwritten(done.overwritten, done.written);
}

void Executor::update(const Action& action) {
    if (!updatesItself()) return at(action).zeroGradients();
    if (setup_.dataParallel) setup_.dataParallel->settleReductions();
    if (setup_.hostCopies) setup_.hostCopies->await(ActionKind::OffloadGradients);
    Device& device = setup_.arena.device();
    const bool exchanges = !gradients_.overflow && !setup_.plan.costs.tensorSpans(action).empty();
    if (exchanges) align();
    // An update on the host follows the processor's clock.
    const auto mark = [&] { return at(action).host ? Moment(setup_.trace.now()) : setup_.trace.mark(); };
    const Moment begin = mark();
    const std::int64_t began = clock_->now();
    setup_.trace.doing(RankPhase::Compute, action);
    RankStage& rankStage = at(action);
    device.beginRange(toText(action).c_str());
    if (!gradients_.overflow) {
        const int number = step_ * setup_.plan.lowered.updates + ++updatesDone_[action.stage] - setup_.scale.skipped();
        if (setup_.shared) updateShared(number);
        else rankStage.optimizer->update(rankStage.updated(), number, gradients_.factor);
    }
    rankStage.zeroGradients();
    device.endRange();
    clock_->finish(action);
    if (exchanges) clock_->recordParts(action, began);
    setup_.trace.span(Lane::Compute, EventKind::Optimizer, begin, mark(), action);
}

void Executor::crossStepBoundary(int microbatches) {
    for (auto& [index, rankStage] : setup_.stages) rankStage.stage->renumber(-microbatches);
    setup_.transfers.renumber(-microbatches);
    versions_.renumber(-setup_.plan.lowered.updates);
}

void Executor::empty() {
    setup_.transfers.finish();
    versions_.clear();
}

void Executor::abandon() {
    setup_.transfers.finish();
    setup_.transfers.abandon();
}

}  // namespace shardlab::train
