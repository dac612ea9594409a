// SPDX-License-Identifier: Apache-2.0
// The options of Megatron-LM that Shardlab writes, with how many values each takes, as its parser has them:
// megatron/training/arguments.py of NVIDIA/Megatron-LM at commit 000c4ac24f61159c138b0975def722c65245983c (core 0.15).
// That file is in no package of PyPI, so that its own parser cannot be asked.
#pragma once

#include "tests/support/wings.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace shardlab::test {

struct MegatronOption {
    std::string_view name;
    int values;  ///< 0: it is a flag; −1: one or more
};

inline constexpr MegatronOption megatronOptions[] = {
    {"--num-layers", 1},
    {"--hidden-size", 1},
    {"--num-attention-heads", 1},
    {"--kv-channels", 1},
    {"--multi-latent-attention", 0},
    {"--q-lora-rank", 1},
    {"--kv-lora-rank", 1},
    {"--qk-head-dim", 1},
    {"--qk-pos-emb-head-dim", 1},
    {"--v-head-dim", 1},
    {"--rope-type", 1},
    {"--rotary-scaling-factor", 1},
    {"--mscale", 1},
    {"--mscale-all-dim", 1},
    {"--group-query-attention", 0},
    {"--num-query-groups", 1},
    {"--ffn-hidden-size", 1},
    {"--seq-length", 1},
    {"--max-position-embeddings", 1},
    {"--position-embedding-type", 1},
    {"--rotary-base", 1},
    {"--use-rope-scaling", 0},
    {"--rope-scaling-factor", 1},
    {"--normalization", 1},
    {"--norm-epsilon", 1},
    {"--qk-layernorm", 0},
    {"--disable-bias-linear", 0},
    {"--add-qkv-bias", 0},
    {"--swiglu", 0},
    {"--squared-relu", 0},
    {"--no-bias-gelu-fusion", 0},
    {"--untie-embeddings-and-output-weights", 0},
    {"--attention-dropout", 1},
    {"--hidden-dropout", 1},
    {"--window-size", 1},
    {"--window-attn-skip-freq", 1},
    {"--mtp-num-layers", 1},
    {"--mtp-loss-scaling-factor", 1},
    {"--num-experts", 1},
    {"--moe-layer-freq", 1},
    {"--moe-ffn-hidden-size", 1},
    {"--moe-shared-expert-intermediate-size", 1},
    {"--moe-router-score-function", 1},
    {"--moe-router-num-groups", 1},
    {"--moe-router-group-topk", 1},
    {"--moe-router-topk-scaling-factor", 1},
    {"--moe-router-enable-expert-bias", 0},
    {"--moe-router-bias-update-rate", 1},
    {"--moe-router-dtype", 1},
    {"--moe-grouped-gemm", 0},
    {"--moe-router-topk", 1},
    {"--moe-router-pre-softmax", 0},
    {"--moe-router-load-balancing-type", -1},
    {"--moe-aux-loss-coeff", -1},
    {"--moe-expert-capacity-factor", 1},
    {"--moe-token-drop-policy", 1},
    {"--moe-token-dispatcher-type", 1},
    {"--tensor-model-parallel-size", 1},
    {"--pipeline-model-parallel-size", 1},
    {"--context-parallel-size", 1},
    {"--cp-comm-type", -1},
    {"--expert-model-parallel-size", 1},
    {"--expert-tensor-parallel-size", 1},
    {"--sequence-parallel", 0},
    {"--use-distributed-optimizer", 0},
    {"--num-distributed-optimizer-instances", 1},
    {"--use-megatron-fsdp", 0},
    {"--data-parallel-sharding-strategy", 1},
    {"--ckpt-format", 1},
    {"--overlap-grad-reduce", 0},
    {"--ddp-bucket-size", 1},
    {"--account-for-embedding-in-pipeline-split", 0},
    {"--account-for-loss-in-pipeline-split", 0},
    {"--decoder-first-pipeline-num-layers", 1},
    {"--decoder-last-pipeline-num-layers", 1},
    {"--pipeline-model-parallel-layout", 1},
    {"--num-virtual-stages-per-pipeline-rank", 1},
    {"--microbatch-group-size-per-virtual-pipeline-stage", 1},
    {"--micro-batch-size", 1},
    {"--global-batch-size", 1},
    {"--train-iters", 1},
    {"--seed", 1},
    {"--fp16", 0},
    {"--bf16", 0},
    {"--accumulate-allreduce-grads-in-fp32", 0},
    {"--grad-reduce-in-bf16", 0},
    {"--loss-scale", 1},
    {"--initial-loss-scale", 1},
    {"--loss-scale-window", 1},
    {"--hysteresis", 1},
    {"--fp8-format", 1},
    {"--fp8-recipe", 1},
    {"--fp8-amax-history-len", 1},
    {"--fp8-amax-compute-algo", 1},
    {"--fp8-margin", 1},
    {"--fp4-format", 1},
    {"--optimizer", 1},
    {"--sgd-momentum", 1},
    {"--adam-beta1", 1},
    {"--adam-beta2", 1},
    {"--adam-eps", 1},
    {"--weight-decay", 1},
    {"--clip-grad", 1},
    {"--lr", 1},
    {"--lr-warmup-iters", 1},
    {"--lr-decay-style", 1},
    {"--lr-decay-iters", 1},
    {"--min-lr", 1},
    {"--recompute-granularity", 1},
    {"--recompute-modules", -1},
    {"--recompute-method", 1},
    {"--recompute-num-layers", 1},
    {"--distribute-saved-activations", 0},
    {"--optimizer-cpu-offload", 0},
    {"--use-precision-aware-optimizer", 0},
    {"--mock-data", 0},
    {"--data-path", -1},
    {"--split", 1},
    {"--tokenizer-type", 1},
    {"--vocab-file", 1},
    {"--merge-file", 1},
    {"--tokenizer-model", 1},
    {"--vocab-size", 1},
    {"--make-vocab-size-divisible-by", 1},
    {"--eval-interval", 1},
    {"--eval-iters", 1},
    {"--save", 1},
    {"--load", 1},
    {"--save-interval", 1},
    {"--wandb-exp-name", 1},
    {"--log-interval", 1},
};

inline const MegatronOption* findMegatronOption(std::string_view name) {
    const auto found = std::ranges::find(megatronOptions, name, &MegatronOption::name);
    return found == std::end(megatronOptions) ? nullptr : &*found;
}

/// An option of torchrun.
inline bool isLauncherOption(std::string_view word) {
    return word == "--nnodes" || word == "--nproc-per-node" || word == "--max-restarts";
}

}  // namespace shardlab::test
