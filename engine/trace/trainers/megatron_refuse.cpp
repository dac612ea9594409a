// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/megatron.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/formats.h"
#include "engine/layout/fp8.h"
#include "engine/layout/recompute.h"
#include "engine/trace/trainers/trainer_text.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace shardlab::trace {
namespace {

constexpr std::string_view megatron = "Megatron-LM";

class MegatronRefusals {
public:
    MegatronRefusals(const Layout& layout, std::vector<Fault>& faults) : layout_(layout), faults_(faults) {}

    void all() {
        refuseUnevenHosts(layout_, megatron, faults_);
        refuseExchanges(layout_, megatron, faults_);
        model();
        contextGroup();
        schedule();
        precision();
        optimizer();
        memory();
        run();
    }

private:
    void refuse(std::string pointer, std::string what, std::string why, std::string legal) {
        faults_.push_back({std::move(pointer), std::move(what), std::move(why), std::move(legal)});
    }

    void model() {
        const ModelSpec& m = layout_.model;
        if (!traits(m.kind).attention) {
            refuse("/model/kind", fmt::format("the model {} for pretrain_gpt.py", wordOf(m.kind)),
                   "it trains transformers", "gpt, llama or gpt-moe");
            return;
        }
        const BlockParts parts = blockParts(m);
        if (parts.activation == ActivationKind::GeGlu || parts.activation == ActivationKind::GeGluTanh)
            refuse("/model/activation", fmt::format("{} for Megatron-LM", wordOf(parts.activation)),
                   "its gates are SiLU's (--swiglu) and an approximation of GELU by a sigmoid (--quick-geglu)",
                   "swiglu");
        if (parts.activation == ActivationKind::GeluTanh && !parts.biases)
            refuse("/model/activation", "gelu-tanh without biases for Megatron-LM",
                   "GELU with tanh is that of its kernel which adds a bias too; without one it computes GELU exactly",
                   "gelu; or model.biases all");
        if (parts.queryKeyNorms && !parts.rmsNorm)
            refuse("/model/qk_norm", "RMSNorm of queries and keys beside layer norms for Megatron-LM",
                   "--qk-layernorm takes the norm that the blocks have", "false; or model.norm rms");
        if (parts.alibi)
            refuse("/model/positions", "scores that fall with the distance for Megatron-LM",
                   "--position-embedding-type has learned_absolute and rope", "learned or rotary");
        refuseScores(m, megatron, faults_);
        if (parts.rotary) rotary(m.block.rotary);
        if (hasExperts(m)) experts(m);
        else if (!evenWidth(m))
            refuse("/model/feed_forward", "feed-forward widths that differ between layers for Megatron-LM",
                   "--ffn-hidden-size holds for all layers", fmt::format("[{}]", feedForwardWidth(m, 0)));
    }

    void rotary(const RotarySpec& r) {
        if (r.base != std::floor(r.base) || r.base > std::numeric_limits<int>::max())
            refuse("/model/rope_base", fmt::format("a base of {} for Megatron-LM", numberText(r.base)),
                   "--rotary-base is a whole number",
                   fmt::format("{:.0f}", std::min(std::round(r.base), double(std::numeric_limits<int>::max()))));
        if (r.scaling == RotaryScaling::Yarn)
            refuse("/model/rope_scaling", "yarn for Megatron-LM",
                   "it has yarn with latent attention alone; --use-rope-scaling is that of Llama 3", "none or llama3");
        if (r.scaling != RotaryScaling::Llama3) return;
        const auto fixed = [&](std::string_view pointer, double value, double theirs) {
            if (value != theirs)
                refuse(std::string(pointer), fmt::format("{} for Megatron-LM", numberText(value)),
                       "--use-rope-scaling fixes it as Llama 3 has it; the factor alone can be chosen",
                       numberText(theirs));
        };
        fixed("/model/rope_low", r.low, 1);
        fixed("/model/rope_high", rotaryHigh(r), 4);
        fixed("/model/rope_original", r.original, 8192);
    }

