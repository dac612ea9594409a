// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/deepspeed.h"

#include "engine/base/visible_text.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace shardlab::trace {
namespace {

/// Comments are allowed, as DeepSpeed's own reader allows them.
nlohmann::json deepSpeedJson(std::string_view text) { return nlohmann::json::parse(text, nullptr, false, true); }

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
        if (!automatic_.empty())
            note(say("what the program that calls DeepSpeed settles (\"auto\") is the layout's default: {}",
                     automatic_));
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
        model();
        const int global = integer("/train_batch_size", 0), steps = integer("/gradient_accumulation_steps", 0);
        b.micro = integer("/train_micro_batch_size_per_gpu", 0);
        if (b.micro == 0) b.micro = global > 0 ? std::max(1, global / std::max(1, steps)) : 1;
        b.global = global;
        const std::int64_t inner = std::int64_t{p.pipeline} * p.tensor * p.context;
        const int open = shares() ? unsaidReplicas(inner) : 1;
        if (global == 0) {
            p.data = open;
            b.global =
                static_cast<int>(std::min<std::int64_t>(std::int64_t{b.micro} * std::max(1, steps) * p.data, 1 << 24));
            note(say("there is no train_batch_size, which says how many replicas there are: parallel.data is {}",
                     p.data));
        } else if (steps > 0 && global / b.micro / steps > 0) {
            p.data = std::min(global / b.micro / steps, 1 << 16);
        } else {
            p.data = std::gcd(open, std::max(1, global / b.micro));
            note(say(
                "there are no gradient_accumulation_steps, which say how many replicas there are: parallel.data is {}",
                p.data));
        }
        const std::int64_t ranks = std::min<std::int64_t>(p.data * inner, 1 << 20);
        layout_.cluster.hosts = evenHosts(1, static_cast<int>(ranks));
    }

    /// Whether replicas share their state, however many there are.
    bool shares() const {
        const nlohmann::json::json_pointer stage("/zero_optimization/stage");
        return contains("/zero_optimization/stage") && json_.at(stage).is_number() && json_.at(stage) > 0;
    }

    /// As many layers and heads as the degrees divide.
    void model() {
        const ParallelSpec& p = layout_.parallel;
        ModelSpec& m = layout_.model;
        const auto multiple = [](int number, int of) { return (number + of - 1) / of * of; };
        const int layers = multiple(m.layers, std::min(p.pipeline, 1024)),
                  heads = multiple(m.heads, std::min(p.tensor, 256) * std::min(p.context, 256));
        if (layers == m.layers && heads == m.heads) return;
        note(say("the layout's model has {} layers and {} heads, which the file's degrees divide", layers, heads));
        m.hidden = m.hidden / m.heads * heads;
        m.layers = layers;
        m.heads = heads;
    }

    void formats() {
        PrecisionSpec& p = layout_.precision;
        const bool fp16 = flag("/fp16/enabled"), older = flag("/bfloat16/enabled"),
                   bf16 = flag("/bf16/enabled") || older, autocast = flag("/torch_autocast/enabled");
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
        const auto onHost = [&](const std::string& what, const char* before) {
            const std::string place = "/zero_optimization/" + what, device = word((place + "/device").c_str());
            if (device == "nvme")
                note(say("zero_optimization.{}.device is nvme: the layout keeps it in the host's memory", what));
            else if (device != "cpu" && !flag(before)) return false;
            take((place + "/pin_memory").c_str());
            return true;
        };
        const bool optimizer = onHost("offload_optimizer", "/zero_optimization/cpu_offload"),
                   parameters = onHost("offload_param", "/zero_optimization/cpu_offload_params");
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
            else if (value == "auto") automatic_ += (automatic_.empty() ? "" : ", ") + shortened(prefix + key);
            else note(say("{} is left out", shortened(prefix + key)));
    }

    nlohmann::json json_;
    std::string automatic_;  ///< keys whose value is "auto"
    Layout layout_;
    std::vector<Sentence> notes_;
};

}  // namespace

bool looksLikeDeepSpeed(std::string_view text) {
    const nlohmann::json json = deepSpeedJson(text);
    constexpr const char* known[] = {"train_batch_size", "train_micro_batch_size_per_gpu", "zero_optimization"};
    return json.is_object() && std::ranges::any_of(known, [&](const char* key) { return json.contains(key); });
}

Result<ConfigLayout> readDeepSpeed(const std::filesystem::path& file, std::string_view text) {
    nlohmann::json json = deepSpeedJson(text);
    if (!json.is_object())
        return fail(
            Error{say("cannot make a layout"), file.string(), say("it is no JSON object"), say("a JSON of DeepSpeed")});
    return DeepSpeedReader(std::move(json)).all(file);
}

}  // namespace shardlab::trace
