// SPDX-License-Identifier: Apache-2.0
// What refusals call legal in words of their own, and what each comes to.
#pragma once

#include "tests/layout/refusals/premises.h"

#include <QString>

#include <map>
#include <string>
#include <vector>

namespace shardlab::test {

/// 1F1B of two ranks and four microbatches.
inline const std::vector<std::string> legalOrder{"0F0,0F1,0B0,0F2,0B1,0F3,0B2,0B3", "1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3"};

inline const std::map<QString, Change>& legalPhrases() {
    static const std::map<QString, Change> phrases{
        {"a schedule with a flush, 1f1b", [](Layout& l) { l.schedule.kind = "1f1b"; }},
        {"the schedule custom, which does what is listed", [](Layout& l) { l.schedule.kind = "custom"; }},
        {"the schedule constant", [](Layout& l) { l.optimizer.schedule = RateSchedule::Constant; }},
        {"the schedule 1f1b, gpipe or naive", [](Layout& l) { l.schedule.kind = "1f1b"; }},
        {"a kind of schedule that makes its own order", [](Layout& l) { l.schedule.kind = "1f1b"; }},
        {"a line for each pipeline rank, \"0F0,0F1,0B0,0B1\"", [](Layout& l) { l.schedule.actions = legalOrder; }},
        {"no actions", [](Layout& l) { l.schedule.actions.clear(); }},

        {"Stage, kind and microbatch", [](Layout& l) { l.schedule.actions = legalOrder; }},
        {"a version follows as @v1", [](Layout& l) { l.schedule.actions = legalOrder; }},
        {"2 lines", [](Layout& l) { l.schedule.actions = legalOrder; }},
        {"1F0 first", [](Layout& l) { l.schedule.actions = legalOrder; }},
        {"kill, hang or slow", [](Layout& l) { l.run.faults = {"kill 1 after 2"}; }},

        {"no weights", [](Layout& l) { l.model.weights.clear(); }},
        {"the defaults of the fields that choose parts of blocks", [](Layout& l) { l.model.block = {}; }},
        {"experts and blocks as one of these has them",
         [](Layout& l) {
             l.model.experts.gate = GateMethod::TopKSoftmax;
             l.model.experts.capacity = 0;
         }},
        {"a model without experts", [](Layout& l) { l.model.kind = ModelKind::Gpt; }},
        {"a model with attention", [](Layout& l) { l.model.kind = ModelKind::Gpt; }},
        {"a gate with which every token chooses equally many experts",
         [](Layout& l) { l.model.experts.gate = GateMethod::Switch; }},
        {"a gate with which tokens choose", [](Layout& l) { l.model.experts.gate = GateMethod::Switch; }},
        {"a model.experts that has divisors", [](Layout& l) { l.model.experts.count = 8; }},
        {"fewer model.expert_groups", [](Layout& l) { l.model.experts.groups = 2; }},
        {"more model.top_groups", [](Layout& l) { l.model.experts.topGroups = l.model.experts.groups; }},
        {"a smaller model.capacity", [](Layout& l) { l.model.experts.capacity = 1; }},
        {"a smaller capacity or microbatch", [](Layout& l) { l.model.experts.capacity = 1; }},
        {"fewer experts", [](Layout& l) { l.model.experts.count = 8; }},
        {"2 layers or more", [](Layout& l) { l.model.layers = 2; }},
        {"5 layers or more", [](Layout& l) { l.model.layers = 5; }},
        {"fewer model.layers", [](Layout& l) { l.model.layers = 1; }},
        {"a longer model.sequence", [](Layout& l) { l.model.sequence = 128; }},
        {"a smaller model.rope_low", [](Layout& l) { l.model.block.rotary.low = 1; }},
        {"an even model.hidden", [](Layout& l) { l.model.hidden *= 2; }},
        {"at most 256 with model.rope_width",
         [](Layout& l) { l.model.block.headWidth = 256 - l.model.block.ropeWidth; }},
        {"smaller layers, hidden, sequence, vocabulary or batch", [](Layout& l) { l.model.sequence = 128; }},
        {"4 numbers",
         [](Layout& l) {
             l.model.feedForward = {64, 64, 64, 64};
         }},
        {"one number for all", [](Layout& l) { l.model.feedForward = {64}; }},
        {"2 numbers",
         [](Layout& l) {
             l.schedule.stages = {0, 1};
         }},
        {"a sum of 1",
         [](Layout& l) {
             l.schedule.stages = {1, 0};
         }},

        {"the path of a UTF-8 file", [](Layout& l) { l.data.path = "corpus.txt"; }},
        {"the path of a file with a JSON object a line", [](Layout& l) { l.data.path = "texts.jsonl"; }},
        {"a .bin file", [](Layout& l) { l.data.path = "tokens.bin"; }},
        {"a folder of them", [](Layout& l) { l.data.path = "tokens"; }},
        {"\"text\", say", [](Layout& l) { l.data.textField = "text"; }},
        {"the folder they lie in", [](Layout& l) { l.data.tokenizerPath = "tokenizer"; }},

        {"at least one, {\"name\": \"localhost\", \"devices\": 4}",
         [](Layout& l) {
             l.cluster.hosts = {{"localhost", 4}};
         }},
        {"letters, digits, dots and hyphens, beginning with a letter or digit",
         [](Layout& l) { l.cluster.hosts[0].name = "node-1.example"; }},
        {"each host once, with the sum of its devices",
         [](Layout& l) {
             l.cluster.hosts = {{"a", 4}};
         }},
        {"degrees whose product is 3", [](Layout& l) { l.parallel = {.data = 3, .pipeline = 1}; }},

        {"a product of degrees of at most 32767, with as many devices in cluster.hosts",
         [](Layout& l) {
             l.parallel.data = 2;
             onOneHost(l);
         }},
        {"a tensor degree of 2 or more", [](Layout& l) { l.parallel.tensor = 2; }},
        {"a microbatch, a sequence, a hidden width or a tensor degree whose product divides",
         [](Layout& l) { l.model.hidden = 6; }},
        {"data and pipeline parallelism", [](Layout& l) { onOneHost(l); }},

        {"an even number",
         [](Layout& l) {
             BlockSpec& block = l.model.block;
             for (int* width : {&block.headWidth, &block.ropeWidth}) *width += *width % 2;
         }},
        {"another word", [](Layout& l) { l.memory.recompute = RecomputeKind::None; }},
        {"an optimizer that keeps moments of each weight", [](Layout& l) { l.optimizer.kind = OptimizerKind::AdamW; }},
        {"momentum 0", [](Layout& l) { l.optimizer.momentum = 0; }},
        {"bf16 or fp32", [](Layout& l) { l.precision.compute = NumberFormat::Bf16; }},
        {"a device that has it", [](Layout& l) { l.cluster.pace->device = "h100-sxm"; }},
        {"a device with both, h100-sxm", [](Layout& l) { l.cluster.pace->device = "h100-sxm"; }},
        {"a \"host\" in the file, as resources/devices/a100-sxm.json has one",
         [](Layout& l) { l.cluster.pace->device = "a100-sxm"; }},
        {"fewer run.steps",
         [](Layout& l) {
             l.run.steps = 1;
             l.run.sizeLimit = 2 << 20;
         }},
    };
    return phrases;
}

}  // namespace shardlab::test
