// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/executor.h"

#include "engine/train/comm/scalars.h"
#include "engine/train/optim/gradient_norm.h"
#include "engine/train/parallel/data.h"
#include "engine/train/parallel/server.h"
#include "engine/train/parallel/tied.h"
#include "engine/train/run/elastic_centre.h"
#include "engine/train/run/host_copies.h"
#include "engine/train/run/shared_weights.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace shardlab {

namespace {

constexpr int exponentsEvery = 10;  ///< steps between two histograms of gradients

}  // namespace

Executor::Executor(ExecutorSetup setup) : setup_(std::move(setup)), clock_(&setup_.clock) {
    if (!setup_.scale.active()) return;
    overflow_ = setup_.arena.allocateZeroed(MemoryCategory::Buffers, 1, DType::I32);
    for (auto& [index, rankStage] : setup_.stages)
        rankStage.stage->watchOverflow(static_cast<std::int32_t*>(overflow_.data().data));
}

Executed Executor::train(std::span<const Action> actions, int step, const Tokens& tokens) {
    step_ = step;
    tokens_ = &tokens;
    executed_ = {};
    updatesDone_.clear();
    clipping_ = 1 / setup_.scale.value();
    setup_.arena.startStep();
    for (const Action& action : actions) {
        setup_.transfers.progress();
        if (setup_.dataAxis) setup_.dataAxis->collect();
        if (setup_.hostCopies) setup_.hostCopies->progress();
        setup_.trace.collect();
        switch (action.kind) {
        case ActionKind::Forward:
        case ActionKind::Backward:
        case ActionKind::InputGrad:
        case ActionKind::WeightGrad: compute(action); break;
        case ActionKind::SendForward:
        case ActionKind::RecvForward:
        case ActionKind::SendBackward:
        case ActionKind::RecvBackward: setup_.transfers.start(action); break;
        case ActionKind::ReduceTied:
        case ActionKind::ReduceNorm:
            if (!setup_.serves) break;
            [[fallthrough]];
        case ActionKind::ReduceGradients:
        case ActionKind::PushGradients: reduce(action); break;
        case ActionKind::PullWeights: setup_.shared ? readShared(action) : reduce(action); break;
        case ActionKind::ExchangeElastic: exchangeElastic(action); break;
        case ActionKind::OptimizerStep: update(action); break;
        case ActionKind::StashWeights: stash(action); break;
        case ActionKind::FreeWeights: free(action); break;
        case ActionKind::OffloadGradients:
        case ActionKind::ReloadWeights:
        case ActionKind::SwapOut:
        case ActionKind::SwapIn: setup_.hostCopies->start(action); break;
        case ActionKind::SwapFree: setup_.hostCopies->leaveDevice(action); break;
        case ActionKind::ReduceBuckets:
        case ActionKind::ScatterGradients:
        case ActionKind::GatherForward:
        case ActionKind::GatherBackward: setup_.dataAxis->announce(action); break;
        case ActionKind::GatherUpdated:
            if (setup_.hostCopies) setup_.hostCopies->await(ActionKind::ReloadWeights);
            setup_.dataAxis->announce(action);
            break;
        case ActionKind::Recompute:
        case ActionKind::None: throw std::logic_error(toText(action) + ": the executor has no such action");
        }
        setup_.trace.memory();
    }
    if (setup_.flushes || evaluating_) setup_.transfers.finish();
    if (setup_.dataAxis) setup_.dataAxis->settleAll();
    if (setup_.hostCopies) setup_.hostCopies->await(ActionKind::ReloadWeights);
    setup_.arena.device().synchronize();
    if (setup_.dataAxis) setup_.dataAxis->collect();
    if (setup_.hostCopies) setup_.hostCopies->collect();
    for (const double* loss : losses_) executed_.lossSum += *loss;
    losses_.clear();
    evaluated_.clear();
    setup_.trace.collect();
    microbatches_.clear();
    setup_.trace.memory();
    return executed_;
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
    if (setup_.dataAxis) setup_.dataAxis->setClock(clock);
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
    if (action.stage == (forward ? 0 : setup_.stageCount - 1)) return {};
    Action receive = action;
    receive.version = -1;
    receive.kind = forward ? ActionKind::RecvForward : ActionKind::RecvBackward;
    return setup_.transfers.take(receive);
}

