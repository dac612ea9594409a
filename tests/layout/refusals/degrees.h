// SPDX-License-Identifier: Apache-2.0
// What is refused of degrees, stages, batches and what replicas divide.
#pragma once

#include "tests/layout/refusals/blocks.h"

#include <numeric>
#include <vector>

namespace shardlab::test {

inline bool hasADeviceForEach(const Layout& l) { return ranksOf(l) == devicesOf(l); }
inline bool splitsLayers(const Layout& l) {
    const int stages = l.parallel.pipeline * l.schedule.chunks;
    const std::vector<int>& listed = l.schedule.stages;
    if (listed.empty()) return l.schedule.countEnds ? l.model.layers + 2 >= stages : l.model.layers % stages == 0;
    return std::ssize(listed) == stages && std::accumulate(listed.begin(), listed.end(), 0) == l.model.layers;
}
inline bool middleStagesHaveLayers(const Layout& l) {
    const std::vector<int>& listed = l.schedule.stages;
    for (std::size_t stage = 1; stage + 1 < listed.size(); ++stage)
        if (listed[stage] == 0) return false;
    return true;
}
inline bool splitsBatch(const Layout& l) {
    const int workers = l.parallel.exchange == Exchange::AsyncServer ? l.parallel.data - 1 : l.parallel.data;
    return l.batch.global % (workers * l.batch.micro) == 0;
}
inline bool splitsCopies(const Layout& l) {
    const ParallelSpec& p = l.parallel;
    return p.shard == 0 || (p.data % p.shard == 0 && p.shard * p.context % p.expert == 0);
}
inline bool cutsSequence(const Layout& l) {
    return l.parallel.context == 1 || l.model.sequence % (2 * l.parallel.context) == 0;
}
inline constexpr Refusal degreeRefusals[]{
    {"more ranks than slots", [](Layout& l) { l.cluster.hosts[0].devices = 3; }, "/parallel/data",
     "4 devices in cluster.hosts", absent("a device for each rank", hasADeviceForEach)},
    {"idle devices", [](Layout& l) { l.cluster.hosts[0].devices = 8; }, "/parallel/data",
     "data × pipeline 8 × 1, 4 × 2 or 2 × 4", absent("a rank for each device", hasADeviceForEach)},
    {"devices that no degrees of data and pipeline fill",
     [](Layout& l) {
         l.parallel.tensor = 2;
         l.cluster.hosts[0].devices = 3;
     },
     "/parallel/data", "degrees whose product is 3; or 8 devices in cluster.hosts",
     absent("a device for each rank", hasADeviceForEach)},
    {"more ranks than are numbered",
     [](Layout& l) {
         l.parallel.data = 16384;
         l.batch = {16384, 1};
         l.cluster.hosts = {{"a", 32767}, {"b", 1}};
     },
     "/parallel/data", "a product of degrees of at most 32767, with as many devices in cluster.hosts",
     contradiction("ranks < 2^15, by which events number them", [](const Layout& l) { return ranksOf(l) < 1 << 15; })},

    {"layers do not divide", [](Layout& l) { l.model.layers = 5; }, "/parallel/pipeline",
     "pipeline × chunks 1 or 5; or schedule.stages [3, 2]", contradiction("layers ÷ stages is whole", splitsLayers)},
    {"fewer layers than stages", [](Layout& l) { l.model.layers = 1; }, "/parallel/pipeline", "pipeline × chunks 1",
     contradiction("layers ÷ stages is whole", splitsLayers)},
    {"more stages than layers and ends",
     [](Layout& l) {
         l.schedule.kind = "looped-bfs";
         l.schedule.chunks = 4;
         l.schedule.countEnds = true;
     },
     "/parallel/pipeline", "pipeline × chunks at most 6",
     contradiction("layers, embedding and output are as many as stages", splitsLayers)},
    {"ends of a cnn that hold no layer",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.model.layers = 2;
         l.parallel.data = 1;
         l.parallel.pipeline = 4;
         l.schedule.countEnds = true;
     },
     "/schedule/count_ends", "false",
     contradiction("the first stage has something to compute: a layer, or an embedding",
                   [](const Layout& l) { return !l.schedule.countEnds || l.model.kind != ModelKind::Cnn; })},
    {"too many stages listed",
     [](Layout& l) {
         l.schedule.stages = {1, 1, 2};
     },
     "/schedule/stages", "2 numbers, for instance [2, 2]", contradiction("a number for each stage", splitsLayers)},
    {"too few stages listed of too few layers",
     [](Layout& l) {
         l.model.layers = 1;
         l.schedule.stages = {1};
     },
     "/schedule/stages", "2 numbers", contradiction("a number for each stage", splitsLayers)},
    {"stages of another sum",
     [](Layout& l) {
         l.schedule.stages = {2, 3};
     },
     "/schedule/stages", "a sum of 4, for instance [2, 2]",
     contradiction("the stages' layers are the model's", splitsLayers)},
    {"stages of another sum of too few layers",
     [](Layout& l) {
         l.model.layers = 1;
         l.schedule.stages = {1, 1};
     },
     "/schedule/stages", "a sum of 1", contradiction("the stages' layers are the model's", splitsLayers)},
    {"an empty stage",
     [](Layout& l) {
         l.schedule.kind = "looped-bfs";
         l.schedule.chunks = 2;
         l.schedule.stages = {2, 0, 1, 1};
     },
     "/schedule/stages/1", "1 to 10000",
     contradiction("a stage between the first and the last has something to compute: a layer", middleStagesHaveLayers)},

