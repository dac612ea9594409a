// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/field_effect.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/fp8.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/recompute.h"
#include "engine/layout/stacks.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace shardlab::layout {
namespace {

using L = Layout;
using M = ScheduleMethod;

bool readsText(const L& l) { return l.data.kind != DataKind::Tokens && !readsImages(l.model); }
/// A folder of tokens may bring windows for validation of its own.
bool validates(const L& l) { return l.data.validation > 0 || l.data.kind == DataKind::Tokens; }
bool leavesTheMachine(const L& l) {
    return std::ranges::any_of(
        l.cluster.hosts, [](const HostSpec& host) { return host.name != "localhost" && host.name != "127.0.0.1"; });
}

bool averages(const L& l) { return l.parallel.exchange == Exchange::AllReduce; }

bool stepsTogether(const L& l) { return averages(l) || l.parallel.exchange == Exchange::Server; }

struct Rule {
    std::vector<std::string_view> pointers;
    std::string_view takes;
    bool (*counts)(const L&, const M&);  ///< the fields have an effect
};

// A field may stand in several rules: the first that fails says why.
const Rule rules[] = {
    {{"/model/heads"},
     "only with attention: mlp and cnn have none",
     [](const L& l, const M&) { return hasAttention(l.model); }},
    {{"/model/sequence", "/model/vocabulary", "/memory/loss_pieces"},
     "only where samples are text: those of cnn are images",
     [](const L& l, const M&) { return !readsImages(l.model); }},
    {{"/model/dropout"},
     "only in transformers: cnn drops nothing",
     [](const L& l, const M&) { return !readsImages(l.model); }},
    {{"/model/feed_forward"},
     "only in transformers: cnn has no feed-forward blocks",
     [](const L& l, const M&) { return !readsImages(l.model); }},
    {{"/model/image", "/model/channels", "/model/convolutions", "/model/classes", "/memory/activations"},
     "only with the model cnn",
     [](const L& l, const M&) { return readsImages(l.model); }},
    {{"/model/head_width", "/model/norm", "/model/norm_epsilon", "/model/positions", "/model/biases",
      "/model/activation", "/model/output", "/model/window", "/model/full_every", "/model/sinks",
      "/model/attention_cap", "/model/logit_cap", "/model/swiglu_limit", "/model/swiglu_alpha",
      "/model/predicted_tokens", "/model/predicted_tokens_weight"},
     "only with the models gpt, llama and llama-moe",
     [](const L& l, const M&) { return choosesParts(l.model); }},
    {{"/model/predicted_tokens_weight"},
     "only where tokens are predicted ahead: with a model.predicted_tokens above 0",
     [](const L& l, const M&) { return predictionModules(l.model) > 0; }},
    {{"/model/kv_heads", "/model/qk_norm", "/model/kv_rank", "/model/q_rank", "/model/rope_width", "/model/value_width",
      "/model/rope_base", "/model/rope_scaling", "/model/rope_factor", "/model/rope_low", "/model/rope_high",
      "/model/rope_original", "/model/rope_truncate"},
     "only with rotary positions, as llama has them",
     [](const L& l, const M&) { return blockParts(l.model).rotary; }},
    {{"/model/q_rank", "/model/rope_width", "/model/value_width"},
     "only with latent attention: with a model.kv_rank above 0",
     [](const L& l, const M&) { return blockParts(l.model).latent; }},
    {{"/model/kv_heads"},
     "only without latent attention, whose heads have keys of their own",
     [](const L& l, const M&) { return !blockParts(l.model).latent; }},
    {{"/model/full_every"},
     "only with a window that is shorter than the sequence",
     [](const L& l, const M&) { return l.model.block.window > 0 && l.model.block.window < l.model.sequence; }},
    {{"/model/rope_factor", "/model/rope_low", "/model/rope_high", "/model/rope_original"},
     "only with the RoPE scaling llama3 or yarn",
     [](const L& l, const M&) { return l.model.block.rotary.scaling != RotaryScaling::None; }},
    {{"/model/rope_truncate"},
     "only with the RoPE scaling yarn",
     [](const L& l, const M&) { return l.model.block.rotary.scaling == RotaryScaling::Yarn; }},
    {{"/model/swiglu_limit", "/model/swiglu_alpha"},
     "only with the activation swiglu-clamped",
     [](const L& l, const M&) { return blockParts(l.model).activation == ActivationKind::ClampedSwiGlu; }},
    {{"/model/experts", "/model/gate", "/model/top_k", "/model/expert_groups", "/model/top_groups",
      "/model/token_experts", "/model/entropy", "/model/capacity", "/model/balance", "/model/expert_dropout",
      "/model/experts_every", "/model/dense_layers", "/model/expert_width", "/model/shared_experts",
      "/model/route_scale", "/model/bias_rate", "/model/score_bias"},
     "only with the models gpt-moe and llama-moe",
     [](const L& l, const M&) { return hasExperts(l.model); }},
    {{"/model/top_k"},
     "only with gates that choose several experts",
     [](const L& l, const M&) { return traits(l.model.experts.gate).takesTopK; }},
    {{"/model/route_scale", "/model/bias_rate"},
     "only with the gates sigmoid-top-k and sigmoid-in-groups",
     [](const L& l, const M&) { return traits(l.model.experts.gate).scales; }},
    {{"/model/expert_groups", "/model/top_groups"},
     "only with the gates hierarchical and sigmoid-in-groups",
     [](const L& l, const M&) { return hasGroups(l.model) || choosesInGroups(l.model); }},
    {{"/model/token_experts", "/model/entropy"},
     "only with the gate capped-expert-choice",
     [](const L& l, const M&) { return capsTokens(l.model); }},
    {{"/model/balance"},
     "only where tokens choose: experts that choose are full",
     [](const L& l, const M&) { return !expertsChoose(l.model); }},

    {{"/data/path"},
     "only with data of kind text, jsonl or tokens",
     [](const L& l, const M&) { return l.data.kind != DataKind::Generator; }},
    {{"/data/text_field"},
     "only with data of kind jsonl",
     [](const L& l, const M&) { return l.data.kind == DataKind::JsonLines; }},
    {{"/data/documents"},
     "only with data of kind jsonl or tokens: what others read has no documents",
     [](const L& l, const M&) { return l.data.kind == DataKind::JsonLines || l.data.kind == DataKind::Tokens; }},
    {{"/data/tokenizer", "/data/tokenizer_path"},
     "only where text is read, not tokens or images",
     [](const L& l, const M&) { return readsText(l); }},
    {{"/data/tokenizer_path"},
     "only with the tokenizers gpt2 and tokenizer.json",
     [](const L& l, const M&) { return readsTokenizer(l); }},

    {{"/cluster/agent", "/cluster/network"},
     "only with hosts other than this machine",
     [](const L& l, const M&) { return leavesTheMachine(l); }},

    {{"/parallel/sequence", "/memory/partition_activations"},
     "only with tensor parallelism",
     [](const L& l, const M&) { return l.parallel.tensor > 1; }},
    {{"/parallel/context_method"},
     "only with a context group, and attention in it",
     [](const L& l, const M&) { return l.parallel.context > 1 && hasAttention(l.model); }},
    {{"/parallel/expert_tensor"},
     "only with experts in a tensor group",
     [](const L& l, const M&) { return hasExperts(l.model) && l.parallel.tensor > 1; }},
    {{"/parallel/shard"},
     "only with ZeRO and several data ranks",
     [](const L& l, const M&) { return l.parallel.zero > 0 && l.parallel.data > 1; }},
    {{"/parallel/partition"}, "only with ZeRO 3", [](const L& l, const M&) { return l.parallel.zero == 3; }},
    {{"/parallel/exchange"},
     "only with several replicas, or on one rank",
     [](const L& l, const M&) { return l.parallel.data > 1 || rankCount(l) == 1; }},
    {{"/parallel/zero"},
     "only with several replicas, or with parameters on the host",
     [](const L& l, const M&) { return replicaCount(l.parallel) > 1 || offloadsParameters(l.memory); }},
    {{"/parallel/bucket", "/parallel/all_reduce"},
     "only with several replicas",
     [](const L& l, const M&) { return replicaCount(l.parallel) > 1; }},
    {{"/parallel/bucket", "/parallel/all_reduce"},
     "only with the exchange allreduce, or with easgd in context groups",
     [](const L& l, const M&) {
         return averages(l) || (l.parallel.exchange == Exchange::Elastic && l.parallel.context > 1);
     }},
    {{"/parallel/bucket"},
     "only with ZeRO 0 or 1: 2 and 3 go layer by layer",
     [](const L& l, const M&) { return l.parallel.zero < 2; }},
    {{"/parallel/all_reduce"},
     "only with the partition flat: whole layers have one owner each",
     [](const L& l, const M&) { return l.parallel.partition == PartitionKind::Flat; }},
    {{"/parallel/zero"}, "only with a schedule that flushes", [](const L&, const M& m) { return m.flushes; }},
    {{"/parallel/zero"}, "only with the exchange allreduce", [](const L& l, const M&) { return averages(l); }},

    {{"/schedule/chunks"},
     "only with schedules of several chunks: this one fixes them",
     [](const L&, const M& m) { return m.minChunks != m.maxChunks; }},
    {{"/schedule/in_flight"},
     "only with schedules that take a limit: zb-greedy",
     [](const L&, const M& m) { return m.takesLimit; }},
    {{"/schedule/actions"}, "only with the schedule custom", [](const L&, const M& m) { return m.byHand; }},
    {{"/schedule/vertical_sync"},
     "only with the schedule pipedream",
     [](const L&, const M& m) { return m.takesVerticalSync; }},

    {{"/precision/exchange"},
     "only with several replicas",
     [](const L& l, const M&) { return replicaCount(l.parallel) > 1; }},
    {{"/precision/exchange"}, "only with the exchange allreduce", [](const L& l, const M&) { return averages(l); }},
    {{"/precision/weights", "/precision/gradients"},
     "only with fp16 or bf16",
     [](const L& l, const M&) { return l.precision.compute != NumberFormat::Fp32; }},
    {{"/precision/gradients"},
     "only with weights in 16 bits: gradients of fp32 weights are fp32",
     [](const L& l, const M&) { return l.precision.weights != WeightStorage::Fp32; }},
    {{"/precision/products"},
     "only with models whose blocks have linear layers",
     [](const L& l, const M&) { return !readsImages(l.model); }},
    {{"/precision/scaling"},
     "only with products in fp8, whose tensors have a scale each",
     [](const L& l, const M&) { return roundsProducts(l) && scalesTensors(l.precision.products); }},
    {{"/precision/amax_history", "/precision/margin"},
     "only with products in fp8 and delayed scaling",
     [](const L& l, const M&) { return roundsProducts(l) && delaysScales(l.precision); }},
    {{"/precision/scale"},
     "only with a static or dynamic loss scale",
     [](const L& l, const M&) { return l.precision.lossScale != LossScaling::None; }},
    {{"/precision/scale_window"},
     "only with a dynamic loss scale",
     [](const L& l, const M&) { return l.precision.lossScale == LossScaling::Dynamic; }},

    {{"/optimizer/minimum"},
     "only where the learning rate falls",
     [](const L& l, const M&) { return l.optimizer.schedule != RateSchedule::Constant; }},
    {{"/optimizer/clip"}, "only with a schedule that flushes", [](const L&, const M& m) { return m.flushes; }},
    {{"/optimizer/elastic_rho"},
     "only with the exchange easgd",
     [](const L& l, const M&) { return l.parallel.exchange == Exchange::Elastic; }},

    {{"/schedule/count_ends"},
     "only with several stages, none of which is listed in schedule.stages",
     [](const L& l, const M&) { return stageCount(l) > 1 && l.schedule.stages.empty(); }},
    {{"/memory/recompute_every"},
     "only with recompute every",
     [](const L& l, const M&) { return l.memory.recompute == RecomputeKind::Every; }},
    {{"/memory/recompute_parts"},
     "only with recompute parts",
     [](const L& l, const M&) { return l.memory.recompute == RecomputeKind::Parts; }},
    {{"/memory/activations"},
     "only where blocks are not computed again",
     [](const L& l, const M&) { return l.memory.recompute == RecomputeKind::None; }},
    {{"/memory/recompute_blocks", "/memory/partition_activations"},
     "only where whole blocks, their second halves or operations between are computed again: recompute full, every, "
     "sqrt, mlp or operations, or parts with feed-forward or experts",
     [](const L& l, const M&) { return hasSegments(l.memory); }},
    {{"/memory/partition_activations"},
     "only without sequence parallelism, which splits these inputs anyway",
     [](const L& l, const M&) { return !l.parallel.sequence; }},
    {{"/memory/partition_activations"},
     "only where segments keep nothing but their inputs: not with recompute operations",
     [](const L& l, const M&) { return !recomputesOperations(l.memory); }},

    {{"/run/validate_every", "/run/validation_batches"},
     "only where some of the data is kept for validation",
     [](const L& l, const M&) { return validates(l); }},
    {{"/run/min_data"}, "only with several replicas", [](const L& l, const M&) { return l.parallel.data > 1; }},
    {{"/run/min_data"}, "only with a schedule that flushes", [](const L&, const M& m) { return m.flushes; }},
    {{"/checkpoint/first"},
     "only with steps between checkpoints",
     [](const L& l, const M&) { return l.checkpoint.every > 0; }},
    {{"/run/max_restarts", "/checkpoint/every", "/checkpoint/keep", "/checkpoint/first", "/checkpoint/path"},
     "only with the exchange allreduce, server, easgd or hogwild",
     [](const L& l, const M&) { return l.parallel.exchange != Exchange::AsyncServer; }},
    {{"/run/min_data"},
     "only with the exchange allreduce or server",
     [](const L& l, const M&) { return stepsTogether(l); }},
    {{"/run/keep_last", "/run/keep_every"},
     "only with a size limit",
     [](const L& l, const M&) { return l.run.sizeLimit > 0; }},
};

/// What the fields take that have an effect with some optimizers alone: "only with sgd or sm3".
const std::map<std::string_view, std::string>& optimizerRules() {
    static const auto all = [] {
        std::map<std::string_view, std::string> fields;
        for (const OptimizerTraits& each : optimizerTraits)
            for (const std::string_view field : each.fields)
                fields[field] = "only with " + wordsWhere(optimizerTraits, [&](const OptimizerTraits& optimizer) {
                                                   return optimizer.takes(field);
                                               }).english();
        return fields;
    }();
    return all;
}

}  // namespace

std::string_view withoutEffect(std::string_view pointer, const Layout& layout,
                               std::span<const ScheduleMethod> schedules) {
    const ScheduleMethod* method = methodNamed(layout.schedule.kind, schedules);
    if (method == nullptr) return {};
    if (const auto rule = optimizerRules().find(pointer); rule != optimizerRules().end())
        if (!traits(layout.optimizer.kind).takes(pointer)) return rule->second;
    for (const Rule& rule : rules)
        if (std::ranges::find(rule.pointers, pointer) != rule.pointers.end() && !rule.counts(layout, *method))
            return rule.takes;
    return {};
}

std::vector<std::string_view> effectAnswers() {
    std::vector<std::string_view> answers;
    for (const auto& [pointer, takes] : optimizerRules()) answers.push_back(takes);
    for (const Rule& rule : rules) answers.push_back(rule.takes);
    return answers;
}

}  // namespace shardlab::layout
