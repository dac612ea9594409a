// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/field_effect.h"

#include "engine/layout/exchange.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/mesh/replicas.h"

#include <algorithm>

namespace shardlab {
namespace {

using L = Layout;
using M = ScheduleMethod;

bool in16Bits(const L& l) { return l.precision.compute != "fp32"; }
bool hasGate(const L& l) { return l.model.kind == "gpt-moe"; }
bool readsText(const L& l) { return l.data.kind != "tokens" && !readsImages(l.model); }
bool validates(const L& l) {
    return l.data.validation > 0 || l.data.kind == "tokens";
}  // a folder of tokens may bring its own
bool leavesTheMachine(const L& l) {
    return std::ranges::any_of(
        l.cluster.hosts, [](const HostSpec& host) { return host.name != "localhost" && host.name != "127.0.0.1"; });
}

bool averages(const L& l) { return exchangeOf(l.parallel) == Exchange::AllReduce; }

bool checkpoints(const L& l) {
    const Exchange exchange = exchangeOf(l.parallel);
    return exchange != Exchange::AsyncServer && exchange != Exchange::Elastic;
}

struct Rule {
    std::string_view pointer;
    std::string_view takes;
    bool (*counts)(const L&, const M&);  ///< the field has an effect
};

// A field may stand twice: the first rule that fails says why.
constexpr Rule rules[] = {
    {"/model/heads", "only with attention: mlp and cnn have none",
     [](const L& l, const M&) { return hasAttention(l.model); }},
    {"/model/sequence", "only where samples are text: those of cnn are images",
     [](const L& l, const M&) { return !readsImages(l.model); }},
    {"/model/vocabulary", "only where samples are text: those of cnn are images",
     [](const L& l, const M&) { return !readsImages(l.model); }},
    {"/model/dropout", "only in transformers: cnn drops nothing",
     [](const L& l, const M&) { return !readsImages(l.model); }},
    {"/model/feed_forward", "only in transformers: cnn has no feed-forward blocks",
     [](const L& l, const M&) { return !readsImages(l.model); }},
    {"/model/image", "only with the model cnn", [](const L& l, const M&) { return readsImages(l.model); }},
    {"/model/channels", "only with the model cnn", [](const L& l, const M&) { return readsImages(l.model); }},
    {"/model/convolutions", "only with the model cnn", [](const L& l, const M&) { return readsImages(l.model); }},
    {"/model/classes", "only with the model cnn", [](const L& l, const M&) { return readsImages(l.model); }},
    {"/model/kv_heads", "only with the model llama", [](const L& l, const M&) { return l.model.kind == "llama"; }},
    {"/model/rope_base", "only with the model llama", [](const L& l, const M&) { return l.model.kind == "llama"; }},

    {"/model/experts", "only with the model gpt-moe", [](const L& l, const M&) { return hasGate(l); }},
    {"/model/gate", "only with the model gpt-moe", [](const L& l, const M&) { return hasGate(l); }},
    {"/model/top_k", "only with the model gpt-moe", [](const L& l, const M&) { return hasGate(l); }},
    {"/model/top_k", "only with the gates noisy-top-k and hierarchical",
     [](const L& l, const M&) { return noisyGate(l.model); }},
    {"/model/expert_groups", "only with the model gpt-moe", [](const L& l, const M&) { return hasGate(l); }},
    {"/model/expert_groups", "only with the gate hierarchical",
     [](const L& l, const M&) { return hasGroups(l.model); }},
    {"/model/top_groups", "only with the model gpt-moe", [](const L& l, const M&) { return hasGate(l); }},
    {"/model/top_groups", "only with the gate hierarchical", [](const L& l, const M&) { return hasGroups(l.model); }},
    {"/model/token_experts", "only with the model gpt-moe", [](const L& l, const M&) { return hasGate(l); }},
    {"/model/token_experts", "only with the gate capped-expert-choice",
     [](const L& l, const M&) { return capsTokens(l.model); }},
    {"/model/entropy", "only with the model gpt-moe", [](const L& l, const M&) { return hasGate(l); }},
    {"/model/entropy", "only with the gate capped-expert-choice",
     [](const L& l, const M&) { return capsTokens(l.model); }},
    {"/model/capacity", "only with the model gpt-moe", [](const L& l, const M&) { return hasGate(l); }},
    {"/model/balance", "only with the model gpt-moe", [](const L& l, const M&) { return hasGate(l); }},
    {"/model/balance", "only where tokens choose: experts that choose are full",
     [](const L& l, const M&) { return !expertsChoose(l.model); }},
    {"/model/expert_dropout", "only with the model gpt-moe", [](const L& l, const M&) { return hasGate(l); }},

    {"/data/path", "only with data of kind text or tokens",
     [](const L& l, const M&) { return l.data.kind != "generator"; }},
    {"/data/tokenizer", "only where text is read, not tokens or images",
     [](const L& l, const M&) { return readsText(l); }},
    {"/data/tokenizer_path", "only where text is read, not tokens or images",
     [](const L& l, const M&) { return readsText(l); }},
    {"/data/tokenizer_path", "only with the tokenizer gpt2",
     [](const L& l, const M&) { return l.data.tokenizer == "gpt2"; }},

    {"/cluster/agent", "only with hosts other than this machine",
     [](const L& l, const M&) { return leavesTheMachine(l); }},
    {"/cluster/network", "only with hosts other than this machine",
     [](const L& l, const M&) { return leavesTheMachine(l); }},

    {"/parallel/sequence", "only with tensor parallelism", [](const L& l, const M&) { return l.parallel.tensor > 1; }},
    {"/parallel/partition", "only with ZeRO 3", [](const L& l, const M&) { return l.parallel.zero == 3; }},
    {"/parallel/zero", "only with several replicas", [](const L& l, const M&) { return replicaCount(l.parallel) > 1; }},
    {"/parallel/zero", "only with a schedule that flushes", [](const L&, const M& m) { return m.flushes; }},
    {"/parallel/exchange", "only with several replicas, or on one rank",
     [](const L& l, const M&) { return l.parallel.data > 1 || rankCount(l) == 1; }},
    {"/parallel/bucket", "only with several replicas",
     [](const L& l, const M&) { return replicaCount(l.parallel) > 1; }},
    {"/parallel/bucket", "only with the exchange allreduce", [](const L& l, const M&) { return averages(l); }},
    {"/parallel/bucket", "only with ZeRO 0 or 1: 2 and 3 go layer by layer",
     [](const L& l, const M&) { return l.parallel.zero < 2; }},
    {"/parallel/bucket", "only with a schedule that flushes", [](const L&, const M& m) { return m.flushes; }},
    {"/parallel/all_reduce", "only with several replicas",
     [](const L& l, const M&) { return replicaCount(l.parallel) > 1; }},
    {"/parallel/all_reduce", "only with the exchange allreduce", [](const L& l, const M&) { return averages(l); }},
    {"/parallel/zero", "only with the exchange allreduce", [](const L& l, const M&) { return averages(l); }},
    {"/parallel/all_reduce", "only with ZeRO 0: the others scatter and gather",
     [](const L& l, const M&) { return l.parallel.zero == 0; }},
    {"/parallel/all_reduce", "only with a schedule that flushes", [](const L&, const M& m) { return m.flushes; }},

    {"/schedule/chunks", "only with schedules of several chunks: this one fixes them",
     [](const L&, const M& m) { return m.minChunks != m.maxChunks; }},
    {"/schedule/in_flight", "only with schedules that take a limit: zb-greedy",
     [](const L&, const M& m) { return m.takesLimit; }},
    {"/schedule/actions", "only with the schedule custom", [](const L&, const M& m) { return m.byHand; }},
    {"/schedule/vertical_sync", "only with the schedule pipedream",
     [](const L&, const M& m) { return m.takesVerticalSync; }},

    {"/precision/weights", "only with fp16 or bf16", [](const L& l, const M&) { return in16Bits(l); }},
    {"/precision/gradients", "only with fp16 or bf16", [](const L& l, const M&) { return in16Bits(l); }},
    {"/precision/gradients", "only with weights in 16 bits: gradients of fp32 weights are fp32",
     [](const L& l, const M&) { return l.precision.weights != "fp32"; }},
    {"/precision/scale", "only with a static or dynamic loss scale",
     [](const L& l, const M&) { return l.precision.lossScale != "none"; }},
    {"/precision/scale_window", "only with a dynamic loss scale",
     [](const L& l, const M&) { return l.precision.lossScale == "dynamic"; }},

    {"/optimizer/minimum", "only where the learning rate falls",
     [](const L& l, const M&) { return l.optimizer.schedule != "constant"; }},
    {"/optimizer/betas", "only with adamw", [](const L& l, const M&) { return l.optimizer.kind.starts_with("adamw"); }},
    {"/optimizer/epsilon", "only with adamw",
     [](const L& l, const M&) { return l.optimizer.kind.starts_with("adamw"); }},
    {"/optimizer/momentum", "only with sgd or sm3",
     [](const L& l, const M&) { return l.optimizer.kind == "sgd" || l.optimizer.kind == "sm3"; }},
    {"/optimizer/decay_rate", "only with adafactor",
     [](const L& l, const M&) { return l.optimizer.kind == "adafactor"; }},
    {"/optimizer/clip_threshold", "only with adafactor",
     [](const L& l, const M&) { return l.optimizer.kind == "adafactor"; }},
    {"/optimizer/clip", "only with a schedule that flushes", [](const L&, const M& m) { return m.flushes; }},

    {"/optimizer/elastic_rho", "only with the exchange easgd",
     [](const L& l, const M&) { return exchangeOf(l.parallel) == Exchange::Elastic; }},

    {"/memory/recompute_every", "only with recompute every",
     [](const L& l, const M&) { return l.memory.recompute == "every"; }},
    {"/memory/activations", "only with the model cnn", [](const L& l, const M&) { return readsImages(l.model); }},
    {"/memory/activations", "only where blocks are not computed again",
     [](const L& l, const M&) { return l.memory.recompute == "none"; }},
    {"/memory/partition_activations", "only with tensor parallelism",
     [](const L& l, const M&) { return l.parallel.tensor > 1; }},
    {"/memory/partition_activations", "only where whole blocks are computed again: recompute full, every or sqrt",
     [](const L& l, const M&) { return l.memory.recompute != "none" && l.memory.recompute != "selective"; }},
    {"/memory/partition_activations", "only without sequence parallelism, which splits these inputs anyway",
     [](const L& l, const M&) { return !l.parallel.sequence; }},

    {"/run/validate_every", "only where some of the data is kept for validation",
     [](const L& l, const M&) { return validates(l); }},
    {"/run/validation_batches", "only where some of the data is kept for validation",
     [](const L& l, const M&) { return validates(l); }},
    {"/run/max_restarts", "only with a schedule that flushes", [](const L&, const M& m) { return m.flushes; }},
    {"/run/max_restarts", "only with the exchange allreduce, server or hogwild",
     [](const L& l, const M&) { return checkpoints(l); }},
    {"/run/min_data", "only with several replicas", [](const L& l, const M&) { return l.parallel.data > 1; }},
    {"/run/min_data", "only with a schedule that flushes", [](const L&, const M& m) { return m.flushes; }},
    {"/run/min_data", "only with the exchange allreduce or server",
     [](const L& l, const M&) { return checkpoints(l) && exchangeOf(l.parallel) != Exchange::Hogwild; }},
    {"/run/keep_last", "only with a size limit", [](const L& l, const M&) { return l.run.sizeLimit > 0; }},
    {"/run/keep_every", "only with a size limit", [](const L& l, const M&) { return l.run.sizeLimit > 0; }},

    {"/checkpoint/every", "only with a schedule that flushes", [](const L&, const M& m) { return m.flushes; }},
    {"/checkpoint/every", "only with the exchange allreduce, server or hogwild",
     [](const L& l, const M&) { return checkpoints(l); }},
    {"/checkpoint/keep", "only with a schedule that flushes", [](const L&, const M& m) { return m.flushes; }},
    {"/checkpoint/keep", "only with the exchange allreduce, server or hogwild",
     [](const L& l, const M&) { return checkpoints(l); }},
    {"/checkpoint/path", "only with a schedule that flushes", [](const L&, const M& m) { return m.flushes; }},
    {"/checkpoint/path", "only with the exchange allreduce, server or hogwild",
     [](const L& l, const M&) { return checkpoints(l); }},
};

}  // namespace

std::string_view withoutEffect(std::string_view pointer, const Layout& layout,
                               std::span<const ScheduleMethod> schedules) {
    const auto method = std::ranges::find(schedules, layout.schedule.kind, &ScheduleMethod::name);
    if (method == schedules.end()) return {};
    for (const Rule& rule : rules)
        if (rule.pointer == pointer && !rule.counts(layout, *method)) return rule.takes;
    return {};
}

}  // namespace shardlab
