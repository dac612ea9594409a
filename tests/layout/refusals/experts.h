// SPDX-License-Identifier: Apache-2.0
// What is refused of a model's experts and of how tokens find them.
#pragma once

#include "tests/layout/refusals/premises.h"

#include <cmath>

namespace shardlab::test {

/// An expert model of the default layout's size, with that gate.
inline MoeSpec& gated(Layout& l, GateMethod gate, ModelKind kind = ModelKind::GptMoe) {
    l.model.kind = kind;
    l.model.experts.gate = gate;
    return l.model.experts;
}
inline bool someBlockHasExperts(const Layout& l) {
    const MoeSpec& experts = l.model.experts;
    const int every = experts.every > 0 ? experts.every : l.model.kind == ModelKind::GptMoe ? 2 : 1;
    for (int block = 1; block <= l.model.layers; ++block)
        if (block > experts.denseLayers && block % every == 0) return true;
    return l.model.kind == ModelKind::Gpt || l.model.kind == ModelKind::Llama;
}
/// So many different experts as the gate asks for can be found where it looks for them.
inline bool findsExperts(const Layout& l) {
    const MoeSpec& experts = l.model.experts;
    switch (experts.gate) {
    case GateMethod::Hierarchical: return experts.topK <= experts.count / experts.groups;
    case GateMethod::SigmoidInGroups: return experts.topK <= experts.count / experts.groups * experts.topGroups;
    default: return experts.topK <= experts.count;
    }
}
inline bool groupsAlike(const Layout& l) {
    const MoeSpec& experts = l.model.experts;
    return experts.count % experts.groups == 0 && experts.count / experts.groups >= 2;
}

inline constexpr Refusal expertRefusals[]{
    {"experts in no layer",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.layers = 1;
         l.parallel.pipeline = 1;
         l.parallel.data = 4;
     },
     "/model/layers", "2 layers or more; or model.experts_every 1; or a model without experts",
     contradiction("some block is a multiple of experts_every", someBlockHasExperts)},
    {"experts in none of the blocks", [](Layout& l) { gated(l, GateMethod::Switch, ModelKind::LlamaMoe).every = 5; },
     "/model/experts_every", "5 layers or more; or model.experts_every 1 to 4; or a model without experts",
     contradiction("some block is a multiple of experts_every", someBlockHasExperts)},
    {"dense blocks up to the highest with experts",
     [](Layout& l) {
         gated(l, GateMethod::Switch, ModelKind::LlamaMoe).every = 3;
         l.model.experts.denseLayers = 3;
     },
     "/model/dense_layers", "0 to 2; or a model without experts",
     contradiction("some block above dense_layers is a multiple of experts_every", someBlockHasExperts)},
    {"a dense block alone",
     [](Layout& l) {
         gated(l, GateMethod::Switch, ModelKind::LlamaMoe).denseLayers = 1;
         l.model.layers = 1;
         l.parallel.pipeline = 1;
         l.parallel.data = 4;
     },
     "/model/dense_layers", "0; or a model without experts",
     contradiction("some block above dense_layers is a multiple of experts_every", someBlockHasExperts)},
    {"more experts of a token than there are",
     [](Layout& l) {
         gated(l, GateMethod::NoisyTopK).count = 4;
         l.model.experts.topK = 5;
     },
     "/model/top_k", "2 to 4", contradiction("top_k ≤ experts", findsExperts)},
    {"more experts of a group than it has",
     [](Layout& l) {
         gated(l, GateMethod::Hierarchical).count = 12;
         l.model.experts.topK = 4;
     },
     "/model/top_k", "2 to 3; or fewer model.expert_groups",
     contradiction("top_k ≤ experts ÷ expert_groups", findsExperts)},
    {"more experts of a token than its groups have",
     [](Layout& l) { gated(l, GateMethod::SigmoidInGroups, ModelKind::LlamaMoe).topK = 5; }, "/model/top_k",
     "2 to 4; or more model.top_groups", contradiction("top_k ≤ experts ÷ expert_groups × top_groups", findsExperts)},
    {"groups that do not divide the experts",
     [](Layout& l) {
         gated(l, GateMethod::Hierarchical).count = 12;
         l.model.experts.groups = 5;
     },
     "/model/expert_groups", "2, 3, 4 or 6", contradiction("experts ÷ expert_groups is whole", groupsAlike)},
    {"groups that do not divide the experts, with sigmoids",
     [](Layout& l) {
         gated(l, GateMethod::SigmoidInGroups, ModelKind::LlamaMoe).count = 12;
         l.model.experts.groups = 5;
     },
     "/model/expert_groups", "2, 3, 4 or 6", contradiction("experts ÷ expert_groups is whole", groupsAlike)},
    {"a prime number of experts in groups",
     [](Layout& l) {
         gated(l, GateMethod::Hierarchical).count = 7;
         l.model.experts.groups = 2;
     },
     "/model/expert_groups", "a model.experts that has divisors",
     contradiction("experts ÷ expert_groups is whole", groupsAlike)},
    {"groups of one expert", [](Layout& l) { gated(l, GateMethod::Hierarchical).groups = 8; }, "/model/expert_groups",
     "2 or 4",
     contradiction("the two best experts of each group, which are what a gate goes by, are two", groupsAlike)},
    {"more groups of a token than there are",
     [](Layout& l) {
         gated(l, GateMethod::Hierarchical).groups = 2;
         l.model.experts.topGroups = 3;
     },
     "/model/top_groups", "2",
     contradiction("top_groups ≤ expert_groups",
                   [](const Layout& l) { return l.model.experts.topGroups <= l.model.experts.groups; })},
    {"more experts of a token than there are, with a cap",
     [](Layout& l) {
         gated(l, GateMethod::CappedExpertChoice).count = 4;
         l.model.experts.tokenExperts = 5;
     },
     "/model/token_experts", "2 to 4",
     contradiction("token_experts ≤ experts",
                   [](const Layout& l) { return l.model.experts.tokenExperts <= l.model.experts.count; })},
    {"more places than tokens may take", [](Layout& l) { gated(l, GateMethod::CappedExpertChoice).capacity = 2.5; },
     "/model/token_experts", "3 to 8; or a smaller model.capacity",
     contradiction("experts × ⌈capacity × sequence ÷ experts⌉ ≤ sequence × token_experts",
                   [](const Layout& l) {
                       const MoeSpec& experts = l.model.experts;
                       return experts.count * std::ceil(experts.capacity * l.model.sequence / experts.count) <=
                              l.model.sequence * experts.tokenExperts;
                   })},
    {"places of all tokens", [](Layout& l) { gated(l, GateMethod::CappedExpertChoice).capacity = 8; },
     "/model/token_experts", "8; or a smaller model.capacity",
     contradiction("experts × ⌈capacity × sequence ÷ experts⌉ ≤ sequence × token_experts",
                   [](const Layout& l) {
                       const MoeSpec& experts = l.model.experts;
                       return experts.count * std::ceil(experts.capacity * l.model.sequence / experts.count) <=
                              l.model.sequence * experts.tokenExperts;
                   })},
    {"experts that choose without a limit",
     [](Layout& l) { gated(l, GateMethod::ExpertChoice, ModelKind::LlamaMoe).capacity = 0; }, "/model/capacity",
     "more than 0; or a gate with which every token chooses equally many experts",
     contradiction("an expert takes capacity × sequence ÷ experts tokens, which is more than none",
                   [](const Layout& l) {
                       return l.model.experts.gate != GateMethod::ExpertChoice || l.model.experts.capacity > 0;
                   })},
    {"choices that are drawn, without a limit", [](Layout& l) { gated(l, GateMethod::GShard).capacity = 0; },
     "/model/capacity", "more than 0; or a gate with which every token chooses equally many experts",
     wrong("GShard (2006.16668): experts have a capacity, and the second expert is for tokens that find a place in it",
           [](const Layout& l) { return l.model.experts.gate != GateMethod::GShard || l.model.experts.capacity > 0; })},
    {"more places of experts than are numbered",
     [](Layout& l) {
         gated(l, GateMethod::Switch).count = 1024;
         l.model.experts.capacity = 1024;
         l.batch = {65536, 32768};
     },
     "/model/capacity", "a smaller capacity or microbatch, or fewer experts",
     contradiction("experts × places of each × micro < 2^31",
                   [](const Layout& l) {
                       const double places =
                           std::ceil(l.model.experts.capacity * l.model.sequence / l.model.experts.count);
                       return l.model.experts.count * std::min<double>(places, l.model.sequence) * l.batch.micro <
                              2147483648.0;
                   })},
    {"a bias of the choice of workers without a common step",
     [](Layout& l) {
         gated(l, GateMethod::SigmoidTopK, ModelKind::LlamaMoe).biasRate = 0.001;
         l.parallel.exchange = Exchange::AsyncServer;
         l.parallel.data = 4;
         l.parallel.pipeline = 1;
         l.batch.global = 12;
     },
     "/model/bias_rate", "0; or parallel.exchange allreduce or server",
     wrong("the bias of DeepSeek-V3 (2412.19437): each step moves it by the load of the whole batch",
           [](const Layout& l) { return l.model.experts.biasRate == 0 || sharesWeights(l); })},
    {"a bias of the choice without a flush",
     [](Layout& l) {
         gated(l, GateMethod::SigmoidTopK, ModelKind::LlamaMoe).biasRate = 0.001;
         withoutFlush(l);
     },
     "/model/bias_rate", "0; or a schedule with a flush, 1f1b",
     notBuilt("a bias that belongs to a version of the weights and moves with each update")},
};

}  // namespace shardlab::test
