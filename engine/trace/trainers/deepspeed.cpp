// SPDX-License-Identifier: Apache-2.0
// The JSON of DeepSpeed (deepspeed/runtime/config.py of 0.19). It says nothing of the model, which is Python: a text
// beside it says what the model and the script have to do.
#include "engine/trace/trainers/deepspeed.h"

#include "engine/layout/recompute.h"
#include "engine/trace/trainers/model_text.h"
#include "engine/trace/trainers/sbatch_script.h"
#include "engine/trace/trainers/shell_words.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardlab::trace {
namespace {

using DeepSpeedJson = nlohmann::ordered_json;
constexpr std::string_view deepSpeed = "DeepSpeed";

class DeepSpeedRefusals {
public:
    DeepSpeedRefusals(const Layout& layout, std::vector<Fault>& faults) : layout_(layout), faults_(faults) {}

    void all() {
        refuseUnevenHosts(layout_, deepSpeed, faults_);
        refuseExchanges(layout_, deepSpeed, faults_);
        stages();
        groups();
        precision();
        optimizer();
        memory();
    }

private:
    void refuse(std::string pointer, const Sentence& what, const Sentence& why, const Instead& legal) {
        refuseField(faults_, deepSpeed, std::move(pointer), what, why, legal);
    }

    void stages() {
        if (!runsAs(layout_, "1f1b"))
            refuse("/schedule/kind", layout_.schedule.kind, say("its pipelines run 1F1B with a flush"), "1f1b");
        const std::vector<int> split = stageLayers(layout_);
        if (std::ranges::any_of(split, [&](int layers) { return layers != split.front(); }))
            refuse(layout_.schedule.stages.empty() ? "/schedule/count_ends" : "/schedule/stages",
                   say("stages of different length"), say("PipelineModule balances stages by a rule, not by a list"),
                   layout_.schedule.stages.empty() ? Instead("false") : Instead{say("[], an even split"), {"[]"}});
    }

    void groups() {
        const ParallelSpec& p = layout_.parallel;
        if (p.pipeline > 1 && p.zero > 1)
            refuse("/parallel/zero", say("ZeRO {} with a pipeline", p.zero),
                   say("its pipelines accumulate whole gradients"),
                   {say("0 or 1; or parallel.pipeline 1"), {"0", "1"}});
        if (p.pipeline > 1 && p.tensor > 1)
            refuse("/parallel/tensor", say("tensor parallelism within a pipeline"),
                   say("it divides the layers of whole models only (tensor_parallel.autotp_size)"),
                   {say("1; or parallel.pipeline 1"), {"1"}});
        if (p.tensor > 1 && p.zero == 3)
            refuse("/parallel/zero", say("ZeRO 3 with tensor parallelism"),
                   say("its tensor parallelism goes with ZeRO 0 to 2"), "2");
        if (p.context > 1 && !exchangesHeads(layout_))
            refuse("/parallel/context_method", say("a ring of {} ranks", p.context),
                   say("it exchanges tokens for heads (sequence_parallel_size)"),
                   {say("ulysses; or parallel.context 1"), {"ulysses"}});
        if (p.context > 1 && p.pipeline * p.tensor > 1)
            refuse("/parallel/context", say("a context group of {} ranks beside pipeline or tensor ranks", p.context),
                   say("the mesh of its sequence_parallel_size has two axes, this one and data"),
                   {say("1; or parallel.pipeline 1 and parallel.tensor 1"), {"1"}});
        refuseSequence(p, deepSpeed, faults_);
    }

