// SPDX-License-Identifier: Apache-2.0
// What is refused of experts that are spread over ranks.
#pragma once

#include "tests/layout/refusals/experts.h"

namespace shardlab::test {

inline bool hasSomeExperts(const Layout& l) {
    return l.model.kind == ModelKind::GptMoe || l.model.kind == ModelKind::LlamaMoe;
}
/// Parts of a tensor group that hold different experts, where its degrees divide.
inline int parts(const Layout& l) {
    const ParallelSpec& p = l.parallel;
    return p.expertTensor == 0 ? 1 : p.tensor / p.expertTensor;
}
inline bool groupsHoldAllExperts(const Layout& l) {
    const ParallelSpec& p = l.parallel;
    return p.expert % parts(l) == 0 && p.data * p.context % (p.expert / parts(l)) == 0 &&
           l.model.experts.count % p.expert == 0;
}

inline constexpr Refusal spreadExpertRefusals[]{
    {"experts over ranks of a llama",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.parallel.expert = 2;
     },
     "/parallel/expert", "1; or model.kind gpt-moe or llama-moe", pointless()},
    {"no experts to spread", [](Layout& l) { l.parallel.expert = 2; }, "/parallel/expert",
     "1; or model.kind gpt-moe or llama-moe", pointless()},
    {"more expert ranks than data ranks",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.expert = 4;
     },
     "/parallel/expert", "1 or 2; or a parallel.data that is a multiple of 4",
     contradiction("data × context ÷ expert and experts ÷ expert are whole", groupsHoldAllExperts)},
    {"experts over several ranks of one replica",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.expert = 2;
         l.parallel.data = 1;
         l.cluster.hosts[0].devices = 2;
     },
     "/parallel/expert", "1; or a parallel.data that is a multiple of 2",
     contradiction("data × context ÷ expert and experts ÷ expert are whole", groupsHoldAllExperts)},
    {"experts over more ranks than data and context groups have",
     [](Layout& l) {
         gated(l, GateMethod::TopKSoftmax, ModelKind::LlamaMoe).capacity = 0;
         l.parallel.context = 2;
         l.parallel.expert = 8;
         onOneHost(l);
     },
     "/parallel/expert", "1, 2 or 4; or a parallel.data that is a multiple of 4",
     contradiction("data × context ÷ expert and experts ÷ expert are whole", groupsHoldAllExperts)},
    {"experts that do not divide",
     [](Layout& l) {
         gated(l, GateMethod::Switch).count = 7;
         l.parallel.expert = 2;
     },
     "/parallel/expert", "1",
     contradiction("data × context ÷ expert and experts ÷ expert are whole", groupsHoldAllExperts)},
    {"experts that no parts of a tensor group divide",
     [](Layout& l) {
         gated(l, GateMethod::Switch).count = 7;
         l.parallel.tensor = 2;
         l.parallel.expertTensor = 1;
         l.parallel.expert = 2;
         onOneHost(l);
     },
     "/parallel/expert", "a model.experts that is a multiple of 2",
     contradiction("data × context ÷ expert and experts ÷ expert are whole", groupsHoldAllExperts)},
    {"a tensor degree of no experts", [](Layout& l) { l.parallel.expertTensor = 1; }, "/parallel/expert_tensor",
     "0; or model.kind gpt-moe or llama-moe", pointless()},
    {"a larger tensor degree of no experts",
     [](Layout& l) {
         l.parallel.tensor = 2;
         l.parallel.expertTensor = 2;
         onOneHost(l);
     },
     "/parallel/expert_tensor", "0; or model.kind gpt-moe or llama-moe", pointless()},
    {"experts cut over a part of nothing",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.tensor = 2;
         l.parallel.expertTensor = 3;
         onOneHost(l);
     },
     "/parallel/expert_tensor", "2; or 0, as all else",
     contradiction("tensor ÷ expert_tensor is whole",
                   [](const Layout& l) {
                       return l.parallel.expertTensor == 0 || l.parallel.tensor % l.parallel.expertTensor == 0;
                   })},
    {"experts on one rank in several parts of a tensor group",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.tensor = 2;
         l.parallel.expertTensor = 1;
         onOneHost(l);
     },
     "/parallel/expert_tensor", "0, as all else; or a parallel.expert that is a multiple of 2",
     contradiction("expert ÷ (tensor ÷ expert_tensor) is whole",
                   [](const Layout& l) { return l.parallel.expert % parts(l) == 0; })},
    {"experts over fewer ranks than parts of a tensor group",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.tensor = 4;
         l.parallel.expertTensor = 1;
         l.parallel.expert = 2;
         onOneHost(l);
     },
     "/parallel/expert_tensor", "0, as all else; or a parallel.expert that is a multiple of 4",
     contradiction("expert ÷ (tensor ÷ expert_tensor) is whole",
                   [](const Layout& l) { return l.parallel.expert % parts(l) == 0; })},
    {"experts over more parts than there are",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.tensor = 2;
         l.parallel.expertTensor = 1;
         l.parallel.expert = 8;
         onOneHost(l);
     },
     "/parallel/expert", "4 or 2; or a parallel.data that is a multiple of 4",
     contradiction("data × context ÷ expert and experts ÷ expert are whole", groupsHoldAllExperts)},
    {"rows and columns in a part of a tensor group",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.tensor = 4;
         l.parallel.expertTensor = 2;
         l.parallel.expert = 2;
         l.optimizer.kind = OptimizerKind::Adafactor;
         onOneHost(l);
     },
     "/parallel/expert_tensor", "4; or an optimizer that keeps moments of each weight",
     notBuilt("sums of rows and columns over the part of a tensor group that cuts an expert")},
    {"whole layers to replicas that hold different experts",
     [](Layout& l) {
         l.model.kind = ModelKind::LlamaMoe;
         l.parallel.expert = 2;
         l.parallel.zero = 3;
         l.parallel.partition = PartitionKind::Layers;
     },
     "/parallel/partition", "flat; or parallel.expert 1",
     notBuilt("an owner of each layer's experts among the ranks that hold them")},
    {"a server for experts that are spread",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.expert = 2;
         l.parallel.exchange = Exchange::Server;
     },
     "/parallel/exchange", "allreduce; or parallel.expert 1",
     notBuilt("a server for each group of ranks that hold the same experts")},
};

}  // namespace shardlab::test
