// SPDX-License-Identifier: Apache-2.0
// What a layout sets in torchtitan, whichever way a version of it is told: of 0.2.2 the keys in
// torchtitan/config/job_config.py, of 0.3.0 the fields in torchtitan/config/configs.py and of its components.
#include "engine/layout/mesh/copies.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "engine/trace/trainers/sbatch_script.h"
#include "engine/trace/trainers/shell_words.h"
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <concepts>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <limits>

namespace shardlab::trace {
namespace {

class TitanSetter {
public:
    TitanSetter(const Layout& layout, const TrainerOptions& options, TitanVersion version)
        : layout_(layout), options_(options), older_(version == TitanVersion::Toml) {}

    TitanSettings all() {
        training();
        parallelism();
        optimizer();
        checkpoint();
        section("debug");
        add("seed", layout_.run.seed);
        return std::move(made_);
    }

private:
    void section(std::string_view name) { made_.sections.push_back({name, {}}); }
    template <class Value>
    void add(std::string_view key, Value&& value, std::string_view chosen = {}) {
        TitanValue kept;
        if constexpr (std::convertible_to<Value, std::string_view>) kept = std::string(std::string_view(value));
        else if constexpr (std::same_as<std::decay_t<Value>, int>) kept = std::int64_t{value};
        else kept = std::forward<Value>(value);
        made_.sections.back().settings.push_back({key, std::move(kept), chosen});
    }

    void training() {
        section("training");
        const bool pipeline = layout_.parallel.pipeline > 1;
        // A pipeline cuts the local batch into microbatches; else gradients accumulate up to the global one.
        add("local_batch_size", layout_.batch.micro * (pipeline ? microbatches(layout_) : 1));
        add("global_batch_size", layout_.batch.global);
        add("seq_len", layout_.model.sequence);
        add("steps", layout_.run.steps);
        const double clip = layout_.optimizer.clip;
        add("max_norm", clip > 0 ? clip : std::numeric_limits<double>::infinity());
        add("mixed_precision_param", layout_.precision.compute == NumberFormat::Bf16 ? "bfloat16" : "float32");
        if (older_ && titanFamily(layout_.model) == TitanFamily::GptOss)
            made_.sections.back().settings.back().note = "torchtitan keeps the blocks of this family in bf16, its "
                                                         "embedding, last norm and output in fp32.";
        add("mixed_precision_reduce", "float32");
        if (offloadsParameters(layout_.memory)) add("enable_cpu_offload", true);
        if (!older_) {
            add("disable_cuda_graphs", true, "each step is launched anew, which is what is predicted");
            section("dataloader");
        }
        add("dataset", "c4", "the layout's data is not carried over");
    }

    void parallelism() {
        const ParallelSpec& p = layout_.parallel;
        section("parallelism");
        const int copies = p.zero >= 2 ? copyCount(p) : p.data;
        add("data_parallel_replicate_degree", copies);
        add("data_parallel_shard_degree", p.data / copies);
        if (p.zero >= 2) add("fsdp_reshard_after_forward", p.zero == 3 ? "always" : "never");
        add("tensor_parallel_degree", p.tensor);
        if (!older_ && p.tensor > 1) add("enable_sequence_parallel", p.sequence);
        add("context_parallel_degree", p.context);
        if (older_ && p.context > 1)
            add("context_parallel_rotate_method", "alltoall",
                "keys and values go round a ring; FSDP shards over it too");
        if (!older_ && p.context > 1)
            add("context_parallel_load_balancer", "headtail", "keys and values are gathered; FSDP shards over it too");
        if (p.expert > 1) {
            add("expert_parallel_degree", p.expert);
            if (older_) add("expert_tensor_parallel_degree", p.expertTensor > 0 ? p.expertTensor : p.tensor);
        }
        add("pipeline_parallel_degree", p.pipeline);
        if (p.pipeline > 1) pipeline();
    }