    void precision() {
        const PrecisionSpec& precision = layout_.precision;
        const bool half = precision.compute != NumberFormat::Fp32;
        if (half && precision.weights == WeightStorage::Alone)
            refuse("/precision/weights", say("weights in 16 bits alone"), say("its optimizers update fp32 weights"),
                   {say("master; or fp32, which is torch_autocast"), {"master"}});
        const bool scaler = precision.compute == NumberFormat::Fp16 && precision.weights == WeightStorage::Master;
        if (scaler && precision.lossScale == LossScaling::None)
            refuse("/precision/loss_scale", say("fp16 without a loss scale"), say("0 stands for a dynamic scale there"),
                   {say("dynamic; or static with precision.scale 1"), {"dynamic"}});
        if (!scaler && precision.lossScale != LossScaling::None)
            refuse("/precision/loss_scale", say("a loss scale with {}", wordOf(precision.compute)),
                   say("its loss scale belongs to fp16 with master weights"), "none");
        const double power = std::log2(precision.scale);
        if (scaler && precision.lossScale == LossScaling::Dynamic && (power != std::floor(power) || power < 0))
            refuse("/precision/scale", say("a dynamic scale that begins with {}", numberText(precision.scale)),
                   say("initial_scale_power is a whole power of 2"),
                   numberText(std::exp2(std::max(0.0, std::round(power)))));
    }

    void optimizer() {
        const OptimizerSpec& o = layout_.optimizer;
        if (o.kind != knownAdamW && o.kind != knownSgd)
            refuse("/optimizer/kind", std::string(wordOf(o.kind)), say("of Shardlab's optimizers it has AdamW and SGD"),
                   {"adamw", "sgd"});
        refuseDecayWithMomentum(o, deepSpeed, faults_);
        const bool falls = o.schedule != RateSchedule::Constant;
        if (o.warmup == 1 || (falls && o.warmup == 0))
            refuse("/optimizer/warmup", say("a warm-up of {} steps", o.warmup),
                   say("its warm-ups have two steps at least"),
                   falls ? Instead{say("2 or more"), {"2"}} : Instead{say("0, or 2 or more"), {"0", "2"}});
        if (o.schedule == RateSchedule::Linear && o.minimum > 0)
            refuse("/optimizer/minimum", say("a linear fall to {}", numberText(o.minimum)),
                   say("WarmupDecayLR falls to 0"), {say("0; or optimizer.schedule cosine"), {"0"}});
    }

    void memory() {
        const MemorySpec& m = layout_.memory;
        if (m.recompute != RecomputeKind::None && m.recompute != RecomputeKind::Full &&
            m.recompute != RecomputeKind::Every)
            refuse("/memory/recompute", std::string(wordOf(m.recompute)),
                   say("activation_checkpoint_interval is one number of blocks"), {"none", "full", "every"});
        else if (m.recompute != RecomputeKind::None && m.recomputeBlocks > 0)
            refuse("/memory/recompute_blocks", say("recomputation of a part of each stage"),
                   say("activation_checkpoint_interval holds for all blocks"), "0");
        if (m.offload == OffloadKind::Optimizer && layout_.parallel.zero == 0)
            refuse("/memory/offload", say("the optimizer on the host without ZeRO"),
                   say("offload_optimizer is a part of ZeRO"), {say("none; or parallel.zero of at least 1"), {"none"}});
    }