    void experts(const ModelSpec& m) {
        const MoeSpec& e = m.experts;
        for (int layer = 0; layer < m.layers; ++layer)
            if (hasExperts(m, layer) != (layer % 2 == 1)) {
                refuse("/model/kind", fmt::format("the blocks of {} that have experts for Megatron-LM", wordOf(m.kind)),
                       "what is written for it has experts in every second block alone", "gpt-moe");
                break;
            }
        if (e.gate != knownSwitch)
            refuse("/model/gate", fmt::format("the gate {} for Megatron-LM", wordOf(e.gate)),
                   "its router takes a token's highest scores, without noise, draws or groups that add up", "switch");
        if (e.dropout > 0)
            refuse("/model/expert_dropout", fmt::format("{} for Megatron-LM", numberText(e.dropout)),
                   "its experts have no dropout within", "0");
        for (int layer = 2; layer < m.layers; ++layer)
            if (feedForwardWidth(m, layer) != feedForwardWidth(m, layer % 2)) {
                refuse("/model/feed_forward", "feed-forward widths that differ between layers for Megatron-LM",
                       "there is one width without experts, --ffn-hidden-size, and one with, --moe-ffn-hidden-size",
                       fmt::format("{} and {} in turn", feedForwardWidth(m, 0), feedForwardWidth(m, 1)));
                return;
            }
    }

    void contextGroup() {
        const int members = layout_.parallel.context * layout_.parallel.tensor, keys = keyHeads(layout_.model);
        if (exchangesHeads(layout_) && keys % members != 0)
            refuse("/parallel/context_method", fmt::format("ulysses with {} heads of keys for Megatron-LM", keys),
                   "its all-to-all (--cp-comm-type a2a) divides the heads of keys over tensor × context ranks",
                   fmt::format("ring; or a number of heads of keys that {} divides", members));
    }

    void schedule() {
        const ScheduleSpec& s = layout_.schedule;
        if (s.kind != "interleaved-1f1b" && !runsAs(layout_, "1f1b"))
            refuse("/schedule/kind", fmt::format("{} for Megatron-LM", s.kind),
                   "its pipelines run 1F1B with a flush, or interleaved 1F1B",
                   layout_.schedule.chunks > 1 ? "interleaved-1f1b" : "1f1b");
        else if (s.kind == "interleaved-1f1b" && layout_.parallel.pipeline == 1)
            refuse("/schedule/kind", "interleaved-1f1b on one pipeline rank for Megatron-LM",
                   "it interleaves the stages of several ranks", "1f1b; or parallel.pipeline of at least 2");
        else if (s.kind == "interleaved-1f1b" && microbatches(layout_) < layout_.parallel.pipeline)
            refuse("/batch/micro",
                   fmt::format("{} microbatches on {} ranks for Megatron-LM", microbatches(layout_),
                               layout_.parallel.pipeline),
                   "a round of its interleaved schedule has as many microbatches as there are ranks, or more",
                   "smaller microbatches or a larger global batch; or schedule.kind 1f1b");
    }

    void precision() {
        const PrecisionSpec& p = layout_.precision;
        const bool half = p.compute != NumberFormat::Fp32;
        if (half && p.weights != WeightStorage::Master)
            refuse("/precision/weights", fmt::format("{} for Megatron-LM", wordOf(p.weights)),
                   "in 16 bits it keeps weights for the layers and master weights for the optimizer", "master");
        if (p.compute == NumberFormat::Fp16 && p.lossScale == LossScaling::None)
            refuse("/precision/loss_scale", "fp16 without a loss scale for Megatron-LM",
                   "it scales the loss of fp16 always", "dynamic; or static with precision.scale 1");
        if (p.compute == NumberFormat::Bf16 && p.lossScale == LossScaling::Dynamic)
            refuse("/precision/loss_scale", "a dynamic loss scale with bf16 for Megatron-LM",
                   "its dynamic scale belongs to fp16", "none or static; or precision.compute fp16");
        if (!half && roundsProducts(layout_))
            refuse("/precision/products", fmt::format("{} with fp32 for Megatron-LM", wordOf(p.products)),
                   "its products of 8 bits belong to 16-bit training", "compute; or precision.compute bf16");
        if (!half && p.lossScale != LossScaling::None)
            refuse("/precision/loss_scale", "a loss scale with fp32 for Megatron-LM",
                   "it scales the loss of 16-bit training alone", "none");
        if (p.compute == NumberFormat::Fp16 && layout_.parallel.expert > 1)
            refuse("/parallel/expert",
                   fmt::format("experts over {} ranks in fp16 for Megatron-LM", layout_.parallel.expert),
                   "it does not spread experts in fp16", "1; or precision.compute bf16");
    }