    void pipeline() {
        const Schedule schedule = *generateSchedule(layout_.schedule.kind, scheduleShape(layout_));
        const TitanSchedule* named = hasOrder() ? titanScheduleOf(layout_.schedule.kind) : nullptr;
        if (named != nullptr) {
            add("pipeline_parallel_schedule", named->theirs);
            if (older_ && named->hidesExperts && layout_.parallel.expert > 1 &&
                layout_.memory.recompute != RecomputeKind::None)
                add("pipeline_parallel_expert_parallel_overlap", false, "with recomputation it cannot");
        } else {
            const std::string file = options_.stem + ".schedule.csv";
            made_.companions.push_back({file, toCsv(schedule)});
            const bool folded = schedule.stages() > 1 && !schedule.ranks.empty() && isFolded(schedule);
            add("pipeline_parallel_schedule",
                folded                                          ? "ZBVZeroBubble"
                : schedule.stages() > layout_.parallel.pipeline ? "Interleaved1F1B"
                                                                : "1F1B",
                "it says which rank has which stage; the order is the CSV's");
            add("pipeline_parallel_schedule_csv", file);
        }
        add("pipeline_parallel_microbatch_size", layout_.batch.micro);
        TitanLists parts;
        int layer = 0;
        for (const int blocks : stageLayers(layout_)) {
            std::vector<std::string>& names = parts.emplace_back();
            if (parts.size() == 1) names.emplace_back("tok_embeddings");
            for (int i = 0; i < blocks; ++i) names.push_back(fmt::format("layers.{}", layer++));
        }
        parts.back().insert(parts.back().end(), {"norm", older_ ? "output" : "lm_head"});
        add("module_fqns_per_model_part", std::move(parts));
    }

    /// The interleaved rounds of torch.distributed.pipelining are all of equal length.
    bool hasOrder() const {
        const int m = microbatches(layout_);
        return layout_.schedule.kind != "interleaved-1f1b" || m % std::max(1, m / layout_.parallel.pipeline) == 0;
    }

    /// Rank r has the stages r and 2p − 1 − r.
    static bool isFolded(const Schedule& schedule) {
        const int ranks = static_cast<int>(schedule.ranks.size());
        if (schedule.stages() != 2 * ranks) return false;
        for (int stage = ranks; stage < 2 * ranks; ++stage)
            if (schedule.rankOf(stage) != 2 * ranks - 1 - stage) return false;
        return ranks > 1;
    }

    void optimizer() {
        const OptimizerSpec& o = layout_.optimizer;
        section("optimizer");
        if (older_) add("name", "AdamW");
        add("lr", o.learningRate);
        if (older_) {
            add("beta1", o.adamw.betas[0]);
            add("beta2", o.adamw.betas[1]);
        } else {
            add("betas", TitanPair{o.adamw.betas[0], o.adamw.betas[1]});
        }
        add("eps", o.adamw.epsilon);
        add("weight_decay", o.weightDecay, o.weightDecay > 0 ? "torchtitan lets norms decay too" : "");
        section("lr_scheduler");
        add("warmup_steps", o.warmup);
        if (o.schedule == RateSchedule::Constant) {
            add("decay_ratio", 0.0);
        } else {
            add("decay_type", wordOf(o.schedule));
            add("min_lr_factor", o.minimum / o.learningRate);
        }
    }

    void checkpoint() {
        if (older_) {
            section("activation_checkpoint");
            const std::vector<std::string> words = titanRecompute(layout_);
            add("mode", words.front());
            if (words.size() > 1) add("selective_ac_option", words.back());
        }
        const CheckpointSpec& c = layout_.checkpoint;
        section("checkpoint");
        add("enable", c.every > 0);
        if (c.every == 0) return;
        add("interval", c.every);
        add("keep_latest_k", c.keep);
        add("enable_first_step_checkpoint", c.first);
        add("folder", c.path.empty() ? "checkpoint" : c.path, c.path.empty() ? "the layout names none" : "");
    }

