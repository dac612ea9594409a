// SPDX-License-Identifier: Apache-2.0
// As single_faults.h, of gradients in codes.
#pragma once

#include "tests/layout/single_fault.h"
#include "tests/support/wings.h"

#include <vector>

namespace shardlab::test {

inline const std::vector<SingleFault> codedFaults{
    {"codes for a server",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits8;
         l.parallel.exchange = Exchange::Server;
     },
     "/precision/exchange", "full; or parallel.exchange allreduce"},
    {"codes for nobody",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits1;
         l.parallel.data = 1;
         l.cluster.hosts[0].devices = 2;
     },
     "/precision/exchange", "full; or parallel.data of at least 2"},
    {"codes of weights that a tensor group has in common",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits4;
         l.parallel.tensor = 2;
         l.cluster.hosts[0].devices = 8;
     },
     "/precision/exchange", "full; or parallel.tensor 1"},
    {"more remainders than gradients",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits8;
         l.parallel.zero = 2;
     },
     "/precision/exchange", "full; or parallel.zero 0 or 1"},
    {"codes between copies",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits8;
         l.parallel.data = 4;
         l.parallel.zero = 1;
         l.parallel.shard = 2;
         l.cluster.hosts[0].devices = 8;
     },
     "/precision/exchange", "full; or parallel.shard 0"},
    {"codes round a ring",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits1;
         l.parallel.allReduce = AllReduceKind::Ring;
     },
     "/precision/exchange", "full; or parallel.all_reduce backend"},
    {"codes without a flush",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits1;
         l.schedule.kind = "pipedream";
         l.optimizer.clip = 0;
     },
     "/precision/exchange", "full; or a schedule with a flush, 1f1b"},
    {"codes without buckets",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits8;
         l.parallel.bucket = 0;
     },
     "/precision/exchange", "full; or parallel.bucket above 0"},
    {"codes in another program's times",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits8;
         l.cluster.pace = PaceSpec{};
         l.cluster.pace->stack = "megatron-core";
         l.precision.compute = NumberFormat::Bf16;
     },
     "/precision/exchange", "full; or cluster.pace.stack shardlab"},
};

}  // namespace shardlab::test
