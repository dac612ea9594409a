// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"
#include "engine/layout/coded_exchange.h"
#include "engine/layout/stacks.h"

namespace shardlab::layout {

void checkCoded(const Layout& layout, std::vector<Fault>& faults) {
    if (!codesExchange(layout)) return;
    const ParallelSpec& p = layout.parallel;
    const auto refuse = [&](bool wrong, const Sentence& with, const Sentence& why, const Sentence& instead) {
        if (wrong)
            faults.push_back({"/precision/exchange", say("{} with {}", wordOf(layout.precision.exchange), with), why,
                              say("full; or {}", instead)});
    };
    refuse(p.exchange != Exchange::AllReduce, say("the exchange {}", wordOf(p.exchange)),
           say("codes are made for gradients that all replicas send to all"), say("parallel.exchange allreduce"));
    refuse(replicaCount(p) == 1, say("one replica"), say("there is no other replica to send gradients to"),
           say("parallel.data of at least 2"));
    refuse(p.tensor > 1, say("a tensor group of {} ranks", p.tensor),
           say("its members hold some weights in common, and would round them in blocks with different neighbours"),
           say("parallel.tensor 1"));
    refuse(p.zero == 3 && p.partition == PartitionKind::Layers, say("whole layers"),
           say("each replica sends its codes in equal parts, of which every other one owns one"),
           say("parallel.partition flat"));
    refuse(p.allReduce == AllReduceKind::Ring, say("a ring"),
           say("each of its hops adds up, and codes would have to be made anew in each"),
           say("parallel.all_reduce backend"));
    refuse(modelledStack(layout) != nullptr, say("a modelled software stack"),
           say("what is known of its times is about gradients in full"), say("cluster.pace.stack shardlab"));
}

}  // namespace shardlab::layout
