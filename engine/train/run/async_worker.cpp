// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/async_worker.h"

#include "engine/train/parallel/server.h"
#include "engine/train/comm/backoff.h"
#include "engine/train/run/fp8_trace.h"

namespace shardlab::train {
namespace {

void await(Communicator& group, Request& message) {
    for (Backoff idle(true); !message.test(); idle.pause()) group.requireMembers();
}

}  // namespace

int AsyncWorker::run() {
    stepBegan_ = setup_.trace.now();
    setup_.begins(0);
    setup_.arena.resetPeaks();
    for (std::int64_t gradient = 0;; ++gradient) {
        const auto tokens = [&](int microbatch) { return setup_.tokens(gradient, microbatch); };
        const Executed done = setup_.executor.train(setup_.gradient, 0, tokens);
        if (!exchange(done.lossSum)) return step_;
        setup_.stage.zeroGradients();
    }
}

bool AsyncWorker::exchange(double lossSum) {
    UpdateAnswer answer;
    const RequestPtr answered = ireceiveMessage(setup_.data.host(), answer, serverMember, ServerTag::Answer);
    if (awaitLock(lossSum)) {
        setup_.trace.started(EventKind::PushGradients, setup_.push, setup_.costs.bytes(setup_.push), serverMember);
        const std::int64_t begin = setup_.trace.now();
        setup_.data.send(setup_.stage.stage->gradientBlock().bytes(), serverMember,
                         static_cast<int>(ServerTag::Gradient));
        setup_.clock.finish(setup_.push);
        setup_.trace.span(Lane::Comm, EventKind::PushGradients, begin, setup_.trace.now(), setup_.push,
                          setup_.costs.bytes(setup_.push), setup_.data.rank());
    }
    const std::int64_t pushed = setup_.trace.now();
    setup_.trace.doing(RankPhase::Communicating, setup_.pull);
    await(setup_.data, *answered);
    setup_.clock.waitUntil(answer.clock);
    if (answer.ends == 0) {
        setup_.trace.span(Lane::Compute, EventKind::Wait, pushed, setup_.trace.now(), setup_.pull);
        takeWeights();
    }
    endSteps(answer.version);
    version_ = answer.version;
    return answer.ends == 0;
}

/// Waits until the server takes this worker's gradient. False: the server takes no more gradients.
bool AsyncWorker::awaitLock(double lossSum) {
    Grant grant;
    const RequestPtr granted = ireceiveMessage(setup_.data.host(), grant, serverMember, ServerTag::Grant);
    const std::int64_t asked = setup_.trace.now();
    setup_.trace.doing(RankPhase::Communicating, setup_.push);
    sendMessage(setup_.data.host(), GradientRequest{lossSum, version_, setup_.clock.now()}, serverMember,
                ServerTag::Request);
    await(setup_.data, *granted);
    setup_.clock.waitUntil(grant.clock);
    setup_.trace.span(Lane::Compute, EventKind::Wait, asked, setup_.trace.now(), setup_.push);
    return grant.clock >= 0;
}

void AsyncWorker::takeWeights() {
    setup_.trace.started(EventKind::PullWeights, setup_.pull, 0, serverMember);
    const std::int64_t begin = setup_.trace.now();
    setup_.data.receive(setup_.stage.stage->parameterBlock().bytes(), serverMember,
                        static_cast<int>(ServerTag::Weights));
    setup_.clock.finish(setup_.pull);
    setup_.trace.span(Lane::Comm, EventKind::PullWeights, begin, setup_.trace.now(), setup_.pull, 0,
                      setup_.data.rank());
}

void AsyncWorker::endSteps(std::int64_t version) {
    const std::int64_t updates = setup_.data.size() - 1;  // in a step
    for (; (step_ + 1) * updates <= version; ++step_) {
        const std::int64_t now = setup_.trace.now();
        setup_.trace.span(Lane::Host, EventKind::Step, stepBegan_, now);
        setup_.trace.memoryPeak();
        for (const ExpertLoad& load : setup_.stage.stage->takeExpertLoads()) setup_.trace.experts(load);
        endFp8Step(*setup_.stage.stage, 0, setup_.trace);
        setup_.arena.resetPeaks();
        stepBegan_ = now;
        setup_.begins(step_ + 1);
    }
}

}  // namespace shardlab::train
