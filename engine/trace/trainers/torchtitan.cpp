// SPDX-License-Identifier: Apache-2.0
// The TOML of torchtitan (torchtitan/config/job_config.py of 0.2.2), with the schedule's CSV and the model's shape in
// files of their own where it has no name for them.
#include "engine/layout/mesh/copies.h"
#include "engine/layout/fp8.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <iterator>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::trace {
namespace {

/// A name that Python can import.
std::string pythonName(std::string_view stem) {
    std::string name;
    for (const char c : stem) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "_" + name;
    return name;
}

std::string tomlString(std::string_view text) { return doubleQuoted(text, 'u', 4); }

class TitanWriter {
public:
    TitanWriter(const Layout& layout, const TrainerOptions& options) : layout_(layout), options_(options) {}

    ExportedLayout all(const std::vector<Sentence>& leftOut) {
        text_ = fmt::format("# A layout for torchtitan 0.2, by shardlab {}.\n", SHARDLAB_VERSION);
        const auto& hosts = layout_.cluster.hosts;
        text_ += fmt::format("# torchrun --nnodes {} --nproc-per-node {} --max-restarts {} -m torchtitan.train "
                             "--job.config_file THIS-FILE\n",
                             hosts.size(), hosts.front().devices, layout_.run.maxRestarts);
        for (const Sentence& line : leftOut) text_ += fmt::format("# Left out: {}\n", inComment(line.english()));
        section("job");
        add("description", tomlString(layout_.name));
        model();
        training();
        parallelism();
        rest();
        return {std::move(text_), std::move(companions_), {}};
    }

private:
    void section(std::string_view name) { text_ += fmt::format("\n[{}]\n", name); }
    void add(std::string_view key, std::string_view value, std::string_view chosen = {}) {
        text_ += fmt::format("{} = {}", key, value);
        if (!chosen.empty()) text_ += fmt::format("  # chosen: {}", chosen);
        text_ += '\n';
    }
    void add(std::string_view key, std::int64_t value) { add(key, std::to_string(value)); }
    void real(std::string_view key, double value) { add(key, realText(value)); }

    void model() {
        const ModelSpec& m = layout_.model;
        const TitanFamily family = titanFamily(m);
        std::string flavor(titanFlavorOf(m));
        // A flavor of torchtitan's own multiplies all experts of a rank at once, in bf16.
        const bool own = flavor.empty() || (hasExperts(m) && layout_.precision.compute == NumberFormat::Fp32);
        if (own) flavor = "shardlab";
        section("model");
        add("name", tomlString(traits(family).name));
        add("flavor", tomlString(flavor));
        const auto* const products = std::ranges::find(titanProducts, layout_.precision.products, &TitanProducts::ours);
        if (products != std::end(titanProducts) && titanEffect("/precision/products", layout_)) {
            add("converters", fmt::format("[\"{}\"]", products->section));
            section(products->section);
            // Weights are gathered as codes of the products, which torchtitan has with the recipe it takes unnamed.
            const bool gathers = scalesTensors(products->ours) && titanShards(layout_);
            if (!gathers) add("recipe_name", tomlString(products->recipe));
            else
                for (const char* key : titanGatherCodes) add(key, "true", "the same losses with half the bytes");
        }
        if (!own) return;
        const std::string module = pythonName(options_.stem) + "_flavor";
        companions_.push_back({module + ".py", titanFlavorText(layout_, flavor)});
        section("experimental");
        add("custom_import", tomlString(module), "it registers the flavor; its folder has to be in PYTHONPATH");
    }

    void training() {
        const PrecisionSpec& p = layout_.precision;
        section("training");
        const bool pipeline = layout_.parallel.pipeline > 1;
        // A pipeline cuts the local batch into microbatches; else gradients accumulate up to the global one.
        add("local_batch_size", layout_.batch.micro * (pipeline ? microbatches(layout_) : 1));
        add("global_batch_size", layout_.batch.global);
        add("seq_len", layout_.model.sequence);
        add("steps", layout_.run.steps);
        add("max_norm", layout_.optimizer.clip > 0 ? realText(layout_.optimizer.clip) : "inf");
        if (titanFamily(layout_.model) == TitanFamily::GptOss)
            text_ +=
                "# torchtitan keeps the blocks of this family in bf16, its embedding, last norm and output in fp32.\n";
        add("mixed_precision_param", p.compute == NumberFormat::Bf16 ? "\"bfloat16\"" : "\"float32\"");
        add("mixed_precision_reduce", "\"float32\"");
        if (offloadsParameters(layout_.memory)) add("enable_cpu_offload", "true");
        add("dataset", "\"c4\"", "the layout's data is not carried over");
    }