    const Layout& layout_;
    const TrainerOptions& options_;
    bool older_;
    TitanSettings made_;
};

}  // namespace

const TitanSchedule* titanScheduleOf(std::string_view ours) {
    const auto found = std::ranges::find(titanSchedules, ours, &TitanSchedule::ours);
    return found == std::end(titanSchedules) ? nullptr : &*found;
}

const TitanProducts* titanProductsOf(const Layout& layout) {
    const auto found = std::ranges::find(titanProducts, layout.precision.products, &TitanProducts::ours);
    return found == std::end(titanProducts) || !titanEffect("/precision/products", layout) ? nullptr : &*found;
}

std::string titanArguments(std::string_view file) { return "--job.config_file " + shellQuoted(file); }

std::string titanModule(std::string_view file) {
    return fmt::format("--module {} --config shardlab", pythonName(file.substr(0, file.rfind('.'))));
}

std::string startTitan(const Layout& layout, std::string_view arguments) {
    return torchrunMeeting("env PYTHONPATH=\"$PWD${PYTHONPATH:+:$PYTHONPATH}\" " + torchrunOf(layout),
                           fmt::format("-m torchtitan.train {}", arguments));
}

std::string titanHeader(const Layout& layout, std::string_view version, std::string_view start,
                        const std::vector<Sentence>& leftOut) {
    std::string text = fmt::format("# A layout for torchtitan {}, by shardlab {}.\n# {} -m torchtitan.train {}\n",
                                   version, SHARDLAB_VERSION, torchrunOf(layout), inComment(std::string(start)));
    for (const Sentence& line : leftOut) text += fmt::format("# Left out: {}\n", inComment(line.english()));
    return text;
}

std::string titanListsText(const TitanLists& lists, std::string_view margin) {
    std::string text = "[\n";
    for (const std::vector<std::string>& each : lists)
        text += fmt::format("{}[\"{}\"],\n", margin, fmt::join(each, "\", \""));
    return text + std::string(margin.substr(4)) + "]";
}

TitanSettings titanSettings(const Layout& layout, const TrainerOptions& options, TitanVersion version) {
    return TitanSetter(layout, options, version).all();
}

std::span<const std::string_view> titanSays() {
    static constexpr std::string_view says[] = {
        "/name",
        "/model/kind",
        "/model/layers",
        "/model/hidden",
        "/model/heads",
        "/model/kv_heads",
        "/model/head_width",
        "/model/norm",
        "/model/norm_epsilon",
        "/model/qk_norm",
        "/model/positions",
        "/model/rope_base",
        "/model/rope_scaling",
        "/model/rope_factor",
        "/model/rope_low",
        "/model/rope_high",
        "/model/rope_original",
        "/model/window",
        "/model/full_every",
        "/model/biases",
        "/model/activation",
        "/model/output",
        "/model/sequence",
        "/model/vocabulary",
        "/model/dropout",
        "/model/feed_forward",
        "/model/experts",
        "/model/gate",
        "/model/top_k",
        "/model/capacity",
        "/model/balance",
        "/model/expert_dropout",
        "/model/experts_every",
        "/model/dense_layers",
        "/model/expert_width",
        "/model/shared_experts",
        "/model/bias_rate",
        "/model/route_scale",
        "/model/score_bias",
        "/model/expert_groups",
        "/model/top_groups",
        "/model/kv_rank",
        "/model/q_rank",
        "/model/rope_width",
        "/model/value_width",
        "/model/rope_truncate",
        "/model/sinks",
        "/model/attention_cap",
        "/model/logit_cap",
        "/model/swiglu_limit",
        "/model/swiglu_alpha",
        "/model/predicted_tokens",
        "/parallel/expert",
        "/parallel/expert_tensor",
        "/cluster/hosts",
        "/parallel/data",
        "/parallel/pipeline",
        "/parallel/tensor",
        "/parallel/context",
        "/parallel/sequence",
        "/parallel/zero",
        "/parallel/shard",
        "/parallel/partition",
        "/parallel/exchange",
        "/precision/exchange",
        "/schedule/kind",
        "/schedule/chunks",
        "/schedule/stages",
        "/schedule/count_ends",
        "/schedule/actions",
        "/schedule/in_flight",
        "/batch/global",
        "/batch/micro",
        "/precision/compute",
        "/precision/weights",
        "/precision/gradients",
        "/precision/products",
        "/precision/scaling",
        "/precision/loss_scale",
        "/optimizer/kind",
        "/optimizer/learning_rate",
        "/optimizer/warmup",
        "/optimizer/schedule",
        "/optimizer/minimum",
        "/optimizer/betas",
        "/optimizer/epsilon",
        "/optimizer/weight_decay",
        "/optimizer/clip",
        "/memory/recompute",
        "/memory/recompute_blocks",
        "/memory/offload",
        "/run/steps",
        "/run/seed",
        "/run/max_restarts",
        "/checkpoint/every",
        "/checkpoint/keep",
        "/checkpoint/first",
        "/checkpoint/path",
    };
    return says;
}

std::span<const std::string_view> titanLeaves() {
    static constexpr std::string_view leaves[] = {"/run/validate_every", "/run/validation_batches", "/parallel/bucket"};
    return leaves;
}

}  // namespace shardlab::trace