    {"batch does not divide", [](Layout& l) { l.batch.global = 18; }, "/batch/global",
     "global 16 or 20; or micro 1, 3 or 9", contradiction("global ÷ (data × micro) is whole", splitsBatch)},
    {"batch too small", [](Layout& l) { l.batch.global = 1; }, "/batch/global", "global 4",
     contradiction("global ÷ (data × micro) is whole", splitsBatch)},
    {"a batch that workers do not divide",
     [](Layout& l) {
         l.parallel.exchange = Exchange::AsyncServer;
         l.parallel.data = 4;
         l.parallel.pipeline = 1;
     },
     "/batch/global", "global 12 or 18", contradiction("global ÷ ((data − 1) × micro) is whole", splitsBatch)},
    {"a step of too many actions",
     [](Layout& l) {
         l.batch = {1 << 22, 1};
         l.model.hidden = 4;
         l.model.heads = 1;
         l.model.sequence = 1;
     },
     "/batch/global", "at most 1048576 = microbatches × stages",
     contradiction("the 2 · microbatches × stages actions of a step, of 16 bytes or more, are in memory: 32 MB",
                   [](const Layout& l) {
                       return l.batch.global / (l.parallel.data * l.batch.micro) * l.parallel.pipeline <= 1 << 20;
                   })},