    const Layout& layout_;
    std::vector<Fault>& faults_;
};

void refuseForDeepSpeed(const Layout& layout, std::vector<Fault>& faults) { DeepSpeedRefusals(layout, faults).all(); }

DeepSpeedJson deepSpeedScheduler(const Layout& layout) {
    const OptimizerSpec& o = layout.optimizer;
    DeepSpeedJson parameters;
    if (o.schedule != RateSchedule::Constant) parameters["total_num_steps"] = layout.run.steps;
    if (o.schedule == RateSchedule::Cosine) {
        parameters["warmup_min_ratio"] = 0.0;
        parameters["cos_min_ratio"] = o.minimum / o.learningRate;
    } else {
        parameters["warmup_min_lr"] = 0.0;
        parameters["warmup_max_lr"] = o.learningRate;
    }
    parameters["warmup_num_steps"] = o.warmup;
    parameters["warmup_type"] = "linear";
    const char* type = o.schedule == RateSchedule::Cosine   ? "WarmupCosineLR"
                       : o.schedule == RateSchedule::Linear ? "WarmupDecayLR"
                                                            : "WarmupLR";
    return {{"type", type}, {"params", parameters}};
}

void addDeepSpeedFormats(const PrecisionSpec& p, DeepSpeedJson& json) {
    if (p.compute == NumberFormat::Fp32) return;
    const bool fp16 = p.compute == NumberFormat::Fp16;
    if (p.weights == WeightStorage::Fp32) {
        json["torch_autocast"] = {{"enabled", true}, {"dtype", fp16 ? "float16" : "bfloat16"}};
        return;
    }
    DeepSpeedJson format{{"enabled", true}};
    if (fp16 && p.lossScale == LossScaling::Static) format["loss_scale"] = p.scale;
    if (fp16 && p.lossScale == LossScaling::Dynamic) {
        format["loss_scale"] = 0;
        format["initial_scale_power"] = static_cast<int>(std::log2(p.scale));
        format["loss_scale_window"] = p.scaleWindow;
        format["hysteresis"] = 1;
    }
    json[fp16 ? "fp16" : "bf16"] = std::move(format);
    json["data_types"] = {{"grad_accum_dtype", p.gradients == GradientFormat::Fp32 ? "fp32" : fp16 ? "fp16" : "bf16"}};
}

DeepSpeedJson deepSpeedZero(const Layout& layout) {
    const ParallelSpec& p = layout.parallel;
    const MemorySpec& m = layout.memory;
    DeepSpeedJson zero{{"stage", p.zero}};
    if (p.zero == 1) {
        zero["overlap_comm"] = p.bucket > 0;
        if (p.bucket > 0) zero["reduce_bucket_size"] = std::llround(p.bucket * 1e6 / gradientBytes(layout.precision));
    }
    const DeepSpeedJson onHost{{"device", "cpu"}, {"pin_memory", true}};
    if (offloadsOptimizer(m)) zero["offload_optimizer"] = onHost;
    if (offloadsParameters(m)) zero["offload_param"] = onHost;
    return zero;
}

DeepSpeedJson deepSpeedOptimizer(const OptimizerSpec& o) {
    DeepSpeedJson parameters{{"lr", o.learningRate}};
    if (o.kind == knownSgd) {
        parameters["momentum"] = o.momentum;
    } else {
        parameters["betas"] = o.adamw.betas;
        parameters["eps"] = o.adamw.epsilon;
    }
    parameters["weight_decay"] = o.weightDecay;
    return {{"type", o.kind == knownSgd ? "SGD" : "AdamW"}, {"params", parameters}};
}

/// What the model and the script have to do.
std::string deepSpeedText(const Layout& layout) {
    const ParallelSpec& p = layout.parallel;
    std::string text = modelText(layout, deepSpeed);
    text += fmt::format(
        "\nHow it is started\n  deepspeed --num_nodes {} --num_gpus {} train.py --deepspeed_config THIS-JSON\n",
        layout.cluster.hosts.size(), layout.cluster.hosts.front().devices);
    text += "  weight_decay of biases and norms is 0 in a layout: give model_parameters in two groups.\n";
    if (p.pipeline > 1)
        text += fmt::format(
            "  The model is a deepspeed.pipe.PipelineModule(num_stages={}, partition_method=\"type:BLOCK\"), BLOCK "
            "the class of a block; pipeline.stages in the JSON says the same.\n",
            p.pipeline);
    if (layout.memory.recompute != RecomputeKind::None)
        text += "  pipeline.activation_checkpoint_interval is what PipelineModule is to be given as "
                "activation_checkpoint_interval; "
                "another model calls deepspeed.checkpointing.checkpoint so often itself.\n";
    if (p.context > 1)
        text += fmt::format(
            "  Each of {} ranks feeds the model its own tokens of every sample, and each attention is wrapped in a "
            "deepspeed.sequence.layer.DistributedAttention.\n",
            p.context);
    if (hasExperts(layout.model))
        text += fmt::format(
            "  Every second feed-forward block is a deepspeed.moe.layer.MoE(hidden_size={}, num_experts={}, "
            "ep_size={}, k=1, capacity_factor={}).\n",
            layout.model.hidden, layout.model.experts.count, p.expert, numberText(layout.model.experts.capacity));
    return text;
}

std::string startDeepSpeed(const Layout& layout, const std::string& file) {
    return torchrunMeeting(torchrunOf(layout), trainScript() + " --deepspeed_config " + shellQuoted(file));
}

ExportedLayout writeDeepSpeed(const Layout& layout, const TrainerOptions& options,
                              const std::vector<Sentence>& leftOut) {
    const ParallelSpec& p = layout.parallel;
    const OptimizerSpec& o = layout.optimizer;
    const MemorySpec& m = layout.memory;
    std::vector<Sentence> ours;
    DeepSpeedJson json{{"train_batch_size", layout.batch.global},
                       {"train_micro_batch_size_per_gpu", layout.batch.micro},
                       {"gradient_accumulation_steps", microbatches(layout)},
                       {"gradient_clipping", o.clip}};
    addDeepSpeedFormats(layout.precision, json);
    if (p.zero > 0) {
        json["zero_optimization"] = deepSpeedZero(layout);
        if (o.kind == knownSgd) json["zero_allow_untested_optimizer"] = true;
    } else if (p.data > 1 && p.bucket > 0) {
        ours.push_back(say("parallel.bucket: without ZeRO DeepSpeed reduces gradients after the backward"));
    }
    json["optimizer"] = deepSpeedOptimizer(o);
    if (o.warmup > 0) json["scheduler"] = deepSpeedScheduler(layout);
    if (o.schedule == RateSchedule::Constant)
        ours.push_back(say("run.steps is {}; the script counts steps", layout.run.steps));
    DeepSpeedJson pipeline;
    if (p.pipeline > 1) pipeline["stages"] = p.pipeline;
    if (m.recompute != RecomputeKind::None)
        pipeline["activation_checkpoint_interval"] = m.recompute == RecomputeKind::Every ? m.recomputeEvery : 1;
    if (!pipeline.is_null()) json["pipeline"] = std::move(pipeline);
    if (partitionsInputs(m, p)) json["activation_checkpointing"] = {{"partition_activations", true}};
    if (p.tensor > 1) json["tensor_parallel"] = {{"autotp_size", p.tensor}};
    if (p.context > 1) {
        json["data_parallel_size"] = p.data;
        json["sequence_parallel_size"] = p.context;
    }

    ExportedLayout made{json.dump(2) + "\n", {}, std::move(ours)};
    addModelFiles(made, layout, options.stem, deepSpeedText(layout), leftOut);
    return made;
}

}  // namespace

