// SPDX-License-Identifier: Apache-2.0
// As single_faults.h, of what concerns experts.
#pragma once

#include "tests/layout/single_fault.h"
#include "tests/support/wings.h"

#include <cmath>
#include <vector>

namespace shardlab::test {

inline const std::vector<SingleFault> expertFaults{
    {"experts over ranks of a llama",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.parallel.expert = 2;
     },
     "/parallel/expert", "1; or model.kind gpt-moe or llama-moe"},
    {"experts in no layer",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.layers = 1;
         l.parallel.pipeline = 1;
         l.parallel.data = 4;
     },
     "/model/layers", "2 layers or more; or model.experts_every 1; or a model without experts"},
    {"more experts of a token than there are",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.gate = GateMethod::NoisyTopK;
         l.model.experts.count = 4;
         l.model.experts.topK = 5;
     },
     "/model/top_k", "2 to 4"},
    {"groups that do not divide the experts",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.gate = GateMethod::Hierarchical;
         l.model.experts.count = 12;
         l.model.experts.groups = 5;
     },
     "/model/expert_groups", "2, 3, 4 or 6"},
    {"a prime number of experts in groups",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.gate = GateMethod::Hierarchical;
         l.model.experts.count = 7;
         l.model.experts.groups = 2;
     },
     "/model/expert_groups", "a model.experts that has divisors"},
    {"groups of one expert",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.gate = GateMethod::Hierarchical;
         l.model.experts.count = 8;
         l.model.experts.groups = 8;
     },
     "/model/expert_groups", "2 or 4"},
    {"more groups of a token than there are",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.gate = GateMethod::Hierarchical;
         l.model.experts.count = 8;
         l.model.experts.groups = 2;
         l.model.experts.topGroups = 3;
     },
     "/model/top_groups", "2"},
    {"more experts of a group than it has",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.gate = GateMethod::Hierarchical;
         l.model.experts.count = 12;
         l.model.experts.topK = 4;
     },
     "/model/top_k", "2 to 3"},
    {"more experts of a token than there are, with a cap",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.gate = GateMethod::CappedExpertChoice;
         l.model.experts.count = 4;
         l.model.experts.tokenExperts = 5;
     },
     "/model/token_experts", "1 to 4"},
    {"more places than tokens may take",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.gate = GateMethod::CappedExpertChoice;
         l.model.experts.capacity = 2.5;
     },
     "/model/token_experts", "3 or more; or a smaller model.capacity"},
    {"no expert of a token", [](Layout& l) { l.model.experts.tokenExperts = 0; }, "/model/token_experts", "1 to 1024"},
    {"too little entropy", [](Layout& l) { l.model.experts.entropy = 0.01; }, "/model/entropy", "0.1 to 100"},
    {"one group", [](Layout& l) { l.model.experts.groups = 1; }, "/model/expert_groups", "2 to 512"},
    {"groups of one", [](Layout& l) { l.model.experts.topGroups = 1; }, "/model/top_groups", "2 to 16"},
    {"one expert", [](Layout& l) { l.model.experts.count = 1; }, "/model/experts", "2 to 1024"},
    {"a gate of one", [](Layout& l) { l.model.experts.topK = 1; }, "/model/top_k", "2 to 64"},
    {"fewer places than none", [](Layout& l) { l.model.experts.capacity = -0.1; }, "/model/capacity", "0 to 1024"},
    {"a capacity that is no number",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.capacity = std::nan("");
     },
     "/model/capacity", "0 to 1024"},
    {"experts in none of the blocks",
     [](Layout& l) {
         l.model.kind = ModelKind::LlamaMoe;
         l.model.experts.every = 5;
     },
     "/model/experts_every", "5 layers or more; or model.experts_every 1 to 4; or a model without experts"},
    {"dense blocks up to the highest with experts",
     [](Layout& l) {
         l.model.kind = ModelKind::LlamaMoe;
         l.model.experts.every = 3;
         l.model.experts.denseLayers = 3;
     },
     "/model/dense_layers", "0 to 2; or a model without experts"},
    {"a dense block alone",
     [](Layout& l) {
         l.model.kind = ModelKind::LlamaMoe;
         l.model.layers = 1;
         l.model.experts.denseLayers = 1;
         l.parallel.pipeline = 1;
         l.parallel.data = 4;
     },
     "/model/dense_layers", "0; or a model without experts"},
    {"experts that choose without a limit",
     [](Layout& l) {
         l.model.kind = ModelKind::LlamaMoe;
         l.model.experts.gate = GateMethod::ExpertChoice;
         l.model.experts.capacity = 0;
     },
     "/model/capacity", "more than 0; or a gate with which every token chooses equally many experts"},
    {"choices that are drawn, without a limit",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.gate = GateMethod::GShard;
         l.model.experts.capacity = 0;
     },
     "/model/capacity", "more than 0; or a gate with which every token chooses equally many experts"},
    {"dropout within experts without a limit",
     [](Layout& l) {
         l.model.kind = ModelKind::LlamaMoe;
         l.model.experts.capacity = 0;
         l.model.experts.dropout = 0.1;
     },
     "/model/expert_dropout", "0; or a model.capacity above 0"},
    {"more experts of a token than its groups have",
     [](Layout& l) {
         l.model.kind = ModelKind::LlamaMoe;
         l.model.experts.gate = GateMethod::SigmoidInGroups;
         l.model.experts.topK = 5;
     },
     "/model/top_k", "2 to 4; or more model.top_groups"},
    {"groups that do not divide the experts, with sigmoids",
     [](Layout& l) {
         l.model.kind = ModelKind::LlamaMoe;
         l.model.experts.gate = GateMethod::SigmoidInGroups;
         l.model.experts.count = 12;
         l.model.experts.groups = 5;
     },
     "/model/expert_groups", "2, 3, 4 or 6"},
    {"experts before every block", [](Layout& l) { l.model.experts.every = -1; }, "/model/experts_every", "0 to 10000"},
    {"fewer dense blocks than none", [](Layout& l) { l.model.experts.denseLayers = -1; }, "/model/dense_layers",
     "0 to 10000"},
    {"an expert narrower than nothing", [](Layout& l) { l.model.experts.width = -1; }, "/model/expert_width",
     "0 to 262144"},
    {"fewer shared experts than none", [](Layout& l) { l.model.experts.shared = -1; }, "/model/shared_experts",
     "0 to 64"},
    {"weights of nothing", [](Layout& l) { l.model.experts.scale = 0; }, "/model/route_scale", "0.001 to 1000"},
    {"no experts to spread", [](Layout& l) { l.parallel.expert = 2; }, "/parallel/expert",
     "1; or model.kind gpt-moe or llama-moe"},
    {"more expert ranks than data ranks",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.expert = 4;
     },
     "/parallel/expert", "1 or 2; or a parallel.data that is a multiple of 4"},
    {"a tensor degree of no experts", [](Layout& l) { l.parallel.expertTensor = 1; }, "/parallel/expert_tensor",
     "0; or model.kind gpt-moe or llama-moe"},
    {"experts cut over a part of nothing",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.tensor = 2;
         l.parallel.expertTensor = 3;
         l.cluster.hosts[0].devices = 8;
     },
     "/parallel/expert_tensor", "1 or 2; or 0, as all else"},
    {"experts over fewer ranks than parts of a tensor group",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.tensor = 2;
         l.parallel.expertTensor = 1;
         l.cluster.hosts[0].devices = 8;
     },
     "/parallel/expert_tensor", "0, as all else; or a parallel.expert that is a multiple of 2"},
    {"experts over more parts than there are",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.tensor = 2;
         l.parallel.expertTensor = 1;
         l.parallel.expert = 8;
         l.cluster.hosts[0].devices = 8;
     },
     "/parallel/expert", "4 or 2; or a parallel.data that is a multiple of 4"},
    {"parts of rows and columns that a part of a tensor group has",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.tensor = 4;
         l.parallel.expertTensor = 2;
         l.parallel.expert = 2;
         l.optimizer.kind = OptimizerKind::Adafactor;
         l.cluster.hosts[0].devices = 16;
     },
     "/parallel/expert_tensor", "1; or 4; or an optimizer that keeps moments of each weight"},
    {"experts that do not divide",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.count = 7;
         l.parallel.expert = 2;
     },
     "/parallel/expert", "1"},
    {"whole layers to replicas that hold different experts",
     [](Layout& l) {
         l.model.kind = ModelKind::LlamaMoe;
         l.parallel.expert = 2;
         l.parallel.zero = 3;
         l.parallel.partition = PartitionKind::Layers;
     },
     "/parallel/partition", "flat; or parallel.expert 1"},
    {"copies of which none holds all experts",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.count = 4;
         l.parallel.data = 4;
         l.parallel.pipeline = 1;
         l.parallel.expert = 4;
         l.parallel.zero = 1;
         l.parallel.shard = 2;
     },
     "/parallel/shard", "4; or 0"},
    {"a server for experts that are spread",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.expert = 2;
         l.parallel.exchange = Exchange::Server;
     },
     "/parallel/exchange", "allreduce; or parallel.expert 1"},
    {"an asynchronous schedule for experts that are spread",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.parallel.expert = 2;
         l.schedule.kind = "pipedream";
         l.optimizer.clip = 0;
     },
     "/parallel/expert", "1; or a schedule with a flush, 1f1b"},
    {"experts that a tensor group cannot divide",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.width = 1;
         l.parallel.tensor = 2;
         l.cluster.hosts[0].devices = 8;
     },
     "/parallel/tensor", "at most 1"},
};

}  // namespace shardlab::test
