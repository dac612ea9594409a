// SPDX-License-Identifier: Apache-2.0
// Layouts that are legal but for one thing, each thing once.
#pragma once

#include "tests/layout/single_fault.h"
#include "tests/support/wings.h"

#include <cmath>
#include <vector>

namespace shardlab::test {

inline const std::vector<SingleFault> singleFaults{
    {"heads", [](Layout& l) { l.model.heads = 3; }, "/model/heads", "1, 2, 4, 8, 16, 32"},
    {"weights for a model that has none",
     [](Layout& l) {
         l.model.kind = ModelKind::Mlp;
         l.model.weights = "somewhere";
     },
     "/model/weights", "model.kind gpt, llama or llama-moe, or no weights"},
    {"a server for a context group",
     [](Layout& l) {
         l.parallel.exchange = Exchange::Server;
         l.parallel.context = 2;
         l.cluster.hosts[0].devices = 8;
     },
     "/parallel/context", "1; or parallel.exchange allreduce"},
    {"GPT-2's weights for experts",
     [](Layout& l) {
         l.model.kind = ModelKind::GptMoe;
         l.model.weights = "gpt2";
     },
     "/model/weights", "model.kind gpt"},
    {"no width", [](Layout& l) { l.model.hidden = 0; }, "/model/hidden", "1 to 65536"},
    {"negative sequence", [](Layout& l) { l.model.sequence = -1; }, "/model/sequence", "1 to 1048576"},
    {"widths of too few layers",
     [](Layout& l) {
         l.model.feedForward = {64, 512, 64};
     },
     "/model/feed_forward", "4 numbers; or [] for 4 × hidden = 512"},
    {"no feed-forward width",
     [](Layout& l) {
         l.model.feedForward = {64, 512, 0, 64};
     },
     "/model/feed_forward/2", "1 to 262144"},
    {"byte vocabulary", [](Layout& l) { l.model.vocabulary = 255; }, "/model/vocabulary", "256 or more"},
    {"dropout of everything", [](Layout& l) { l.model.dropout = 1; }, "/model/dropout", "0 to 0.99"},
    {"no path", [](Layout& l) { l.data.kind = DataKind::Text; }, "/data/path", "UTF-8"},
    {"tokenizer without files", [](Layout& l) { l.data.tokenizer = TokenizerKind::Gpt2; }, "/data/tokenizer_path",
     "the folder they lie in"},
    {"no lines of JSON", [](Layout& l) { l.data.kind = DataKind::JsonLines; }, "/data/path", "a JSON object a line"},
    {"no field that is the text",
     [](Layout& l) {
         l.data = {DataKind::JsonLines, "texts.jsonl"};
         l.data.textField.clear();
     },
     "/data/text_field", "text"},
    {"no tokenizer.json", [](Layout& l) { l.data.tokenizer = TokenizerKind::Json; }, "/data/tokenizer_path",
     "the folder they lie in"},
    {"no tokens", [](Layout& l) { l.data.kind = DataKind::Tokens; }, "/data/path", "a .bin file, or a folder of them"},
    {"weights of another model",
     [](Layout& l) {
         l.model.kind = ModelKind::Mlp;
         l.model.weights = "gpt2";
     },
     "/model/weights", "model.kind gpt"},
    {"no checkpoint stays", [](Layout& l) { l.checkpoint.keep = 0; }, "/checkpoint/keep", "1 to"},
    {"checkpoints backwards", [](Layout& l) { l.checkpoint.every = -1; }, "/checkpoint/every", "0 to"},
    {"validation", [](Layout& l) { l.data.validation = 0.6; }, "/data/validation", "0 to 0.5"},
    {"validation is no number", [](Layout& l) { l.data.validation = std::nan(""); }, "/data/validation", "0 to 0.5"},
    {"no hosts", [](Layout& l) { l.cluster.hosts.clear(); }, "/cluster/hosts", "at least one"},
    {"empty host name", [](Layout& l) { l.cluster.hosts[0].name = ""; }, "/cluster/hosts/0/name", "letters"},
    {"host name that is an option", [](Layout& l) { l.cluster.hosts[0].name = "--mca"; }, "/cluster/hosts/0/name",
     "beginning with a letter"},
    {"host twice",
     [](Layout& l) {
         l.cluster.hosts = {{"a", 2}, {"a", 2}};
     },
     "/cluster/hosts/1/name", "each host once"},
    {"wide heads on a GPU",
     [](Layout& l) {
         l.cluster.device = DeviceKind::Cuda;
         l.model.hidden = 2048;
     },
     "/model/heads", "8, heads of 256"},
    {"pace device",
     [](Layout& l) {
         l.cluster.pace = {"h100", 1};
     },
     "/cluster/pace/device", "did you mean h100-sxm?"},
    {"pace seconds",
     [](Layout& l) {
         l.cluster.pace = {"h200", 0};
     },
     "/cluster/pace/step_seconds", "0.001 to 3600"},
    {"more ranks than slots", [](Layout& l) { l.cluster.hosts[0].devices = 3; }, "/parallel/data",
     "4 devices in cluster.hosts"},
    {"idle devices", [](Layout& l) { l.cluster.hosts[0].devices = 8; }, "/parallel/data",
     "data × pipeline 8 × 1, 4 × 2 or 2 × 4"},
    {"sequence parallel alone", [](Layout& l) { l.parallel.sequence = true; }, "/parallel/sequence",
     "false; or a tensor degree of 2 or more"},
    {"heads that no group can share",
     [](Layout& l) {
         l.model.heads = 2;
         l.parallel.tensor = 4;
         l.cluster.hosts[0].devices = 16;
     },
     "/parallel/tensor", "at most 2"},
    {"feed-forward widths that no group can share",
     [](Layout& l) {
         l.model.feedForward = {64, 3, 64, 64};
         l.parallel.tensor = 4;
         l.cluster.hosts[0].devices = 16;
     },
     "/parallel/tensor", "at most 3"},
    {"tokens that no group can share",
     [](Layout& l) {
         l.model.sequence = 125;
         l.parallel.tensor = 4;
         l.parallel.sequence = true;
         l.cluster.hosts[0].devices = 16;
     },
     "/parallel/sequence", "a model.sequence that is a multiple of 4"},
    {"ZeRO with one replica",
     [](Layout& l) {
         l.parallel.zero = 2;
         l.parallel.data = 1;
         l.parallel.pipeline = 4;
     },
     "/parallel/zero", "parallel.data of at least 2"},
    {"ZeRO 3 with one replica and parameters on the device",
     [](Layout& l) {
         l.parallel.zero = 3;
         l.parallel.data = 1;
         l.parallel.pipeline = 4;
         l.memory.offload = OffloadKind::Optimizer;
     },
     "/parallel/zero", "3 with memory.offload parameters"},
    {"copies without ZeRO", [](Layout& l) { l.parallel.shard = 2; }, "/parallel/shard", "parallel.zero 1 to 3"},
    {"copies over data ranks that they do not divide",
     [](Layout& l) {
         l.parallel.zero = 3;
         l.parallel.shard = 3;
     },
     "/parallel/shard", "2; or 0"},
    {"a copy on one rank",
     [](Layout& l) {
         l.parallel.zero = 1;
         l.parallel.shard = 1;
     },
     "/parallel/shard", "2; or 0"},
    {"heads that a context group cannot divide",
     [](Layout& l) {
         l.parallel.context = 8;
         l.parallel.contextKind = ContextKind::Ulysses;
         l.cluster.hosts[0].devices *= 8;
     },
     "/parallel/context", "4; or parallel.context_method ring"},
    {"latents made again and heads exchanged",
     [](Layout& l) {
         l.model.kind = ModelKind::Llama;
         l.model.block.kvRank = 16;
         l.memory.recompute = RecomputeKind::Latent;
         l.parallel.context = 2;
         l.parallel.contextKind = ContextKind::Ulysses;
         l.cluster.hosts[0].devices *= 2;
     },
     "/memory/recompute", "another word; or parallel.context_method ring"},
    {"ZeRO with a ring",
     [](Layout& l) {
         l.parallel.zero = 1;
         l.parallel.allReduce = AllReduceKind::Ring;
     },
     "/parallel/all_reduce", "backend"},
    {"a ring without buckets",
     [](Layout& l) {
         l.parallel.bucket = 0;
         l.parallel.allReduce = AllReduceKind::Ring;
     },
     "/parallel/all_reduce", "parallel.bucket above 0"},
    {"layers do not divide", [](Layout& l) { l.model.layers = 5; }, "/parallel/pipeline",
     "pipeline × chunks 1 or 5; or schedule.stages [3, 2]"},
    {"fewer layers than stages", [](Layout& l) { l.model.layers = 1; }, "/parallel/pipeline", "pipeline × chunks 1"},
    {"unknown schedule", [](Layout& l) { l.schedule.kind = "1f1"; }, "/schedule/kind", "did you mean 1f1b?"},
    {"an elastic run without a flush",
     [](Layout& l) {
         l.schedule.kind = "pipedream";
         l.optimizer.clip = 0;
         l.run.minData = 1;
     },
     "/run/min_data", "0; or a schedule with a flush, 1f1b"},
    {"an elastic run without checkpoints", [](Layout& l) { l.run.minData = 1; }, "/checkpoint/every",
     "1 or more; or run.min_data 0"},
    {"more replicas at least than at most",
     [](Layout& l) {
         l.run.minData = 3;
         l.checkpoint.every = 5;
     },
     "/run/min_data", "1; or 0"},
    {"an elastic run of one size",
     [](Layout& l) {
         l.run.minData = 2;
         l.checkpoint.every = 5;
     },
     "/run/min_data", "1; or 0"},
    {"an elastic run of one size, as ZeRO needs two",
     [](Layout& l) {
         l.run.minData = 1;
         l.parallel.zero = 1;
         l.checkpoint.every = 5;
     },
     "/run/min_data", "0: this layout has no other size"},
    {"negative replicas", [](Layout& l) { l.run.minData = -1; }, "/run/min_data", "0 to "},
    {"clipping without a flush", [](Layout& l) { l.schedule.kind = "pipedream"; }, "/optimizer/clip",
     "0; or a schedule with a flush, 1f1b"},
    {"vertical sync of a flush", [](Layout& l) { l.schedule.verticalSync = true; }, "/schedule/vertical_sync",
     "false; or schedule.kind pipedream"},
    {"too many stages listed",
     [](Layout& l) {
         l.schedule.stages = {1, 1, 2};
     },
     "/schedule/stages", "2 numbers, for instance [2, 2]"},
    {"stages of another sum",
     [](Layout& l) {
         l.schedule.stages = {2, 3};
     },
     "/schedule/stages", "a sum of 4, for instance [2, 2]"},
    {"an empty stage",
     [](Layout& l) {
         l.schedule.kind = "looped-bfs";
         l.schedule.chunks = 2;
         l.schedule.stages = {2, 0, 1, 1};
     },
     "/schedule/stages/1", "1 to 10000"},
    {"more stages than layers and ends",
     [](Layout& l) {
         l.schedule.kind = "looped-bfs";
         l.schedule.chunks = 4;
         l.schedule.countEnds = true;
     },
     "/parallel/pipeline", "pipeline × chunks at most 6"},
    {"batch does not divide", [](Layout& l) { l.batch.global = 18; }, "/batch/global",
     "global 16 or 20; or micro 1, 3 or 9"},
    {"batch too small", [](Layout& l) { l.batch.global = 1; }, "/batch/global", "global 4"},
    {"no microbatch", [](Layout& l) { l.batch.micro = 0; }, "/batch/micro", "1 to 65536"},
    {"scaled loss without a flush",
     [](Layout& l) {
         l.schedule.kind = "pipedream";
         l.optimizer.clip = 0;
         l.precision = {NumberFormat::Fp16};
         l.precision.lossScale = LossScaling::Dynamic;
     },
     "/precision/loss_scale", "a schedule with a flush"},
    {"delayed scales without a flush",
     [](Layout& l) {
         l.schedule.kind = "pipedream";
         l.optimizer.clip = 0;
         l.precision.products = ProductFormat::Fp8;
         l.precision.scaling = ProductScaling::Delayed;
     },
     "/precision/scaling", "current"},
    {"training in nvfp4", [](Layout& l) { l.precision.products = ProductFormat::NvFp4; }, "/precision/products",
     "fp8-blocks"},
    {"no scale history",
     [](Layout& l) {
         l.precision.products = ProductFormat::Fp8;
         l.precision.scaling = ProductScaling::Delayed;
         l.precision.amaxHistory = 0;
     },
     "/precision/amax_history", "1 to 65536"},
    {"margin below a scale",
     [](Layout& l) {
         l.precision.products = ProductFormat::Fp8;
         l.precision.scaling = ProductScaling::Delayed;
         l.precision.margin = -1;
     },
     "/precision/margin", "0 to 16"},
    {"scale of the loss", [](Layout& l) { l.precision.scale = 0; }, "/precision/scale", "1e-09 to 16777216"},
    {"learning rate", [](Layout& l) { l.optimizer.learningRate = 0; }, "/optimizer/learning_rate", "1e-12 to 10"},
    {"one beta", [](Layout& l) { l.optimizer.adamw.betas = {0.9}; }, "/optimizer/betas", "two numbers"},
    {"beta of one",
     [](Layout& l) {
         l.optimizer.adamw.betas = {0.9, 1.0};
     },
     "/optimizer/betas/1", "0 to"},
    {"row sums of flat shards",
     [](Layout& l) {
         l.optimizer.kind = OptimizerKind::Adafactor;
         l.parallel.zero = 2;
     },
     "/parallel/zero", "0; 3 with parallel.partition layers"},
    {"accumulators of flat shards",
     [](Layout& l) {
         l.optimizer.kind = OptimizerKind::Sm3;
         l.parallel.zero = 3;
     },
     "/parallel/zero", "optimizer.kind adamw, adamw-8bit or sgd"},
    {"decay rate", [](Layout& l) { l.optimizer.adafactor.decayRate = 1.5; }, "/optimizer/decay_rate", "0 to 1"},
    {"clip threshold", [](Layout& l) { l.optimizer.adafactor.clipThreshold = 0; }, "/optimizer/clip_threshold",
     "0.001 to"},
    {"negative clip", [](Layout& l) { l.optimizer.clip = -1; }, "/optimizer/clip", "0 to"},
    {"infinite clip", [](Layout& l) { l.optimizer.clip = INFINITY; }, "/optimizer/clip", "0 to"},
    {"recompute every", [](Layout& l) { l.memory.recomputeEvery = 0; }, "/memory/recompute_every", "1 to 10000"},
    {"inputs that do not divide",
     [](Layout& l) {
         l.model.kind = ModelKind::Mlp;
         l.model.hidden = 5;
         l.model.sequence = 7;
         l.model.feedForward = {6, 6, 6, 6};
         l.batch.micro = 1;
         l.parallel = {.data = 1, .pipeline = 2, .tensor = 2};
         l.memory.recompute = RecomputeKind::Full;
         l.memory.partitionActivations = true;
     },
     "/memory/partition_activations", "false; or"},
    {"one beta of 8 bits",
     [](Layout& l) {
         l.optimizer.kind = OptimizerKind::AdamW8Bit;
         l.optimizer.adamw.betas = {0.9};
     },
     "/optimizer/betas", "two numbers"},
    {"least rate above the rate",
     [](Layout& l) {
         l.optimizer.schedule = RateSchedule::Cosine;
         l.optimizer.minimum = 1;
     },
     "/optimizer/minimum", "0 to 0.003"},
    {"no steps", [](Layout& l) { l.run.steps = 0; }, "/run/steps", "1 to 2147483647"},
    {"negative deadline", [](Layout& l) { l.run.deadline = -1; }, "/run/deadline", "0 to 86400"},
    {"no validation batch", [](Layout& l) { l.run.validationBatches = 0; }, "/run/validation_batches", "1 to"},
};

}  // namespace shardlab::test
