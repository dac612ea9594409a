// SPDX-License-Identifier: Apache-2.0
// The JSON of DeepSpeed (deepspeed/runtime/config.py of 0.19). It says nothing of the model, which is Python: a text
// beside it says what the model and the script have to do.

#include "engine/base/visible_text.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/recompute.h"
#include "engine/trace/trainers/model_text.h"
#include "engine/trace/trainers/trainer_target.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardlab::trace {
namespace {

using DeepSpeedJson = nlohmann::ordered_json;
constexpr std::string_view deepSpeed = "DeepSpeed";

void refuseForDeepSpeed(const Layout& layout, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    const PrecisionSpec& precision = layout.precision;
    const OptimizerSpec& o = layout.optimizer;
    const MemorySpec& m = layout.memory;
    const auto refuse = [&](std::string pointer, const Sentence& what, const Sentence& why, const Instead& legal) {
        refuseField(faults, deepSpeed, std::move(pointer), what, why, legal);
    };
    refuseUnevenHosts(layout, deepSpeed, faults);
    refuseExchanges(layout, deepSpeed, faults);
    if (!runsAs(layout, "1f1b"))
        refuse("/schedule/kind", layout.schedule.kind, say("its pipelines run 1F1B with a flush"), "1f1b");
    const std::vector<int> split = stageLayers(layout);
    if (std::ranges::any_of(split, [&](int layers) { return layers != split.front(); }))
        refuse(layout.schedule.stages.empty() ? "/schedule/count_ends" : "/schedule/stages",
               say("stages of different length"), say("PipelineModule balances stages by a rule, not by a list"),
               layout.schedule.stages.empty() ? Instead("false") : Instead{say("[], an even split"), {"[]"}});
    if (p.pipeline > 1 && p.zero > 1)
        refuse("/parallel/zero", say("ZeRO {} with a pipeline", p.zero),
               say("its pipelines accumulate whole gradients"), {say("0 or 1; or parallel.pipeline 1"), {"0", "1"}});
    if (p.pipeline > 1 && p.tensor > 1)
        refuse("/parallel/tensor", say("tensor parallelism within a pipeline"),
               say("it divides the layers of whole models only (tensor_parallel.autotp_size)"),
               {say("1; or parallel.pipeline 1"), {"1"}});
    if (p.tensor > 1 && p.zero == 3)
        refuse("/parallel/zero", say("ZeRO 3 with tensor parallelism"),
               say("its tensor parallelism goes with ZeRO 0 to 2"), "2");
    if (p.context > 1 && !exchangesHeads(layout))
        refuse("/parallel/context_method", say("a ring of {} ranks", p.context),
               say("it exchanges tokens for heads (sequence_parallel_size)"),
               {say("ulysses; or parallel.context 1"), {"ulysses"}});
    if (p.context > 1 && p.pipeline * p.tensor > 1)
        refuse("/parallel/context", say("a context group of {} ranks beside pipeline or tensor ranks", p.context),
               say("the mesh of its sequence_parallel_size has two axes, this one and data"),
               {say("1; or parallel.pipeline 1 and parallel.tensor 1"), {"1"}});
    if (p.tensor > 1 && p.sequence)
        refuse("/parallel/sequence", say("sequence parallelism"),
               say("its tensor ranks hold all tokens between the blocks"), "false");
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
    if (o.kind != knownAdamW && o.kind != knownSgd)
        refuse("/optimizer/kind", std::string(wordOf(o.kind)), say("of Shardlab's optimizers it has AdamW and SGD"),
               {"adamw", "sgd"});
    if (o.kind == knownSgd && o.momentum > 0 && o.weightDecay > 0)
        refuse("/optimizer/weight_decay", say("weight decay beside the momentum of sgd"),
               say("it adds the decay to the gradient, so that the momentum repeats it"),
               {say("0; or optimizer.momentum 0"), {"0"}});
    const bool falls = o.schedule != RateSchedule::Constant;
    if (o.warmup == 1 || (falls && o.warmup == 0))
        refuse("/optimizer/warmup", say("a warm-up of {} steps", o.warmup), say("its warm-ups have two steps at least"),
               falls ? Instead{say("2 or more"), {"2"}} : Instead{say("0, or 2 or more"), {"0", "2"}});
    if (o.schedule == RateSchedule::Linear && o.minimum > 0)
        refuse("/optimizer/minimum", say("a linear fall to {}", numberText(o.minimum)), say("WarmupDecayLR falls to 0"),
               {say("0; or optimizer.schedule cosine"), {"0"}});
    if (m.recompute != RecomputeKind::None && m.recompute != RecomputeKind::Full && m.recompute != RecomputeKind::Every)
        refuse("/memory/recompute", std::string(wordOf(m.recompute)),
               say("activation_checkpoint_interval is one number of blocks"), {"none", "full", "every"});
    else if (m.recompute != RecomputeKind::None && m.recomputeBlocks > 0)
        refuse("/memory/recompute_blocks", say("recomputation of a part of each stage"),
               say("activation_checkpoint_interval holds for all blocks"), "0");
    if (m.offload == OffloadKind::Optimizer && p.zero == 0)
        refuse("/memory/offload", say("the optimizer on the host without ZeRO"),
               say("offload_optimizer is a part of ZeRO"), {say("none; or parallel.zero of at least 1"), {"none"}});
}

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
        DeepSpeedJson zero{{"stage", p.zero}};
        if (p.zero == 1) {
            zero["overlap_comm"] = p.bucket > 0;
            if (p.bucket > 0)
                zero["reduce_bucket_size"] = std::llround(p.bucket * 1e6 / gradientBytes(layout.precision));
        }
        const DeepSpeedJson onHost{{"device", "cpu"}, {"pin_memory", true}};
        if (offloadsOptimizer(m)) zero["offload_optimizer"] = onHost;
        if (offloadsParameters(m)) zero["offload_param"] = onHost;
        json["zero_optimization"] = std::move(zero);
        if (o.kind == knownSgd) json["zero_allow_untested_optimizer"] = true;
    } else if (p.data > 1 && p.bucket > 0) {
        ours.push_back(say("parallel.bucket: without ZeRO DeepSpeed reduces gradients after the backward"));
    }
    DeepSpeedJson parameters{{"lr", o.learningRate}};
    if (o.kind == knownSgd) {
        parameters["momentum"] = o.momentum;
    } else {
        parameters["betas"] = o.adamw.betas;
        parameters["eps"] = o.adamw.epsilon;
    }
    parameters["weight_decay"] = o.weightDecay;
    json["optimizer"] = {{"type", o.kind == knownSgd ? "SGD" : "AdamW"}, {"params", parameters}};
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
    if (m.recompute != RecomputeKind::None)
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
    for (const std::vector<Sentence>& lines : {leftOut, ours})
        for (const Sentence& line : lines) text += "  Left out: " + line.english() + "\n";
    ExportedLayout made{json.dump(2) + "\n", {{options.stem + ".model.txt", text}}, std::move(ours)};
    if (std::string config = modelConfig(layout.model); !config.empty())
        made.companions.push_back({options.stem + ".config.json", std::move(config)});
    return made;
}

