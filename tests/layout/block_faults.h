// SPDX-License-Identifier: Apache-2.0
// As single_faults.h, of what concerns the parts of a transformer's blocks.
#pragma once

#include "tests/layout/single_fault.h"
#include "tests/support/wings.h"

#include <vector>

namespace shardlab::test {

/// Heads of the default layout's 32 columns, 8 more of which are turned.
inline BlockSpec& latent(Layout& l) {
    l.model.kind = ModelKind::Llama;
    l.model.block.kvRank = 16;
    l.model.block.ropeWidth = 8;
    return l.model.block;
}

inline const std::vector<SingleFault> blockFaults{
    {"heads made again where there are no latents", [](Layout& l) { l.memory.recompute = RecomputeKind::Latent; },
     "/memory/recompute", "model.kv_rank above 0"},
    {"heads of keys that divide no heads",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.block.kvHeads = 3;
     },
     "/model/kv_heads", "1, 2 or 4; or 0 for as many as heads"},
    {"more heads of keys than heads",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.block.kvHeads = 8;
     },
     "/model/kv_heads", "1, 2 or 4; or 0 for as many as heads"},
    {"heads whose numbers are no pairs",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.hidden = 12;
     },
     "/model/heads", "1, 2, 3 or 6"},
    {"a head of one number",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.heads = 128;
     },
     "/model/heads", "64"},
    {"heads of keys that no tensor group can share",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.block.kvHeads = 1;
         l.parallel.tensor = 2;
         l.cluster.hosts[0].devices = 8;
     },
     "/parallel/tensor", "at most 1"},
    {"heads of keys that a larger tensor group cannot share",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.heads = 8;
         l.model.block.kvHeads = 2;
         l.parallel.tensor = 4;
         l.cluster.hosts[0].devices = 16;
     },
     "/parallel/tensor", "at most 2"},
    {"a rotary base below one",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.block.rotary.base = 0.5;
     },
     "/model/rope_base", "1 to 1000000000000"},
    {"a head that cannot be turned in pairs",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.block.headWidth = 7;
     },
     "/model/head_width", "an even number; or 0 for hidden ÷ heads"},
    {"a head too wide for CUDA",
     [](Layout& l) {
         l.model.block.headWidth = 320;
         l.cluster.device = DeviceKind::Cuda;
     },
     "/model/head_width", "at most 256"},
    {"an epsilon that hides the norm", [](Layout& l) { l.model.block.normEpsilon = 1; }, "/model/norm_epsilon",
     "1e-12 to 0.1"},
    {"pairs that are slowed down and are not",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.block.rotary.scaling = RotaryScaling::Llama3;
         l.model.block.rotary.low = 5;
     },
     "/model/rope_high", "more than 5; or a smaller model.rope_low"},
    {"pairs that yarn cannot tell apart",
     [](Layout& l) {
         l.model.block.positions = PositionKind::Rotary;
         l.model.block.rotary.scaling = RotaryScaling::Yarn;
         l.model.block.rotary.base = 1;
     },
     "/model/rope_base", "more than 1; or model.rope_scaling none"},
    {"turned columns of a latent attention that are no pairs", [](Layout& l) { latent(l).ropeWidth = 5; },
     "/model/rope_width", "an even number"},
    {"no turned columns in a latent attention", [](Layout& l) { latent(l).ropeWidth = 0; }, "/model/rope_width",
     "2 to 65536"},
    {"values wider than the queries of a latent attention", [](Layout& l) { latent(l).valueWidth = 41; },
     "/model/value_width", "at most 40; or 0 for as many as model.head_width"},
    {"norms of queries and keys in a latent attention", [](Layout& l) { latent(l).queryKeyNorms = true; },
     "/model/qk_norm", "false; or a model.kv_rank of 0"},
    {"sinks in a latent attention", [](Layout& l) { latent(l).sinks = true; }, "/model/sinks",
     "false; or a model.kv_rank of 0"},
    {"a cap below none", [](Layout& l) { l.model.block.attentionCap = -1; }, "/model/attention_cap", "0 to 1000000"},
    {"a cap that no score outgrows", [](Layout& l) { l.model.block.attentionCap = 1e-9; }, "/model/attention_cap",
     "0.01 to 1000000; or 0 for no cap"},
    {"a cap that no logit outgrows", [](Layout& l) { l.model.block.logitCap = 0.001; }, "/model/logit_cap",
     "0.01 to 1000000; or 0 for no cap"},
    {"more tokens predicted ahead than a sample has",
     [](Layout& l) {
         l.model.sequence = 4;
         l.model.predictedTokens = 4;
     },
     "/model/predicted_tokens", "0 to 3"},
    {"tokens predicted ahead where nothing is flushed",
     [](Layout& l) {
         l.model.predictedTokens = 1;
         l.schedule.kind = "pipedream";
         l.optimizer.clip = 0;
     },
     "/model/predicted_tokens", "0; or a schedule with a flush, 1f1b"},
    {"a weight of predictions below none", [](Layout& l) { l.model.predictionWeight = -1; },
     "/model/predicted_tokens_weight", "0 to 1000"},
    {"weights of a model whose positions are learned",
     [](Layout& l) {
         l.model.block.positions = PositionKind::Alibi;
         l.model.weights = "somewhere";
     },
     "/model/weights", "no weights; or the defaults of the fields that choose parts of blocks"},
    {"a rank below none", [](Layout& l) { latent(l).queryRank = -1; }, "/model/q_rank", "0 to 65536"},
    {"heads of a latent attention that no tensor group can share",
     [](Layout& l) {
         latent(l);
         l.parallel.tensor = 8;
         l.cluster.hosts[0].devices = 32;
     },
     "/parallel/tensor", "at most 4"},
    {"a latent attention too wide for CUDA",
     [](Layout& l) {
         latent(l).headWidth = 250;
         l.cluster.device = DeviceKind::Cuda;
     },
     "/model/head_width", "at most 256 with model.rope_width"},
    {"weights that no latent attention with biases elsewhere has",
     [](Layout& l) {
         latent(l);
         l.model.block.biases = BiasKind::All;
         l.model.weights = "somewhere";
     },
     "/model/weights", "no weights; or the defaults of the fields that choose parts of blocks"},
    {"weights of other blocks",
     [](Layout& l) {
         l.model.block.activation = ActivationKind::SquaredRelu;
         l.model.weights = "somewhere";
     },
     "/model/weights", "no weights; or the defaults of the fields that choose parts of blocks"},
};

}  // namespace shardlab::test