    void parallelism() {
        const ParallelSpec& p = layout_.parallel;
        section("parallelism");
        const int copies = p.zero >= 2 ? copyCount(p) : p.data;
        add("data_parallel_replicate_degree", copies);
        add("data_parallel_shard_degree", p.data / copies);
        if (p.zero >= 2) add("fsdp_reshard_after_forward", p.zero == 3 ? "\"always\"" : "\"never\"");
        add("tensor_parallel_degree", p.tensor);
        add("context_parallel_degree", p.context);
        if (p.context > 1)
            add("context_parallel_rotate_method", "\"alltoall\"",
                "keys and values go round a ring; FSDP shards over it too");
        if (p.expert > 1) {
            add("expert_parallel_degree", p.expert);
            add("expert_tensor_parallel_degree", p.expertTensor > 0 ? p.expertTensor : p.tensor);
        }
        add("pipeline_parallel_degree", p.pipeline);
        if (p.pipeline > 1) pipeline();
    }

    void pipeline() {
        const Schedule schedule = *generateSchedule(layout_.schedule.kind, scheduleShape(layout_));
        const TitanSchedule* named = hasOrder() ? titanScheduleOf(layout_.schedule.kind) : nullptr;
        if (named != nullptr) {
            add("pipeline_parallel_schedule", tomlString(named->theirs));
            if (named->hidesExperts && layout_.parallel.expert > 1 && layout_.memory.recompute != RecomputeKind::None)
                add("pipeline_parallel_expert_parallel_overlap", "false", "with recomputation it cannot");
        } else {
            const std::string file = options_.stem + ".schedule.csv";
            companions_.push_back({file, toCsv(schedule)});
            const bool folded = schedule.stages() > 1 && !schedule.ranks.empty() && isFolded(schedule);
            add("pipeline_parallel_schedule",
                folded                                          ? "\"ZBVZeroBubble\""
                : schedule.stages() > layout_.parallel.pipeline ? "\"Interleaved1F1B\""
                                                                : "\"1F1B\"",
                "it says which rank has which stage; the order is the CSV's");
            add("pipeline_parallel_schedule_csv", tomlString(file));
        }
        add("pipeline_parallel_microbatch_size", layout_.batch.micro);
        std::string parts;
        int layer = 0;
        const std::vector<int> split = stageLayers(layout_);
        for (std::size_t stage = 0; stage < split.size(); ++stage) {
            std::vector<std::string> names;
            if (stage == 0) names.emplace_back("\"tok_embeddings\"");
            for (int i = 0; i < split[stage]; ++i) names.push_back(fmt::format("\"layers.{}\"", layer++));
            if (stage + 1 == split.size()) {
                names.emplace_back("\"norm\"");
                names.emplace_back("\"output\"");
            }
            parts += fmt::format("    [{}],\n", fmt::join(names, ", "));
        }
        add("module_fqns_per_model_part", fmt::format("[\n{}]", parts));
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

    void rest() {
        const OptimizerSpec& o = layout_.optimizer;
        section("optimizer");
        add("name", "\"AdamW\"");
        real("lr", o.learningRate);
        real("beta1", o.adamw.betas[0]);
        real("beta2", o.adamw.betas[1]);
        real("eps", o.adamw.epsilon);
        add("weight_decay", realText(o.weightDecay), o.weightDecay > 0 ? "torchtitan lets norms decay too" : "");
        section("lr_scheduler");
        add("warmup_steps", o.warmup);
        if (o.schedule == RateSchedule::Constant) {
            add("decay_ratio", "0.0");
        } else {
            add("decay_type", tomlString(wordOf(o.schedule)));
            real("min_lr_factor", o.minimum / o.learningRate);
        }
        section("activation_checkpoint");
        const std::vector<std::string> words = titanRecompute(layout_);
        add("mode", tomlString(words.front()));
        if (words.size() > 1) add("selective_ac_option", tomlString(words.back()));
        const CheckpointSpec& c = layout_.checkpoint;
        section("checkpoint");
        add("enable", c.every > 0 ? "true" : "false");
        if (c.every > 0) {
            add("interval", c.every);
            add("keep_latest_k", c.keep);
            add("enable_first_step_checkpoint", c.first ? "true" : "false");
            add("folder", tomlString(c.path.empty() ? "checkpoint" : c.path),
                c.path.empty() ? "the layout names none" : "");
        }
        section("debug");
        add("seed", layout_.run.seed);
    }

    const Layout& layout_;
    const TrainerOptions& options_;
    std::string text_;
    std::vector<CompanionFile> companions_;
};

}  // namespace

const TitanSchedule* titanScheduleOf(std::string_view ours) {
    const auto found = std::ranges::find(titanSchedules, ours, &TitanSchedule::ours);
    return found == std::end(titanSchedules) ? nullptr : &*found;
}

ExportedLayout writeTitan(const Layout& layout, const TrainerOptions& options, const std::vector<Sentence>& leftOut) {
    return TitanWriter(layout, options).all(leftOut);
}

TrainerTarget torchtitanTarget() {
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
    static constexpr std::string_view leaves[] = {"/run/validate_every", "/run/validation_batches", "/parallel/bucket"};
    return {.name = "torchtitan",
            .program = "torchtitan",
            .description = "a TOML, with the schedule's CSV and the model's flavor beside it where they need one",
            .extension = ".torchtitan.toml",
            .says = says,
            .leaves = leaves,
            .refuse = refuseForTitan,
            .write = writeTitan,
            .recognises = looksLikeTitan,
            .read = readTitan};
}

}  // namespace shardlab::trace
