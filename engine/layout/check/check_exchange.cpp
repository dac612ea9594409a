// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"

#include "engine/layout/suggest.h"
#include "engine/layout/exchange.h"
#include "engine/layout/formats.h"

namespace shardlab::layout {
namespace {

/// What no exchange but the all-reduce goes with.
void checkReduction(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    if (const ScheduleMethod* found = flushlessMethod(layout, schedules))
        faults.push_back({"/parallel/exchange", say("{} does not go with {}", wordOf(p.exchange), found->name),
                          say("its stages update in the middle of a step, and replicas would have to meet there"),
                          say("allreduce; or a schedule with a flush, 1f1b")});
    if (p.zero > 0)
        faults.push_back(
            {"/parallel/zero", say("ZeRO {} with the exchange {}", p.zero, wordOf(p.exchange)),
             p.exchange == Exchange::Hogwild ? say("all workers share the weights, and there is no optimizer state")
             : updatesAtServer(p)            ? say("only the server has optimizer state: there is nothing to divide")
                                             : say("every replica has weights of its own: there is nothing to divide"),
             say("0; or parallel.exchange allreduce")});
    const bool elastic = p.exchange == Exchange::Elastic;
    if (p.context > 1 && p.exchange != Exchange::Server && !elastic)
        faults.push_back({"/parallel/context",
                          say("a context group of {} ranks with the exchange {}", p.context, wordOf(p.exchange)),
                          say("its members hold the same weights, and their gradients are summed by an all-reduce"),
                          say("1; or parallel.exchange allreduce, server or easgd")});
    if (p.allReduce == AllReduceKind::Ring && !(elastic && p.context > 1))
        faults.push_back({"/parallel/all_reduce", say("a ring with the exchange {}", wordOf(p.exchange)),
                          say("it has no all-reduce"), say("backend; or parallel.exchange allreduce")});
    if (layout.precision.lossScale != LossScaling::None && p.exchange != Exchange::Server)
        faults.push_back({"/precision/loss_scale", say("a loss scale with the exchange {}", wordOf(p.exchange)),
                          say("replicas would have to agree on an overflow that only one of them sees"),
                          say("none; or parallel.exchange allreduce or server")});
}

/// There is no moment at which a few ranks hold all of the state.
void checkNoCheckpoints(const Layout& layout, std::vector<Fault>& faults) {
    if (layout.checkpoint.every > 0)
        faults.push_back({"/checkpoint/every", say("{} takes no checkpoints", wordOf(layout.parallel.exchange)),
                          say("whenever a step ends, workers are in the middle of computing their gradients"),
                          say("0; or parallel.exchange allreduce, server or hogwild")});
    if (layout.run.maxRestarts > 0)
        faults.push_back({"/run/max_restarts", say("{} cannot be restarted", wordOf(layout.parallel.exchange)),
                          say("a restart goes on from a checkpoint, and it takes none"),
                          say("0; or parallel.exchange allreduce, server or hogwild")});
}

void checkAsyncServer(const Layout& layout, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    const Sentence why = say("a worker's gradient goes to the server at once and whole, and ranks of one worker would "
                             "have to take turns at the lock together");
    if (p.pipeline > 1)
        faults.push_back({"/parallel/pipeline", say("async-server with a pipeline of {} ranks", p.pipeline), why,
                          say("1; or parallel.exchange allreduce, server or easgd")});
    if (p.tensor > 1)
        faults.push_back({"/parallel/tensor", say("async-server with a tensor group of {} ranks", p.tensor), why,
                          say("1; or parallel.exchange allreduce, server or easgd")});
    if (layout.schedule.chunks > 1)
        faults.push_back({"/schedule/chunks", say("async-server with {} chunks", layout.schedule.chunks),
                          say("a worker holds the model in one piece"),
                          say("1, with the schedule 1f1b, gpipe or naive")});
    checkNoCheckpoints(layout, faults);
}

void checkElastic(const Layout& layout, std::vector<Fault>& faults) {
    const OptimizerSpec& o = layout.optimizer;
    if (!traits(o.kind).plainDescent)
        faults.push_back({"/optimizer/kind", say("easgd with {}", wordOf(o.kind)),
                          say("its pull is a part of gradient descent: W − η(ΔW + ρ(W − W̄))"),
                          say("{}", wordsWhere(optimizerTraits, &OptimizerTraits::plainDescent))});
    if (o.learningRate * o.elasticRho > 1)
        faults.push_back({"/optimizer/elastic_rho",
                          say("learning rate {:.9g} × ρ {:.9g} is more than 1", o.learningRate, o.elasticRho),
                          say("this is the share of their distance by which weights and centre approach each other, "
                              "and beyond 1 they would diverge"),
                          say("at most {:.9g}", 1 / o.learningRate)});
    const NumberFormats formats = numberFormats(layout.precision);
    if (formats.weights != NumberFormat::Fp32 && !formats.master)
        faults.push_back({"/precision/weights", say("easgd with weights in {} alone", wordOf(formats.weights)),
                          say("weights and centre differ by less than 16 bits can express"),
                          say("master or fp32; or parallel.exchange allreduce or server")});
}

/// Every rank is a worker that holds, reads and writes all of the weights.
void checkHogwild(const Layout& layout, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    const OptimizerSpec& o = layout.optimizer;
    const Sentence whole = say("a worker reads and writes all of the weights by itself, and ranks of one worker would "
                               "have to read the same ones");
    if (p.pipeline > 1)
        faults.push_back({"/parallel/pipeline", say("hogwild with a pipeline of {} ranks", p.pipeline), whole,
                          say("1; or parallel.exchange allreduce, server or easgd")});
    if (p.tensor > 1)
        faults.push_back({"/parallel/tensor", say("hogwild with a tensor group of {} ranks", p.tensor), whole,
                          say("1; or parallel.exchange allreduce, server or easgd")});
    if (layout.schedule.chunks > 1)
        faults.push_back({"/schedule/chunks", say("hogwild with {} chunks", layout.schedule.chunks),
                          say("a worker holds the model in one piece"),
                          say("1, with the schedule 1f1b, gpipe or naive")});
    if (layout.cluster.hosts.size() > 1 && rankCount(layout) > layout.cluster.hosts.front().devices)
        faults.push_back({"/cluster/hosts", say("hogwild on more than one host"),
                          say("its workers write the same memory, which only the ranks of one host share"),
                          say("one host with {} devices; or parallel.exchange async-server", rankCount(layout))});
    if (layout.cluster.device != DeviceKind::Cpu)
        faults.push_back({"/cluster/device", say("hogwild on {}", wordOf(layout.cluster.device)),
                          say("its workers write the processor's memory, element by element"),
                          say("cpu; or parallel.exchange async-server")});
    if (layout.precision.compute != NumberFormat::Fp32)
        faults.push_back({"/precision/compute", say("hogwild in {}", wordOf(layout.precision.compute)),
                          say("an element is one number of fp32, which is read and written in one piece"),
                          say("fp32; or parallel.exchange async-server")});
    const Sentence plain =
        say("its update is plain gradient descent, w − γg: workers share weights, and no optimizer's state");
    if (!traits(o.kind).plainDescent)
        faults.push_back({"/optimizer/kind", say("hogwild with {}", wordOf(o.kind)), plain,
                          say("{}, with momentum 0", wordsWhere(optimizerTraits, &OptimizerTraits::plainDescent))});
    else if (o.momentum > 0)
        faults.push_back({"/optimizer/momentum", say("hogwild with a momentum of {:.9g}", o.momentum), plain, "0"});
    if (o.weightDecay > 0)
        faults.push_back(
            {"/optimizer/weight_decay", say("hogwild with a weight decay of {:.9g}", o.weightDecay),
             say("it would write every element in every update, and only those whose gradient is not zero are written"),
             say("0; or parallel.exchange async-server")});
}

}  // namespace

void checkExchange(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    const Exchange exchange = p.exchange;
    if (exchange == Exchange::AllReduce) return;
    if (p.data == 1 && exchange != Exchange::Hogwild)  // one worker without a lock is plain gradient descent
        faults.push_back({"/parallel/exchange", say("{} with one replica", wordOf(p.exchange)),
                          exchange == Exchange::AsyncServer
                              ? say("the only replica would be the server, and there would be no worker")
                              : say("a replica needs another one to exchange with"),
                          say("allreduce; or parallel.data of at least 2")});
    checkReduction(layout, schedules, faults);
    if (exchange == Exchange::AsyncServer) checkAsyncServer(layout, faults);
    if (exchange == Exchange::Elastic) checkElastic(layout, faults);
    if (exchange == Exchange::Hogwild) checkHogwild(layout, faults);
}

}  // namespace shardlab::layout
