// SPDX-License-Identifier: Apache-2.0
// The YAML that accelerate launch --config_file reads (accelerate/commands/config of 1.15). It says how processes are
// started and how FSDP or DeepSpeed divides a model; batch, optimizer and model are those of the script.
#include "engine/layout/mesh/copies.h"
#include "engine/trace/trainers/model_text.h"
#include "engine/trace/trainers/sbatch_script.h"
#include "engine/trace/trainers/shell_words.h"
#include "engine/trace/trainers/trainer_target.h"
#include "engine/trace/trainers/trainer_text.h"

#include <fmt/format.h>

namespace shardlab::trace {
namespace {

constexpr std::string_view accelerate = "accelerate";

enum class AccelerateKind { One, Replicas, Fsdp, DeepSpeed };

AccelerateKind accelerateKind(const Layout& layout) {
    if (layout.parallel.zero == 1 || layout.memory.offload == OffloadKind::Optimizer) return AccelerateKind::DeepSpeed;
    if (layout.parallel.zero >= 2) return AccelerateKind::Fsdp;
    return layout.parallel.data > 1 ? AccelerateKind::Replicas : AccelerateKind::One;
}

void refuseForAccelerate(const Layout& layout, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    const PrecisionSpec& precision = layout.precision;
    const AccelerateKind kind = accelerateKind(layout);
    const auto refuse = [&](std::string pointer, const Sentence& what, const Sentence& why, const Instead& legal) {
        refuseField(faults, accelerate, std::move(pointer), what, why, legal);
    };
    refuseUnevenHosts(layout, accelerate, faults);
    refuseExchanges(layout, accelerate, faults);
    if (p.pipeline > 1)
        refuse("/parallel/pipeline", say("a pipeline of {} ranks", p.pipeline),
               say("it divides a model over replicas, tensor ranks and context ranks"), "1");
    else if (!runsAs(layout, "1f1b"))
        refuse("/schedule/kind", layout.schedule.kind, say("it takes one microbatch after the other"), "1f1b");
    if (p.tensor > 1 && kind != AccelerateKind::Fsdp)
        refuse("/parallel/tensor", say("a tensor group of {} ranks without FSDP", p.tensor),
               say("its tensor ranks go with FSDP2 alone"), {say("1; or parallel.zero 2 or 3"), {"1"}});
    if (p.context > 1 && kind != AccelerateKind::Fsdp)
        refuse("/parallel/context", say("a context group of {} ranks without FSDP", p.context),
               say("its context ranks go with FSDP2 alone"), {say("1; or parallel.zero 2 or 3"), {"1"}});
    refuseSequence(p, accelerate, faults);
    const bool half = precision.compute != NumberFormat::Fp32;
    const bool autocast = kind == AccelerateKind::One || kind == AccelerateKind::Replicas;
    const WeightStorage wanted = autocast ? WeightStorage::Fp32 : WeightStorage::Master;
    if (half && precision.weights != wanted)
        refuse("/precision/weights", say("{} with ZeRO {}", wordOf(precision.weights), p.zero),
               autocast ? say("without ZeRO weights are fp32 and autocast rounds them for each product")
                        : say("the layers read fp32 weights that were rounded to 16 bits"),
               std::string(wordOf(wanted)));
    else if (half && kind == AccelerateKind::Fsdp && precision.gradients == GradientFormat::Fp32)
        refuse("/precision/gradients", say("gradients in fp32 with FSDP"),
               say("its mixed_precision reduces in 16 bits"), "compute");
    const bool fp16 = precision.compute == NumberFormat::Fp16;
    if (precision.lossScale != (fp16 ? LossScaling::Dynamic : LossScaling::None))
        refuse("/precision/loss_scale", say("{} with {}", wordOf(precision.lossScale), wordOf(precision.compute)),
               say("it scales the loss of fp16 dynamically, and no other"), fp16 ? "dynamic" : "none");
    const RecomputeKind recompute = layout.memory.recompute;
    if (recompute != RecomputeKind::None && recompute != RecomputeKind::Full)
        refuse("/memory/recompute", std::string(wordOf(recompute)), say("it computes whole blocks again"),
               {"none", "full"});
    if (recompute == RecomputeKind::Full && layout.memory.recomputeBlocks > 0)
        refuse("/memory/recompute_blocks", say("recomputation of some blocks"), say("it computes all blocks again"),
               "0");
    if (kind == AccelerateKind::DeepSpeed && copyCount(p) > 1)
        refuse("/parallel/shard", say("{} copies without FSDP", copyCount(p)),
               say("several copies go with FSDP2 alone"),
               {say("0; or parallel.zero 2 or 3, with memory.offload none or parameters"), {"0"}});
    if (layout.memory.offload == OffloadKind::Optimizer && p.zero == 0)
        refuse("/memory/offload", say("the optimizer on the host without ZeRO"),
               say("offloading is a part of DeepSpeed's ZeRO"),
               {say("none; or parallel.zero of at least 1"), {"none"}});
}

std::string startAccelerate(const Layout&, const std::string& file) {
    return fmt::format(
        "accelerate launch --config_file {} --main_process_ip \"$head_node\" --main_process_port 29500 \\\n"
        "    {}",
        shellQuoted(file), trainScript());
}

ExportedLayout writeAccelerate(const Layout& layout, const TrainerOptions& options,
                               const std::vector<Sentence>& leftOut) {
    const ParallelSpec& p = layout.parallel;
    const AccelerateKind kind = accelerateKind(layout);
    const bool several = layout.cluster.hosts.size() > 1;
    std::vector<Sentence> ours;
    constexpr const char* words[] = {"'NO'", "MULTI_GPU", "FSDP", "DEEPSPEED"};
    constexpr const char* formats[] = {"'no'", "bf16", "fp16"};
    std::string text =
        fmt::format("# A layout for accelerate launch --config_file THIS-FILE, by shardlab {}.\n", SHARDLAB_VERSION);
    text += fmt::format("compute_environment: LOCAL_MACHINE\ndebug: false\ndistributed_type: {}\nmachine_rank: 0\n"
                        "main_training_function: main\nmixed_precision: {}\nnum_machines: {}\nnum_processes: {}\n"
                        "rdzv_backend: {}\nuse_cpu: false\n",
                        words[static_cast<int>(kind)], formats[static_cast<int>(layout.precision.compute)],
                        layout.cluster.hosts.size(), rankCount(layout), several ? "c10d" : "static");
    // Where accelerate takes machines for one network, it does not tell c10d where they meet.
    text += several ? "same_network: false  # so that --main_process_ip is where the machines meet\n"
                    : "same_network: true\n";
    const bool full = layout.memory.recompute == RecomputeKind::Full;
    if (kind == AccelerateKind::Fsdp)
        text += fmt::format("fsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: {}\n"
                            "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP  # chosen: a unit for each block\n"
                            "  fsdp_activation_checkpointing: {}\n  fsdp_offload_params: {}\n"
                            "  fsdp_cpu_ram_efficient_loading: true\n  fsdp_state_dict_type: SHARDED_STATE_DICT\n",
                            p.zero == 3, full, offloadsParameters(layout.memory));
    if (kind == AccelerateKind::Fsdp && (p.tensor > 1 || p.context > 1 || copyCount(p) > 1)) {
        text += fmt::format("parallelism_config:\n  parallelism_config_dp_replicate_size: {}\n"
                            "  parallelism_config_dp_shard_size: {}\n  parallelism_config_tp_size: {}\n"
                            "  parallelism_config_cp_size: {}\n",
                            copyCount(p), p.data / copyCount(p), p.tensor, p.context);
        if (p.context > 1) text += "  parallelism_config_cp_comm_strategy: alltoall  # chosen: round a ring\n";
    }
    if (kind == AccelerateKind::DeepSpeed)
        text += fmt::format(
            "deepspeed_config:\n  deepspeed_multinode_launcher: standard\n  gradient_accumulation_steps: {}\n"
            "  gradient_clipping: {}\n  offload_optimizer_device: {}\n  offload_param_device: none\n"
            "  zero3_init_flag: {}\n  zero_stage: {}\n",
            microbatches(layout), realText(layout.optimizer.clip),
            layout.memory.offload == OffloadKind::Optimizer ? "cpu" : "none", p.zero == 3, p.zero);
    if (full && kind != AccelerateKind::Fsdp)
        ours.push_back(say("memory.recompute is full; the script calls model.gradient_checkpointing_enable()"));
    std::string beside = modelText(layout, accelerate);
    beside += fmt::format(
        "\nThe script\n  batch of a process: {}; Accelerator(gradient_accumulation_steps={})\n  steps: {}; seed: {}\n",
        layout.batch.micro, microbatches(layout), layout.run.steps, layout.run.seed);
    const auto& o = layout.optimizer;
    beside += fmt::format(
        "  optimizer: {}, learning rate {}, weight decay {} (none for biases and norms), clip_grad_norm_ {}\n"
        "  learning rate: a warm-up of {} steps, then {}\n",
        wordOf(o.kind), numberText(o.learningRate), numberText(o.weightDecay), numberText(o.clip), o.warmup,
        wordOf(o.schedule));
    ExportedLayout made{std::move(text), {}, std::move(ours)};
    addModelFiles(made, layout, options.stem, std::move(beside), leftOut);
    return made;
}

}  // namespace

TrainerTarget accelerateTarget() {
    static constexpr std::string_view says[] = {
        "/cluster/hosts",     "/parallel/data",           "/parallel/pipeline",   "/parallel/tensor",
        "/parallel/context",  "/parallel/sequence",       "/parallel/zero",       "/parallel/partition",
        "/parallel/shard",    "/parallel/exchange",       "/precision/exchange",  "/schedule/kind",
        "/schedule/chunks",   "/schedule/stages",         "/schedule/count_ends", "/schedule/actions",
        "/precision/compute", "/precision/weights",       "/precision/gradients", "/precision/loss_scale",
        "/memory/recompute",  "/memory/recompute_blocks", "/memory/offload"};
    static constexpr std::string_view leaves[] = {
        "/model",      "/batch",           "/optimizer",       "/run",
        "/checkpoint", "/parallel/bucket", "/precision/scale", "/precision/scale_window"};
    return {.name = "accelerate",
            .program = "accelerate",
            .description = "a YAML for accelerate launch with its FSDP or DeepSpeed plugin, and a text for the script",
            .extension = ".accelerate.yaml",
            .says = says,
            .leaves = leaves,
            .refuse = refuseForAccelerate,
            .write = writeAccelerate,
            .start = startAccelerate};
}

}  // namespace shardlab::trace