    {"sequence parallel alone", [](Layout& l) { l.parallel.sequence = true; }, "/parallel/sequence",
     "false; or a tensor degree of 2 or more", withoutGain()},
    {"tokens that no group can share",
     [](Layout& l) {
         l.model.sequence = 125;
         l.parallel.tensor = 4;
         l.parallel.sequence = true;
         onOneHost(l);
     },
     "/parallel/sequence", "a model.sequence that is a multiple of 4",
     contradiction("micro × sequence ÷ tensor is whole",
                   [](const Layout& l) {
                       return !l.parallel.sequence || l.batch.micro * l.model.sequence % l.parallel.tensor == 0;
                   })},
    {"heads that no group can share",
     [](Layout& l) {
         l.model.heads = 2;
         l.parallel.tensor = 4;
         onOneHost(l);
     },
     "/parallel/tensor", "at most 2",
     contradiction("tensor ≤ heads", [](const Layout& l) { return l.parallel.tensor <= l.model.heads; })},
    {"feed-forward widths that no group can share",
     [](Layout& l) {
         l.model.feedForward = {64, 3, 64, 64};
         l.parallel.tensor = 4;
         onOneHost(l);
     },
     "/parallel/tensor", "at most 3",
     contradiction(
         "tensor ≤ columns of the narrowest block",
         [](const Layout& l) { return l.parallel.tensor <= *std::ranges::min_element(l.model.feedForward); })},
    {"heads of keys that some members of a tensor group would share",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.heads = 8;
         l.model.block.kvHeads = 2;
         l.parallel.tensor = 3;
         onOneHost(l);
     },
     "/parallel/tensor", "at most 2; or 4, 6 or 8",
     notBuilt("members of a tensor group whose queries read two heads of keys")},
    {"a key and its value of fewer columns than members share it",
     [](Layout& l) {
         l.model = {ModelKind::Llama, 4, 10, 5, 16, 256};
         l.model.block.kvHeads = 1;
         l.parallel.tensor = 5;
         onOneHost(l);
     },
     "/parallel/tensor", "at most 4",
     contradiction("tensor ≤ heads of keys, or members of each ≤ columns of a key and its value",
                   [](const Layout& l) {
                       const int keys = l.model.block.kvHeads;
                       return l.parallel.tensor <= keys ||
                              l.parallel.tensor / keys <= 2 * l.model.hidden / l.model.heads;
                   })},
    {"heads of a latent attention that no tensor group can share",
     [](Layout& l) {
         latent(l);
         l.parallel.tensor = 8;
         onOneHost(l);
     },
     "/parallel/tensor", "at most 4",
     contradiction("tensor ≤ heads", [](const Layout& l) { return l.parallel.tensor <= l.model.heads; })},
    {"experts that a tensor group cannot divide",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.experts.width = 1;
         l.parallel.tensor = 2;
         onOneHost(l);
     },
     "/parallel/tensor", "at most 1",
     contradiction("tensor ≤ columns of an expert",
                   [](const Layout& l) { return l.parallel.tensor <= l.model.experts.width; })},
    {"a vocabulary that no group can share",
     [](Layout& l) {
         l.data = {DataKind::Tokens, "tokens.bin"};
         l.model.vocabulary = 2;
         l.parallel.tensor = 4;
         onOneHost(l);
     },
     "/parallel/tensor", "at most 2",
     contradiction("tensor ≤ tokens of the vocabulary",
                   [](const Layout& l) { return l.parallel.tensor <= l.model.vocabulary; })},

    {"a sequence that a context group does not cut",
     [](Layout& l) {
         l.parallel.context = 3;
         onOneHost(l);
     },
     "/parallel/context", "1, 2, 4, 8, 16, 32 or 64; or model.sequence 126 or 132",
     contradiction("sequence ÷ (2 · context) is whole", cutsSequence)},
    {"an odd sequence that a larger context group does not cut",
     [](Layout& l) {
         l.model.sequence = 3;
         l.parallel.context = 2;
         onOneHost(l);
     },
     "/parallel/context", "1; or model.sequence 4", contradiction("sequence ÷ (2 · context) is whole", cutsSequence)},
    {"heads that a context group cannot divide",
     [](Layout& l) {
         l.parallel.context = 8;
         l.parallel.contextKind = ContextKind::Ulysses;
         onOneHost(l);
     },
     "/parallel/context", "4; or parallel.context_method ring",
     contradiction("heads ÷ context is whole",
                   [](const Layout& l) {
                       return l.parallel.contextKind == ContextKind::Ring || l.model.heads % l.parallel.context == 0;
                   })},
    {"a single head that a context group cannot divide",
     [](Layout& l) {
         l.model.heads = 1;
         l.parallel.context = 2;
         l.parallel.contextKind = ContextKind::Ulysses;
         onOneHost(l);
     },
     "/parallel/context", "1; or parallel.context_method ring",
     contradiction("heads ÷ context is whole",
                   [](const Layout& l) {
                       return l.parallel.contextKind == ContextKind::Ring || l.model.heads % l.parallel.context == 0;
                   })},
    {"heads of a tensor rank that a context group cannot divide",
     [](Layout& l) {
         l.model.hidden = 96;
         l.model.heads = 6;
         l.parallel.tensor = 2;
         l.parallel.context = 2;
         l.parallel.contextKind = ContextKind::Ulysses;
         onOneHost(l);
     },
     "/parallel/context", "1; or parallel.context_method ring",
     contradiction("heads ÷ tensor ÷ context is whole",
                   [](const Layout& l) {
                       return l.parallel.contextKind == ContextKind::Ring ||
                              l.model.heads / l.parallel.tensor % l.parallel.context == 0;
                   })},
    {"latents made again and heads exchanged in another program's times",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.block.kvRank = 16;
         l.memory.recompute = RecomputeKind::Latent;
         l.parallel.context = 2;
         l.parallel.contextKind = ContextKind::Ulysses;
         l.cluster.pace = PaceSpec{};
         l.cluster.pace->stack = "megatron-core";
         l.precision.compute = NumberFormat::Bf16;
         onOneHost(l);
     },
     "/memory/recompute", "another word; or parallel.context_method ring; or cluster.pace.stack shardlab",
     absent("heads that another program exchanges again: its attention keeps what the first exchange brought",
            [](const Layout& l) {
                return l.memory.recompute != RecomputeKind::Latent || l.parallel.contextKind == ContextKind::Ring ||
                       l.cluster.pace->stack == "shardlab";
            })},

    {"ZeRO with one replica",
     [](Layout& l) {
         l.parallel.zero = 2;
         l.parallel.data = 1;
         l.parallel.pipeline = 4;
     },
     "/parallel/zero", "parallel.data of at least 2", withoutGain()},
    {"ZeRO 3 with one replica and parameters on the device",
     [](Layout& l) {
         l.parallel.zero = 3;
         l.parallel.data = 1;
         l.parallel.pipeline = 4;
         l.memory.offload = OffloadKind::Optimizer;
     },
     "/parallel/zero", "3 with memory.offload parameters", withoutGain()},
    {"whole layers without the ZeRO that divides them",
     [](Layout& l) {
         l.parallel.zero = 2;
         l.parallel.partition = PartitionKind::Layers;
     },
     "/parallel/partition", "flat; or parallel.zero 3", pointless()},
    {"whole layers round a ring",
     [](Layout& l) {
         l.parallel.zero = 3;
         l.parallel.partition = PartitionKind::Layers;
         l.parallel.allReduce = AllReduceKind::Ring;
     },
     "/parallel/all_reduce", "backend; or parallel.partition flat", pointless()},
    {"copies without ZeRO", [](Layout& l) { l.parallel.shard = 2; }, "/parallel/shard", "parallel.zero 1 to 3",
     pointless()},
    {"copies over data ranks that they do not divide",
     [](Layout& l) {
         l.parallel.zero = 3;
         l.parallel.shard = 3;
     },
     "/parallel/shard", "2; or 0", contradiction("data ÷ shard is whole", splitsCopies)},
    {"a copy on one rank",
     [](Layout& l) {
         l.parallel.zero = 1;
         l.parallel.shard = 1;
     },
     "/parallel/shard", "2; or 0",
     wrong("HSDP: what ZeRO divides, it divides over several ranks",
           [](const Layout& l) { return l.parallel.shard != 1 && l.parallel.data > 1; })},
    {"a copy on the only rank",
     [](Layout& l) {
         l.parallel.data = 1;
         l.parallel.pipeline = 4;
         l.parallel.zero = 3;
         l.parallel.shard = 1;
         l.memory.offload = OffloadKind::Parameters;
     },
     "/parallel/shard", "0", pointless()},
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
     "/parallel/shard", "4; or 0", contradiction("shard × context ÷ expert is whole", splitsCopies)},
};

}  // namespace shardlab::test