void Executor::compute(const Action& action) {
    Buffer received = input(action);
    if (setup_.hostCopies) setup_.hostCopies->beforeCompute(action);
    align();
    const Moment begin = setup_.trace.mark();
    const std::int64_t began = clock_->now();
    setup_.trace.doing(RankPhase::Compute, action);
    const bool layered = setup_.dataAxis && setup_.dataAxis->begin(action);
    const auto version = kept_.find({action.stage, action.version});
    if (version == kept_.end()) {
        work(action, std::move(received));
    } else {
        Stage& stage = *at(action).stage;
        stage.computeWith(version->second.span());
        work(action, std::move(received));
        stage.computeWith({});
    }
    // What the processor carries out beside compute follows the processor's clock.
    if (layered && !setup_.dataAxis->followsDevice()) setup_.arena.device().synchronize();
    clock_->slowDown(began);
    if (layered) setup_.dataAxis->end();
    else clock_->finish(action);
    clock_->recordParts(action, began);
    if (!layered) setup_.trace.span(Lane::Compute, eventKind(action.kind), begin, setup_.trace.mark(), action);
}

void Executor::work(const Action& action, Buffer received) {
    Device& device = setup_.arena.device();
    device.beginRange(toText(action).c_str());
    carryOut(action, std::move(received));
    device.endRange();
}

void Executor::carryOut(const Action& action, Buffer received) {
    Stage& stage = *at(action).stage;
    const int microbatch = action.microbatch;
    Action send = action;
    send.version = -1;
    if (action.kind == ActionKind::Forward) {
        const bool last = action.stage == setup_.stageCount - 1;
        double* const evaluated = evaluating_ && last ? &evaluated_.emplace_back() : nullptr;
        Buffer output = evaluating_ ? stage.evaluate(batch(microbatch), std::move(received), evaluated)
                                    : stage.forward(microbatch, batch(microbatch), std::move(received));
        if (last) {
            losses_.push_back(evaluating_ ? evaluated : &stage.loss(microbatch));
            return;
        }
        send.kind = ActionKind::SendForward;
        setup_.transfers.put(send, std::move(output));
        return;
    }
    if (action.kind == ActionKind::WeightGrad) return stage.weightGrad(microbatch);
    const float scale = setup_.gradientScale * setup_.scale.value();
    Buffer gradient = action.kind == ActionKind::Backward ? stage.backward(microbatch, std::move(received), scale)
                                                          : stage.inputGrad(microbatch, std::move(received), scale);
    if (action.stage == 0) return;
    send.kind = ActionKind::SendBackward;
    setup_.transfers.put(send, std::move(gradient));
}

void Executor::reduce(const Action& action) {
    if (setup_.dataAxis) {
        setup_.dataAxis->settleReductions();
        setup_.dataAxis->drain();
    }
    if (setup_.hostCopies) setup_.hostCopies->progress();
    setup_.arena.device().synchronize();
    const std::int64_t reached = setup_.trace.now();
    setup_.trace.doing(RankPhase::Communicating, action);
    setup_.trace.started(eventKind(action.kind), action, leavingBytes(action));
    Communicator* group = &setup_.data;
    if (action.kind == ActionKind::ReduceNorm) group = &setup_.replica;
    if (action.kind == ActionKind::ReduceTied) group = setup_.tied;
    if (!group) throw std::logic_error(toText(action) + ": this rank has no group for it");

    // The members meet first, so that the wait for the last of them is told apart from moving the data.
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
    default: return readNorm(group);
    }
}

std::int64_t Executor::leavingBytes(const Action& action) const {
    const std::int64_t bytes = setup_.costs.bytes(action);
    if (action.kind == ActionKind::PushGradients) return setup_.serves ? 0 : bytes;
    if (action.kind == ActionKind::PullWeights) return setup_.serves ? bytes * (setup_.data.size() - 1) : 0;
    return bytes;
}