TrainerTarget deepspeedTarget() {
    static constexpr std::string_view says[] = {"/cluster/hosts",
                                                "/parallel/data",
                                                "/parallel/pipeline",
                                                "/parallel/tensor",
                                                "/parallel/context",
                                                "/parallel/context_method",
                                                "/parallel/sequence",
                                                "/parallel/zero",
                                                "/parallel/partition",
                                                "/parallel/bucket",
                                                "/parallel/exchange",
                                                "/precision/exchange",
                                                "/schedule/kind",
                                                "/schedule/stages",
                                                "/schedule/count_ends",
                                                "/batch/global",
                                                "/batch/micro",
                                                "/precision/compute",
                                                "/precision/weights",
                                                "/precision/gradients",
                                                "/precision/loss_scale",
                                                "/precision/scale",
                                                "/precision/scale_window",
                                                "/optimizer/kind",
                                                "/optimizer/learning_rate",
                                                "/optimizer/warmup",
                                                "/optimizer/schedule",
                                                "/optimizer/minimum",
                                                "/optimizer/betas",
                                                "/optimizer/epsilon",
                                                "/optimizer/momentum",
                                                "/optimizer/weight_decay",
                                                "/optimizer/clip",
                                                "/memory/recompute",
                                                "/memory/recompute_every",
                                                "/memory/recompute_blocks",
                                                "/memory/partition_activations",
                                                "/memory/offload",
                                                "/run/steps"};
    static constexpr std::string_view leaves[] = {"/model", "/run", "/checkpoint", "/parallel/expert"};
    return {.name = "deepspeed",
            .program = "DeepSpeed",
            .description = "a JSON, and beside it what DeepSpeed expects of the model",
            .extension = ".deepspeed.json",
            .says = says,
            .leaves = leaves,
            .refuse = refuseForDeepSpeed,
            .write = writeDeepSpeed,
            .start = startDeepSpeed,
            .recognises = looksLikeDeepSpeed,
            .read = readDeepSpeed};
}

}  // namespace shardlab::trace
