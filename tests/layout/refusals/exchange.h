// SPDX-License-Identifier: Apache-2.0
// What is refused of replicas that exchange something else than sums of gradients.
#pragma once

#include "engine/layout/formats.h"
#include "tests/layout/refusals/premises.h"

namespace shardlab::test {

/// Three workers, a server, and two microbatches for each worker.
inline void asyncServer(Layout& l) {
    l.parallel.exchange = Exchange::AsyncServer;
    l.parallel.data = 4;
    l.parallel.pipeline = 1;
    l.batch.global = 12;
}
inline void elastic(Layout& l) {
    l.parallel.exchange = Exchange::Elastic;
    l.optimizer.kind = OptimizerKind::Sgd;
}
inline void hogwild(Layout& l) {
    l.parallel.exchange = Exchange::Hogwild;
    l.parallel.data = 4;
    l.parallel.pipeline = 1;
    l.optimizer.kind = OptimizerKind::Sgd;
    l.optimizer.weightDecay = 0;
}

inline bool descends(const Layout& l) {
    return (l.parallel.exchange != Exchange::Elastic && l.parallel.exchange != Exchange::Hogwild) ||
           l.optimizer.kind == OptimizerKind::Sgd;
}
inline bool hasReplicas(const Layout& l) { return l.parallel.exchange == Exchange::AllReduce || l.parallel.data > 1; }

inline constexpr Refusal exchangeRefusals[]{
    {"a server of one replica",
     [](Layout& l) {
         l.parallel.exchange = Exchange::Server;
         l.parallel.data = 1;
         l.cluster.hosts[0].devices = 2;
     },
     "/parallel/exchange", "allreduce; or parallel.data of at least 2", withoutGain()},
    {"a server without a worker",
     [](Layout& l) {
         asyncServer(l);
         l.parallel.data = 1;
         l.cluster.hosts[0].devices = 1;
     },
     "/parallel/exchange", "allreduce; or parallel.data of at least 2",
     contradiction("data − 1 workers are more than none", hasReplicas)},
    {"a server without a flush",
     [](Layout& l) {
         l.parallel.exchange = Exchange::Server;
         withoutFlush(l);
     },
     "/parallel/exchange", "allreduce; or a schedule with a flush, 1f1b",
     notBuilt("a server that takes the gradients of each stage's update in the middle of a step")},
    {"ZeRO where the server has the state",
     [](Layout& l) {
         l.parallel.exchange = Exchange::Server;
         l.parallel.zero = 1;
     },
     "/parallel/zero", "0; or parallel.exchange allreduce",
     wrong("the parameter server: it updates alone, so that no other replica has state that ZeRO could divide",
           [](const Layout& l) { return l.parallel.zero == 0 || l.parallel.exchange == Exchange::AllReduce; })},
    {"ZeRO where every replica has weights of its own",
     [](Layout& l) {
         elastic(l);
         l.parallel.zero = 1;
     },
     "/parallel/zero", "0; or parallel.exchange allreduce",
     wrong("EASGD (1412.6651): replicas have different weights, and ZeRO divides what all have alike",
           [](const Layout& l) { return l.parallel.zero == 0 || sharesWeights(l); })},
    {"ZeRO where there is no state",
     [](Layout& l) {
         hogwild(l);
         l.parallel.zero = 1;
     },
     "/parallel/zero", "0; or parallel.exchange allreduce",
     wrong("Hogwild (1106.5730): w − γg has no state, and all workers hold the same weights in one place",
           [](const Layout& l) { return l.parallel.zero == 0 || sharesWeights(l); })},
    {"workers of context groups without a common step",
     [](Layout& l) {
         asyncServer(l);
         l.parallel.context = 2;
         onOneHost(l);
     },
     "/parallel/context", "1; or parallel.exchange allreduce, server or easgd",
     notBuilt("a lock that all ranks of a worker take together")},
    {"a ring where there is no all-reduce",
     [](Layout& l) {
         l.parallel.exchange = Exchange::Server;
         l.parallel.allReduce = AllReduceKind::Ring;
     },
     "/parallel/all_reduce", "backend; or parallel.exchange allreduce", pointless()},
    {"a loss scale of replicas that step apart",
     [](Layout& l) {
         elastic(l);
         l.precision = {NumberFormat::Fp16};
         l.precision.lossScale = LossScaling::Dynamic;
     },
     "/precision/loss_scale", "none; or parallel.exchange allreduce or server",
     notBuilt("a loss scale of each replica, which skips its own steps alone")},

    {"workers of several stages without a common step",
     [](Layout& l) {
         asyncServer(l);
         l.parallel.pipeline = 2;
         onOneHost(l);
     },
     "/parallel/pipeline", "1; or parallel.exchange allreduce, server or easgd",
     notBuilt("a lock that all ranks of a worker take together")},
    {"workers of tensor groups without a common step",
     [](Layout& l) {
         asyncServer(l);
         l.parallel.tensor = 2;
         onOneHost(l);
     },
     "/parallel/tensor", "1; or parallel.exchange allreduce, server or easgd",
     notBuilt("a lock that all ranks of a worker take together")},
    {"workers of several chunks without a common step",
     [](Layout& l) {
         asyncServer(l);
         l.schedule.kind = "looped-bfs";
         l.schedule.chunks = 2;
     },
     "/schedule/chunks", "1, with the schedule 1f1b, gpipe or naive", withoutGain()},
    {"checkpoints between updates that never rest",
     [](Layout& l) {
         asyncServer(l);
         l.checkpoint.every = 5;
     },
     "/checkpoint/every", "0; or parallel.exchange allreduce, server or hogwild",
     notBuilt("checkpoints of a server's weights while workers are computing")},
    {"restarts without checkpoints",
     [](Layout& l) {
         asyncServer(l);
         l.run.maxRestarts = 1;
     },
     "/run/max_restarts", "0; or parallel.exchange allreduce, server or hogwild",
     absent("a checkpoint to go on from",
            [](const Layout& l) {
                return l.run.maxRestarts == 0 ||
                       (l.parallel.exchange != Exchange::AsyncServer && l.parallel.exchange != Exchange::Elastic);
            })},

    {"EASGD of moments", [](Layout& l) { l.parallel.exchange = Exchange::Elastic; }, "/optimizer/kind", "sgd",
     wrong("EASGD (1412.6651): W − η(ΔW + ρ(W − W̄)) is a step of gradient descent", descends)},
    {"a pull beyond the centre",
     [](Layout& l) {
         elastic(l);
         l.optimizer.learningRate = 0.5;
         l.optimizer.elasticRho = 4;
     },
     "/optimizer/elastic_rho", "at most 2",
     contradiction("the distance W − W̄, of which a meeting leaves 1 − 2ηρ, does not grow: ηρ ≤ 1",
                   [](const Layout& l) {
                       double weight = 1, centre = 0;
                       for (int meeting = 0; meeting < 100; ++meeting) {
                           const double pull = l.optimizer.learningRate * l.optimizer.elasticRho * (weight - centre);
                           weight -= pull;
                           centre += pull;
                       }
                       return std::abs(weight - centre) <= 1 + 1e-9;
                   })},
    {"a distance that 16 bits do not express",
     [](Layout& l) {
         elastic(l);
         l.precision = {NumberFormat::Bf16, WeightStorage::Alone};
     },
     "/precision/weights", "master or fp32; or parallel.exchange allreduce or server",
     contradiction("a weight of 1 in bf16 changes where it is pulled by the share ηρ of a distance of 0.01",
                   [](const Layout& l) {
                       if (l.parallel.exchange != Exchange::Elastic) return true;
                       const double pull = l.optimizer.learningRate * l.optimizer.elasticRho * 0.01;
                       const double halfStep = l.precision.weights == WeightStorage::Alone ? 0x1p-8 : 0x1p-24;
                       return pull > halfStep;
                   })},
    {"a stage of a model that all workers share",
     [](Layout& l) {
         hogwild(l);
         l.parallel.pipeline = 2;
         onOneHost(l);
     },
     "/parallel/pipeline", "1; or parallel.exchange allreduce, server or easgd",
     notBuilt("ranks of one worker that read the same state of the shared weights")},
    {"a share of a model that all workers share",
     [](Layout& l) {
         hogwild(l);
         l.parallel.tensor = 2;
         onOneHost(l);
     },
     "/parallel/tensor", "1; or parallel.exchange allreduce, server or easgd",
     notBuilt("ranks of one worker that read the same state of the shared weights")},
    {"chunks of a model that all workers share",
     [](Layout& l) {
         hogwild(l);
         l.schedule.kind = "looped-bfs";
         l.schedule.chunks = 2;
     },
     "/schedule/chunks", "1, with the schedule 1f1b, gpipe or naive", withoutGain()},
    {"one memory of two hosts",
     [](Layout& l) {
         hogwild(l);
         l.cluster.hosts = {{"a", 2}, {"b", 2}};
     },
     "/cluster/hosts", "one host with 4 devices; or parallel.exchange async-server",
     absent("a memory that several hosts share (MPI_Win_allocate_shared)",
            [](const Layout& l) { return l.parallel.exchange != Exchange::Hogwild || l.cluster.hosts.size() == 1; })},
    {"one memory of several GPUs",
     [](Layout& l) {
         hogwild(l);
         l.cluster.device = DeviceKind::Cuda;
     },
     "/cluster/device", "cpu; or parallel.exchange async-server",
     absent("a memory that ranks with a GPU each write element by element (MPI_Win_allocate_shared)",
            [](const Layout& l) {
                return l.parallel.exchange != Exchange::Hogwild || l.cluster.device == DeviceKind::Cpu;
            })},
    {"one memory of 16 bits",
     [](Layout& l) {
         hogwild(l);
         l.precision.compute = NumberFormat::Bf16;
     },
     "/precision/compute", "fp32; or parallel.exchange async-server",
     notBuilt("copies in 16 bits of shared weights in fp32")},
    {"moments that workers share",
     [](Layout& l) {
         hogwild(l);
         l.optimizer.kind = OptimizerKind::AdamW;
     },
     "/optimizer/kind", "sgd, with momentum 0",
     wrong("Hogwild (1106.5730): an update is w − γg, element by element", descends)},
    {"a momentum that workers share",
     [](Layout& l) {
         hogwild(l);
         l.optimizer.momentum = 0.9;
     },
     "/optimizer/momentum", "0",
     wrong("Hogwild (1106.5730): an update is w − γg, element by element",
           [](const Layout& l) { return l.optimizer.momentum == 0; })},
    {"a decay of every element in every update",
     [](Layout& l) {
         hogwild(l);
         l.optimizer.weightDecay = 0.1;
     },
     "/optimizer/weight_decay", "0; or parallel.exchange async-server",
     wrong("Hogwild (1106.5730): a worker writes the elements alone whose gradient is not zero",
           [](const Layout& l) { return l.parallel.exchange != Exchange::Hogwild || l.optimizer.weightDecay == 0; })},
};

}  // namespace shardlab::test
