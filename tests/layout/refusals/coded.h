// SPDX-License-Identifier: Apache-2.0
// What is refused of gradients that replicas exchange in codes.
#pragma once

#include "tests/layout/refusals/premises.h"

namespace shardlab::test {

inline constexpr Refusal codedRefusals[]{
    {"codes for a server",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits8;
         l.parallel.exchange = Exchange::Server;
     },
     "/precision/exchange", "full; or parallel.exchange allreduce",
     notBuilt("codes of the gradients that go to a server, and of the weights that come back")},
    {"codes for nobody",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits1;
         l.parallel.data = 1;
         l.cluster.hosts[0].devices = 2;
     },
     "/precision/exchange", "full; or parallel.data of at least 2", withoutGain()},
    {"codes of weights that a tensor group has in common",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits4;
         l.parallel.tensor = 2;
         onOneHost(l);
     },
     "/precision/exchange", "full; or parallel.tensor 1",
     notBuilt("blocks of codes that end where a parameter does, so that all members of a tensor group round alike")},
    {"codes of whole layers",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits8;
         l.parallel.zero = 3;
         l.parallel.partition = PartitionKind::Layers;
     },
     "/precision/exchange", "full; or parallel.partition flat",
     notBuilt("codes of whole layers, which all replicas send to one owner")},
    {"codes round a ring",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits1;
         l.parallel.allReduce = AllReduceKind::Ring;
     },
     "/precision/exchange", "full; or parallel.all_reduce backend", notBuilt("codes made anew at every hop of a ring")},
    {"codes in another program's times",
     [](Layout& l) {
         l.precision.exchange = ExchangeFormat::Bits8;
         l.cluster.pace = PaceSpec{};
         l.cluster.pace->stack = "megatron-core";
         l.precision.compute = NumberFormat::Bf16;
     },
     "/precision/exchange", "full; or cluster.pace.stack shardlab",
     absent("times of gradients in codes in another program than Shardlab",
            [](const Layout& l) {
                return l.precision.exchange == ExchangeFormat::Full || l.cluster.pace->stack == "shardlab";
            })},
};

}  // namespace shardlab::test