/// Comments are allowed, as DeepSpeed's own reader allows them.
nlohmann::json deepSpeedJson(std::string_view text) { return nlohmann::json::parse(text, nullptr, false, true); }

bool looksLikeDeepSpeed(std::string_view text) {
    const nlohmann::json json = deepSpeedJson(text);
    constexpr const char* known[] = {"train_batch_size", "train_micro_batch_size_per_gpu", "zero_optimization"};
    return json.is_object() && std::ranges::any_of(known, [&](const char* key) { return json.contains(key); });
}

class DeepSpeedReader {
public:
    explicit DeepSpeedReader(nlohmann::json json) : json_(std::move(json)) {}

    ConfigLayout all(const std::filesystem::path& file) {
        layout_.name = file.filename().replace_extension().string();
        degrees();
        formats();
        zero();
        optimizer();
        memory();
        note(say("a DeepSpeed JSON says nothing of the model, of data and of seeds: they are Shardlab's defaults"));
        leftOver(json_, "");
        return {std::move(layout_), std::move(notes_)};
    }

private:
    void note(Sentence text) { notes_.push_back(std::move(text)); }

    /// Takes the value out, so that what is left over was not asked for. "auto" is left to others.
    nlohmann::json take(const char* pointer) {
        const nlohmann::json::json_pointer path{std::string(pointer)};
        if (!contains(pointer)) return {};
        nlohmann::json value = json_.at(path);
        if (value == "auto") return {};
        const auto parent = path.parent_pointer();
        json_.at(parent).erase(path.back());
        return value;
    }
    bool contains(std::string_view pointer) const {
        const nlohmann::json* node = &json_;
        while (!pointer.empty()) {
            pointer.remove_prefix(1);
            const std::string key(pointer.substr(0, pointer.find('/')));
            if (!node->is_object() || !node->contains(key)) return false;
            node = &node->at(key);
            pointer.remove_prefix(key.size());
        }
        return true;
    }
    double number(const char* pointer, double otherwise) {
        const nlohmann::json value = take(pointer);
        return value.is_number() ? value.get<double>() : otherwise;
    }
    int integer(const char* pointer, int otherwise) {
        const double value = number(pointer, -1);
        return value >= 0 && value <= 2147483647 ? static_cast<int>(value) : otherwise;
    }
    bool flag(const char* pointer) {
        const nlohmann::json value = take(pointer);
        return value.is_boolean() && value.get<bool>();
    }
    std::string word(const char* pointer) {
        const nlohmann::json value = take(pointer);
        return value.is_string() ? value.get<std::string>() : std::string();
    }