void Executor::readNorm(Communicator& replica) {
    if (setup_.scale.watched() && step_ % exponentsEvery == 0) tellExponents();
    const double scale = setup_.scale.value();
    const double squares = squaredNorm(replica) / (scale * scale);
    executed_.gradientNorm = std::sqrt(squares);
    executed_.overflow = setup_.scale.active() && !std::isfinite(squares);
    clipping_ = executed_.overflow ? 0 : clipScale(squares, setup_.clip) / setup_.scale.value();
    if (executed_.overflow) tellOverflow();
}

void Executor::exchangeElastic(const Action& action) {
    ElasticCentre& centre = *setup_.elastic;
    if (!centre.takesPart(step_)) return;
    const int peer = centre.peer(step_);
    const bool here = peer == setup_.data.rank();
    setup_.arena.device().synchronize();
    const std::int64_t reached = setup_.trace.now(), bytes = here ? 0 : setup_.costs.bytes(action);
    setup_.trace.doing(RankPhase::Communicating, action);
    setup_.trace.started(EventKind::ExchangeElastic, action, bytes);
    // The two sides meet first, so that the wait for the other is told apart from moving the weights.
    clock_->waitUntil(here ? 0 : exchanged(setup_.data.host(), peer, clock_->now()));
    const std::int64_t begin = setup_.trace.now();
    setup_.trace.span(Lane::Compute, EventKind::Wait, reached, begin, action);
    const double squares = centre.exchange(step_);
    setup_.arena.device().synchronize();
    clock_->finish(action);
    const int turn = centre.turn(step_);
    setup_.trace.span(Lane::Comm, EventKind::ExchangeElastic, begin, setup_.trace.now(), action, bytes, turn);
    if (setup_.data.rank() != turn) return;
    const double whole = sum(setup_.replica, squares);
    if (setup_.replica.rank() == 0) setup_.trace.counter(EventKind::ElasticDistance, std::sqrt(whole));
}

double Executor::squaredNorm(Communicator& replica) {
    double squares = 0, ofExperts = 0;
    for (auto& [index, rankStage] : setup_.stages) {
        squares += squaredGradientNorm(rankStage.owned(), setup_.arena.device(), GradientPart::Dense);
        if (setup_.experts.size() > 1)
            ofExperts += squaredGradientNorm(rankStage.owned(), setup_.arena.device(), GradientPart::Experts);
    }
    // Each expert counts once, and all members come to the same bits.
    if (setup_.experts.size() > 1) squares += sum(setup_.experts, ofExperts);
    if (setup_.stages.begin()->second.shards) squares = sum(setup_.data, squares);  // of all shards
    return sum(replica, squares);
}

/// Where on this rank the first gradient was that is not finite, if one was. Where no replica had one, the sum over
/// them is too large.
void Executor::tellOverflow() {
    std::int32_t mark = 0;
    Device& device = setup_.arena.device();
    device.download(overflow_.data().data, &mark, sizeof mark);
    device.clear(overflow_.data().data, sizeof mark);
    if (sum(setup_.data, mark != 0 ? 1.0 : 0.0) == 0) return tellOverflowOfSum();
    if (mark == 0) return;
    const OverflowPlace place = overflowPlace(mark);
    Action action{ActionKind::Backward, setup_.stages.begin()->first, place.microbatch};
    for (const auto& [index, rankStage] : setup_.stages)
        if (rankStage.stage->hasLayer(place.layer)) action.stage = index;
    setup_.trace.overflow(action, place.layer);
}

/// Of the gradients that this rank updates with.
void Executor::tellExponents() {
    ExponentHistogram histogram;
    for (auto& [index, rankStage] : setup_.stages)
        for (const Parameter& parameter : rankStage.owned())
            if (parameter.owner && !parameter.gradient.empty())
                setup_.arena.device().addExponents(static_cast<std::int64_t>(parameter.gradient.size()),
                                                   parameter.gradient.data(), histogram);
    setup_.trace.exponents(histogram);
}