    void optimizer() {
        const OptimizerSpec& o = layout_.optimizer;
        if (o.kind != knownAdamW && o.kind != knownSgd)
            refuse("/optimizer/kind", fmt::format("{} for Megatron-LM", wordOf(o.kind)),
                   "of Shardlab's optimizers it has AdamW (--optimizer adam) and sgd", "adamw or sgd");
        if (o.kind == knownSgd && o.momentum > 0 && o.weightDecay > 0)
            refuse("/optimizer/weight_decay", "weight decay beside the momentum of sgd for Megatron-LM",
                   "it adds the decay to the gradient, so that the momentum repeats it", "0; or optimizer.momentum 0");
        if (o.warmup >= layout_.run.steps)
            refuse("/optimizer/warmup",
                   fmt::format("a warm-up of {} in {} steps for Megatron-LM", o.warmup, layout_.run.steps),
                   "its learning rate has to reach the end of the warm-up within the run",
                   fmt::format("at most {}", layout_.run.steps - 1));
    }

    void memory() {
        const MemorySpec& m = layout_.memory;
        if (m.recompute == RecomputeKind::Sqrt) {
            int most = 1;
            for (const int layers : stageLayers(layout_)) most = std::max(most, layers);
            refuse("/memory/recompute", "sqrt for Megatron-LM", "--recompute-num-layers is one number for all stages",
                   fmt::format("every with memory.recompute_every {}", std::max(1L, std::lround(std::sqrt(most)))));
        }
        if (m.recompute == RecomputeKind::Every && m.recomputeBlocks > 0)
            refuse("/memory/recompute_blocks", "segments of several blocks over a part of a stage for Megatron-LM",
                   "--recompute-method block computes single blocks again, uniform all blocks of a stage",
                   "0; or memory.recompute full");
        if (m.recompute == RecomputeKind::Full && m.recomputeBlocks > 0 && partitionsInputs(m, layout_.parallel))
            refuse("/memory/partition_activations", "partitioned inputs of a part of the blocks for Megatron-LM",
                   "it divides saved activations with --recompute-method uniform alone",
                   "false; or memory.recompute_blocks 0");
        if (m.offload == OffloadKind::Optimizer && layout_.parallel.zero == 0)
            refuse("/memory/offload", "the optimizer on the host without ZeRO for Megatron-LM",
                   "--optimizer-cpu-offload needs --use-distributed-optimizer", "none; or parallel.zero of at least 1");
        if (m.offload == OffloadKind::Optimizer && layout_.optimizer.kind == knownSgd)
            refuse("/memory/offload", "the state of sgd on the host for Megatron-LM",
                   "the optimizer that it offloads is Adam", "none; or optimizer.kind adamw");
    }

    void run() {
        const std::int64_t seed = layout_.run.seed;
        if (seed < 1 || seed > std::numeric_limits<std::int32_t>::max())
            refuse("/run/seed", fmt::format("{} for Megatron-LM", seed), "its seeds are positive numbers of 31 bits",
                   fmt::format("1 to {}", std::numeric_limits<std::int32_t>::max()));
        if (layout_.data.kind == DataKind::Tokens && !layout_.data.path.ends_with(".bin"))
            refuse("/data/path", "several files of tokens for Megatron-LM",
                   "--data-path names one file by its name without .bin, and its .idx beside it", "one .bin file");
    }

    const Layout& layout_;
    std::vector<Fault>& faults_;
};

}  // namespace

void refuseForMegatron(const Layout& layout, std::vector<Fault>& faults) { MegatronRefusals(layout, faults).all(); }

int interleavedRound(const Layout& layout) {
    const int m = microbatches(layout);
    return m / std::max(1, m / std::max(1, layout.parallel.pipeline));
}

std::int64_t paddedVocabulary(std::int64_t vocabulary, std::int64_t divisor, std::int64_t tensor) {
    const std::int64_t multiple = std::max<std::int64_t>(1, divisor * tensor);
    return (vocabulary + multiple - 1) / multiple * multiple;
}

}  // namespace shardlab::trace