    void degrees() {
        ParallelSpec& p = layout_.parallel;
        BatchSpec& b = layout_.batch;
        p.pipeline = std::clamp(integer("/pipeline/stages", 1), 1, 1 << 16);
        p.tensor = std::clamp(integer("/tensor_parallel/autotp_size", 1), 1, 1 << 16);
        p.data = 1;
        p.context = std::clamp(integer("/sequence_parallel_size", 1), 1, 1 << 16);
        if (p.context > 1) p.contextKind = ContextKind::Ulysses;
        take("/data_parallel_size");
        const int global = integer("/train_batch_size", 0), steps = integer("/gradient_accumulation_steps", 0);
        b.micro = integer("/train_micro_batch_size_per_gpu", 0);
        if (b.micro == 0) b.micro = global > 0 ? std::max(1, global / std::max(1, steps)) : 1;
        b.global = global;
        if (global == 0) {
            b.global = static_cast<int>(std::min<std::int64_t>(std::int64_t{b.micro} * std::max(1, steps), 1 << 24));
            note(say("there is no train_batch_size, which says how many replicas there are: parallel.data is 1"));
        } else if (steps > 0 && global / b.micro / steps > 0) {
            p.data = std::min(global / b.micro / steps, 1 << 16);
        } else {
            note(say(
                "there are no gradient_accumulation_steps, which say how many replicas there are: parallel.data is 1"));
        }
        const std::int64_t ranks =
            std::min<std::int64_t>(std::int64_t{p.data} * p.pipeline * p.tensor * p.context, 1 << 20);
        layout_.cluster.hosts = evenHosts(1, static_cast<int>(ranks));
    }

    void formats() {
        PrecisionSpec& p = layout_.precision;
        const bool fp16 = flag("/fp16/enabled"), bf16 = flag("/bf16/enabled"),
                   autocast = flag("/torch_autocast/enabled");
        const std::string cast = word("/torch_autocast/dtype");
        if (autocast) {
            p.compute = cast == "float16" ? NumberFormat::Fp16 : NumberFormat::Bf16;
            p.weights = WeightStorage::Fp32;
            return;
        }
        if (!fp16 && !bf16) return;
        p.compute = fp16 ? NumberFormat::Fp16 : NumberFormat::Bf16;
        if (word("/data_types/grad_accum_dtype") == "fp32") p.gradients = GradientFormat::Fp32;
        if (!fp16) return;
        const double scale = number("/fp16/loss_scale", 0);
        const int power = integer("/fp16/initial_scale_power", 16), window = integer("/fp16/loss_scale_window", 1000);
        if (integer("/fp16/hysteresis", 2) > 1)
            note(say("fp16.hysteresis above 1: the layout halves its loss scale at the first overflow"));
        p.lossScale = scale > 0 ? LossScaling::Static : LossScaling::Dynamic;
        p.scale = scale > 0 ? scale : std::exp2(std::min(power, 24));
        if (scale <= 0) p.scaleWindow = window;
        if (power > 24) note(say("fp16.initial_scale_power: the layout's scale begins with 2^24"));
    }

    void zero() {
        ParallelSpec& p = layout_.parallel;
        p.zero = std::min(integer("/zero_optimization/stage", 0), 3);
        const bool overlaps = flag("/zero_optimization/overlap_comm");
        const double elements = number("/zero_optimization/reduce_bucket_size", 5e8);
        offload();
        if (p.zero > 0 && replicaCount(p) == 1 && !offloadsParameters(layout_.memory)) {
            note(say("zero_optimization.stage {} with one replica divides nothing: parallel.zero is 0", p.zero));
            p.zero = 0;
        }
        if (p.zero == 1)
            p.bucket = overlaps ? std::min(1e6, rounded(elements * gradientBytes(layout_.precision) / 1e6)) : 0;
        take("/zero_allow_untested_optimizer");
    }