void Executor::tellOverflowOfSum() {
    for (auto& [index, rankStage] : setup_.stages)
        for (const Parameter& parameter : rankStage.owned()) {
            if (std::isfinite(squaredGradientNorm(std::span(&parameter, 1), setup_.arena.device()))) continue;
            const int layer = rankStage.stage->layerOfModel(parameter.lowestLayer);
            return setup_.trace.overflow({ActionKind::ReduceGradients, index}, layer);
        }
}

/// Waits for nobody.
void Executor::readShared(const Action& action) {
    const std::int64_t begin = setup_.trace.now();
    setup_.trace.doing(RankPhase::Compute, action);
    setup_.shared->read();
    clock_->finish(action);
    setup_.trace.span(Lane::Comm, EventKind::PullWeights, begin, setup_.trace.now(), action);
}

void Executor::updateShared(int number) {
    const HogwildUpdate done = setup_.shared->update(number, clipping_);
    setup_.trace.staleness(done.staleness, setup_.data.rank());
    setup_.trace.overwritten(done.overwritten, done.written);
}

void Executor::update(const Action& action) {
    if (!setup_.serves) return at(action).zeroGradients();
    if (setup_.dataAxis) setup_.dataAxis->settleReductions();
    if (setup_.hostCopies) setup_.hostCopies->await(ActionKind::OffloadGradients);
    Device& device = setup_.arena.device();
    const bool exchanges = !executed_.overflow && !setup_.costs.tensorSpans(action).empty();
    if (exchanges) align();
    // What the processor updates follows its clock.
    const auto mark = [&] { return at(action).host ? Moment(setup_.trace.now()) : setup_.trace.mark(); };
    const Moment begin = mark();
    const std::int64_t began = clock_->now();
    setup_.trace.doing(RankPhase::Compute, action);
    RankStage& rankStage = at(action);
    device.beginRange(toText(action).c_str());
    if (!executed_.overflow) {
        const int number = step_ * setup_.updates + ++updatesDone_[action.stage] - setup_.scale.skipped();
        if (setup_.shared) updateShared(number);
        else rankStage.optimizer->update(rankStage.updated(), number, clipping_);
    }
    rankStage.zeroGradients();
    device.endRange();
    clock_->finish(action);
    if (exchanges) clock_->recordParts(action, began);
    setup_.trace.span(Lane::Compute, EventKind::Optimizer, begin, mark(), action);
}

void Executor::align() { clock_->align({&setup_.tensor, &setup_.context, &setup_.experts}); }

void Executor::stash(const Action& action) {
    const Moment begin = setup_.trace.mark();
    setup_.trace.doing(RankPhase::Compute, action);
    const ConstArraySpan weights = at(action).stage->parameterBlock();
    Buffer& copy = kept_[{action.stage, action.version}];
    copy = setup_.arena.allocate(MemoryCategory::Parameters, weights.size(), weights.type());
    setup_.arena.device().copy(weights.data().data, copy.data().data, weights.bytes().size());
    clock_->finish(action);
    setup_.trace.span(Lane::Compute, EventKind::StashWeights, begin, setup_.trace.mark(), action,
                      setup_.costs.bytes(action));
    tellVersions();
}

void Executor::free(const Action& action) {
    kept_.erase({action.stage, action.version});
    const std::int64_t now = setup_.trace.now();
    setup_.trace.span(Lane::Compute, EventKind::FreeWeights, now, now, action, setup_.costs.bytes(action));
    tellVersions();
}

void Executor::tellVersions() {
    setup_.trace.counter(EventKind::WeightVersions, static_cast<double>(kept_.size() + setup_.stages.size()));
}

void Executor::border(int microbatches) {
    for (auto& [index, rankStage] : setup_.stages) rankStage.stage->renumber(-microbatches);
    setup_.transfers.renumber(-microbatches);
    std::map<std::pair<int, int>, Buffer> moved;
    for (auto& [key, weights] : kept_)
        moved.emplace(std::pair(key.first, key.second - setup_.updates), std::move(weights));
    kept_ = std::move(moved);
}

void Executor::abandon() {
    setup_.transfers.finish();
    setup_.transfers.abandon();
}

}  // namespace shardlab
