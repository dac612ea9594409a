// SPDX-License-Identifier: Apache-2.0
// As single_faults.h, of what concerns the parts of a transformer's blocks.
#pragma once

#include "tests/layout/single_fault.h"
#include "tests/support/wings.h"

#include <vector>

namespace shardlab::test {

inline const std::vector<SingleFault> blockFaults{
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
     "/parallel/tensor", "1"},
    {"heads of keys that a larger tensor group cannot share",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.heads = 8;
         l.model.block.kvHeads = 2;
         l.parallel.tensor = 4;
         l.cluster.hosts[0].devices = 16;
     },
     "/parallel/tensor", "1 or 2"},
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
    {"weights of other blocks",
     [](Layout& l) {
         l.model.block.activation = ActivationKind::SquaredRelu;
         l.model.weights = "somewhere";
     },
     "/model/weights", "no weights; or the defaults of the fields that choose parts of blocks"},
};

}  // namespace shardlab::test