    void offload() {
        const auto onHost = [&](const std::string& what) {
            const std::string place = "/zero_optimization/" + what;
            if (word((place + "/device").c_str()) != "cpu") return false;
            take((place + "/pin_memory").c_str());
            return true;
        };
        const bool optimizer = onHost("offload_optimizer"), parameters = onHost("offload_param");
        OffloadKind& offload = layout_.memory.offload;
        if (optimizer) offload = OffloadKind::Optimizer;
        if (!parameters) return;
        if (layout_.parallel.zero < 3) return note(say("offload_param goes with stage 3 alone: it is left out"));
        if (!optimizer)
            note(say("offload_param without offload_optimizer: the layout has the optimizer on the host too"));
        offload = OffloadKind::Parameters;
    }

    void optimizer() {
        OptimizerSpec& o = layout_.optimizer;
        const std::string type = word("/optimizer/type");
        o.kind = type == "SGD" ? knownSgd : knownAdamW;
        if (!type.empty() && type != "SGD" && type != "AdamW" && type != "Adam")
            note(say("the optimizer {}: the layout's is adamw", shortened(type)));
        o.learningRate = number("/optimizer/params/lr", 1e-3);
        const nlohmann::json betas = take("/optimizer/params/betas");
        o.adamw.betas = {0.9, 0.999};
        if (betas.is_array() && betas.size() == 2 && betas[0].is_number() && betas[1].is_number())
            o.adamw.betas = {betas[0].get<double>(), betas[1].get<double>()};
        o.adamw.epsilon = number("/optimizer/params/eps", 1e-8);
        if (o.kind == knownSgd) o.momentum = number("/optimizer/params/momentum", 0);
        o.weightDecay = number("/optimizer/params/weight_decay", 0);
        o.clip = number("/gradient_clipping", 0);
        scheduler();
    }

    void scheduler() {
        OptimizerSpec& o = layout_.optimizer;
        const std::string type = word("/scheduler/type");
        o.warmup = type.empty() ? 0 : integer("/scheduler/params/warmup_num_steps", 1000);
        const std::string rise = word("/scheduler/params/warmup_type");
        if (!type.empty() && rise != "linear")
            note(say("scheduler: the layout's learning rate rises linearly, not with the logarithm"));
        if (type == "WarmupDecayLR" || type == "WarmupCosineLR") {
            o.schedule = type == "WarmupDecayLR" ? RateSchedule::Linear : RateSchedule::Cosine;
            layout_.run.steps = integer("/scheduler/params/total_num_steps", layout_.run.steps);
            if (o.schedule == RateSchedule::Cosine)
                o.minimum = rounded(number("/scheduler/params/cos_min_ratio", 1e-4) * o.learningRate);
        } else if (!type.empty() && type != "WarmupLR") {
            note(say("the scheduler {}: the layout's learning rate is constant", shortened(type)));
            return;
        }
        const double most = number("/scheduler/params/warmup_max_lr", o.learningRate);
        if (type != "WarmupCosineLR" && !type.empty()) o.learningRate = most;
        for (const char* low : {"/scheduler/params/warmup_min_lr", "/scheduler/params/warmup_min_ratio"})
            if (number(low, 0) != 0) note(say("scheduler: the layout's warm-up begins near 0"));
    }

    void memory() {
        MemorySpec& m = layout_.memory;
        const int interval = integer("/pipeline/activation_checkpoint_interval", 0);
        if (interval > 0) m.recompute = interval == 1 ? RecomputeKind::Full : RecomputeKind::Every;
        if (interval > 1) m.recomputeEvery = interval;
        m.partitionActivations = flag("/activation_checkpointing/partition_activations");
    }

    void leftOver(const nlohmann::json& node, const std::string& prefix) {
        for (const auto& [key, value] : node.items())
            if (value.is_object()) leftOver(value, prefix + key + ".");
            else note(say("{} is left out", shortened(prefix + key)));
    }

    nlohmann::json json_;
    Layout layout_;
    std::vector<Sentence> notes_;
};

Result<ConfigLayout> readDeepSpeed(const std::filesystem::path& file, std::string_view text) {
    nlohmann::json json = deepSpeedJson(text);
    if (!json.is_object())
        return fail(
            Error{say("cannot make a layout"), file.string(), say("it is no JSON object"), say("a JSON of DeepSpeed")});
    return DeepSpeedReader(std::move(json)).all(file);
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
            .recognises = looksLikeDeepSpeed,
            .read = readDeepSpeed};
}

}  // namespace shardlab::trace
