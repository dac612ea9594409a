// SPDX-License-Identifier: Apache-2.0
#include "engine/train/executor.h"

#include "engine/comm/scalars.h"
#include "engine/optim/gradient_norm.h"
#include "engine/parallel/data.h"
#include "engine/parallel/tied.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace shardlab {

Executor::Executor(ExecutorSetup setup) : setup_(std::move(setup)) {}

Executed Executor::train(std::span<const Action> actions, int step, const Tokens& tokens) {
    step_ = step;
    tokens_ = &tokens;
    executed_ = {};
    clipping_ = 1;
    for (const Action& action : actions) {
        setup_.transfers.progress();
        switch (action.kind) {
            case ActionKind::Forward:
            case ActionKind::Backward:
            case ActionKind::InputGrad:
            case ActionKind::WeightGrad: compute(action); break;
            case ActionKind::SendForward:
            case ActionKind::RecvForward:
            case ActionKind::SendBackward:
            case ActionKind::RecvBackward: setup_.transfers.start(action); break;
            case ActionKind::ReduceGradients:
            case ActionKind::ReduceTied:
            case ActionKind::ReduceNorm: reduce(action); break;
            case ActionKind::OptimizerStep: update(action); break;
            case ActionKind::ReduceBuckets:
            case ActionKind::ScatterGradients:
            case ActionKind::GatherForward:
            case ActionKind::GatherBackward:
            case ActionKind::GatherUpdated:
            case ActionKind::Recompute:
            case ActionKind::None: throw std::logic_error(toText(action) + ": the executor has no such action");
        }
        setup_.trace.memory();
    }
    setup_.transfers.finish();
    microbatches_.clear();
    setup_.trace.memory();
    return executed_;
}

Executed Executor::evaluate(std::span<const Action> actions, const Tokens& tokens) {
    Pacer* const pacer = std::exchange(setup_.pacer, nullptr);
    evaluating_ = true;
    setup_.transfers.setPaced(false);
    setup_.trace.setQuiet(true);
    const Executed executed = train(actions, step_, tokens);
    setup_.trace.setQuiet(false);
    setup_.transfers.setPaced(pacer != nullptr);
    evaluating_ = false;
    setup_.pacer = pacer;
    return executed;
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
    receive.kind = forward ? ActionKind::RecvForward : ActionKind::RecvBackward;
    return setup_.transfers.take(receive);
}

void Executor::compute(const Action& action) {
    Buffer received = input(action);
    startTogether();
    const std::int64_t begin = setup_.trace.now();
    const std::int64_t modelledBegin = setup_.pacer ? setup_.pacer->clock() : 0;
    setup_.trace.doing(RankPhase::Compute, action);
    work(action, std::move(received));
    pace(action);
    if (setup_.pacer) recordTensor(action, modelledBegin, setup_.pacer->clock());
    setup_.trace.span(Lane::Compute, eventKind(action.kind), begin, setup_.trace.now(), action);
}

void Executor::work(const Action& action, Buffer received) {
    Stage& stage = *at(action).stage;
    const int microbatch = action.microbatch;
    Action send = action;
    if (action.kind == ActionKind::Forward) {
        double loss = 0;
        Buffer output = evaluating_ ? stage.evaluate(batch(microbatch), std::move(received), &loss)
                                    : stage.forward(microbatch, batch(microbatch), std::move(received));
        if (action.stage == setup_.stageCount - 1) {
            executed_.lossSum += evaluating_ ? loss : stage.loss(microbatch);
            return;
        }
        send.kind = ActionKind::SendForward;
        setup_.transfers.put(send, std::move(output));
        return;
    }
    if (action.kind == ActionKind::WeightGrad) return stage.weightGrad(microbatch);
    Buffer gradient = action.kind == ActionKind::Backward
                          ? stage.backward(microbatch, std::move(received), setup_.gradientScale)
                          : stage.inputGrad(microbatch, std::move(received), setup_.gradientScale);
    if (action.stage == 0) return;
    send.kind = ActionKind::SendBackward;
    setup_.transfers.put(send, std::move(gradient));
}

void Executor::reduce(const Action& action) {
    const std::int64_t reached = setup_.trace.now();
    setup_.trace.doing(RankPhase::Communicating, action);
    Communicator* group = &setup_.data;
    if (action.kind == ActionKind::ReduceNorm) group = &setup_.replica;
    if (action.kind == ActionKind::ReduceTied) group = setup_.tied;
    if (!group) throw std::logic_error(toText(action) + ": this rank has no group for it");

    // The members meet first: waiting for the last of them is told apart from moving the data.
    std::int64_t modelledEnd = 0;
    if (setup_.pacer) {
        const std::int64_t modelledBegin = largest(*group, setup_.pacer->clock());
        modelledEnd = modelledBegin + largest(*group, setup_.pacer->duration(action));
        setup_.pacer->waitForArrival(modelledBegin);
    } else {
        group->barrier();
    }
    const std::int64_t begin = setup_.trace.now();
    setup_.trace.span(Lane::Compute, EventKind::Wait, reached, begin, action);
    if (action.kind == ActionKind::ReduceGradients) {
        averageGradients(at(action).stage->gradientBlock(), *group);
    } else if (action.kind == ActionKind::ReduceTied) {
        std::vector<std::span<Parameter>> held;
        for (auto& [index, rankStage] : setup_.stages) held.push_back(rankStage.stage->parameters());
        sumTiedGradients(held, *group);
    } else {
        double squares = 0;
        for (auto& [index, rankStage] : setup_.stages) squares += squaredGradientNorm(rankStage.stage->parameters());
        const double all = sum(*group, squares);
        executed_.gradientNorm = std::sqrt(all);
        clipping_ = clipScale(all, setup_.clip);
    }
    paceUntil(action, modelledEnd);
    setup_.trace.span(Lane::Comm, eventKind(action.kind), begin, setup_.trace.now(), action,
                      setup_.costs.bytes(action));
}

void Executor::update(const Action& action) {
    const std::int64_t begin = setup_.trace.now();
    setup_.trace.doing(RankPhase::Compute, action);
    RankStage& rankStage = at(action);
    rankStage.optimizer->update(rankStage.stage->parameters(), step_ + 1, clipping_);
    rankStage.stage->zeroGradients();
    pace(action);
    setup_.trace.span(Lane::Compute, EventKind::Optimizer, begin, setup_.trace.now(), action);
}

void Executor::startTogether() {
    if (setup_.pacer && setup_.tensor.size() > 1)
        setup_.pacer->waitForArrival(largest(setup_.tensor, setup_.pacer->clock()));
}

void Executor::recordTensor(const Action& action, std::int64_t begin, std::int64_t end) {
    const auto length = static_cast<double>(end - begin);
    for (const TensorSpan& span : setup_.costs.tensorSpans(action))
        setup_.trace.tensorSpan(span.kind, span.layer, begin + std::llround(span.begin * length),
                                begin + std::llround(span.end * length), action, span.bytes);
}

void Executor::pace(const Action& action) {
    if (setup_.pacer) paceUntil(action, setup_.pacer->clock() + setup_.pacer->duration(action));
}

void Executor::paceUntil(const Action& action, std::int64_t end) {
    if (!setup_.pacer) return;
    if (const double overrun = setup_.pacer->completeAt(end); overrun > 0) setup_.trace.overrun(action, overrun);
}

}  // namespace shardlab
