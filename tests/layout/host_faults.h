// SPDX-License-Identifier: Apache-2.0
// As single_faults.h, of what lies on a device's host.
#pragma once

#include "tests/layout/single_fault.h"
#include "tests/support/wings.h"

#include <vector>

namespace shardlab::test {

inline const std::vector<SingleFault> hostFaults{
    {"rows and columns on the host",
     [](Layout& l) {
         l.memory.offload = OffloadKind::Optimizer;
         l.optimizer.kind = OptimizerKind::Sm3;
     },
     "/memory/offload", "with precision.weights master; or optimizer.kind adamw, adamw-8bit or sgd"},
    {"several versions of weights and an optimizer on the host",
     [](Layout& l) {
         l.memory.offload = OffloadKind::Optimizer;
         l.schedule.kind = "pipedream";
         l.optimizer.clip = 0;
     },
     "/memory/offload", "a schedule with a flush, 1f1b"},
    {"a server whose optimizer is on the host",
     [](Layout& l) {
         l.memory.offload = OffloadKind::Optimizer;
         l.parallel.exchange = Exchange::Server;
     },
     "/memory/offload", "parallel.exchange allreduce"},
    {"parameters on the host without the ZeRO that gathers them",
     [](Layout& l) {
         l.memory.offload = OffloadKind::Parameters;
         l.parallel.zero = 2;
     },
     "/memory/offload", "none or optimizer; or parallel.zero 3"},
    {"parameters on the host in whole layers",
     [](Layout& l) {
         l.memory.offload = OffloadKind::Parameters;
         l.parallel.zero = 3;
         l.parallel.partition = PartitionKind::Layers;
     },
     "/memory/offload", "parallel.partition flat"},
    {"more than half of the memory kept free", [](Layout& l) { l.memory.reserve = 0.6; }, "/memory/reserve",
     "0 to 0.5"},
    {"activations on the host and no flush",
     [](Layout& l) {
         l.memory.swap = SwapKind::Activations;
         l.schedule.kind = "pipedream";
         l.optimizer.clip = 0;
     },
     "/memory/swap", "a schedule with a flush, 1f1b"},
    {"activations on the host and a server without a clock",
     [](Layout& l) {
         l.memory.swap = SwapKind::Activations;
         l.parallel.exchange = Exchange::AsyncServer;
         l.parallel.data = 4;
         l.parallel.pipeline = 1;
         l.batch.global = 12;
     },
     "/memory/swap", "parallel.exchange allreduce"},
};

}  // namespace shardlab::test
