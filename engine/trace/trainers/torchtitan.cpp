// SPDX-License-Identifier: Apache-2.0
// The TOML of torchtitan (torchtitan/config/job_config.py of 0.2.2), with the schedule's CSV and the model's shape in
// files of their own where it has no name for them.
#include "engine/layout/block_parts.h"
#include "engine/layout/field_effect.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/recompute.h"
#include "engine/layout/fp8.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::trace {
namespace {

constexpr std::string_view titan = "torchtitan";

bool titanEffect(std::string_view pointer, const Layout& layout) {
    return withoutEffect(pointer, layout, scheduleMethods()).empty();
}

/// The words of torchtitan's activation_checkpoint.mode and selective_ac_option. Its k-th blocks are counted through
/// the stages of a rank; which of a stage's blocks they are changes neither its time nor its memory. Empty: it has
/// none.
std::vector<std::string> titanRecompute(const Layout& layout) {
    const MemorySpec& memory = layout.memory;
    if (memory.recompute == RecomputeKind::None) return {"none"};
    if (memory.recomputeBlocks == 0)
        return recomputesOperations(memory) ? std::vector<std::string>{"selective", "op"}
                                            : std::vector<std::string>{"full"};
    const std::vector<int> stages = stageLayers(layout);
    const int every = stages.front() / memory.recomputeBlocks;
    const bool even = std::ranges::all_of(
        stages, [&](int blocks) { return blocks == stages.front() && blocks == every * memory.recomputeBlocks; });
    if (memory.recompute != RecomputeKind::Full || !even) return {};
    return {"selective", std::to_string(every)};
}

class TitanRefusals {
public:
    TitanRefusals(const Layout& layout, std::vector<Fault>& faults) : layout_(layout), faults_(faults) {}

    void all() {
        refuseUnevenHosts(layout_, titan, faults_);
        refuseExchanges(layout_, titan, faults_);
        model();
        parallel();
        precision();
        optimizer();
        memory();
    }

private:
    void refuse(std::string pointer, const Sentence& what, const Sentence& why, const Sentence& legal) {
        faults_.push_back({std::move(pointer), say("{} for {}", what, titan), why, legal});
    }

    void model() {
        const ModelSpec& m = layout_.model;
        if (!traits(m.kind).attention || hasExperts(m))
            return refuse("/model/kind", say("the model {}", wordOf(m.kind)),
                          say("of Shardlab's models it has the blocks of llama3 and qwen3"), "llama");
        const BlockParts parts = blockParts(m);
        const auto part = [&](bool differs, std::string_view pointer, const Sentence& what, const Sentence& legal) {
            if (differs)
                refuse(std::string(pointer), what,
                       say("its models llama3 and qwen3 have RMSNorm, rotary positions, SwiGLU and no biases"), legal);
        };
        part(!parts.rmsNorm, "/model/norm", say("layer norms"), "rms");
        part(!parts.rotary, "/model/positions",
             parts.alibi ? say("scores that fall with the distance") : say("learned positions"), "rotary");
        refuseScores(m, titan, faults_);
        if (predictionModules(m) > 0)
            refuse("/model/predicted_tokens", say("tokens predicted ahead"),
                   say("its models llama3 and qwen3 predict the next token alone"), "0");
        part(parts.biases || parts.qkvBias, "/model/biases", say("biases"), "none");
        part(parts.activation != ActivationKind::SwiGlu, "/model/activation", std::string(wordOf(parts.activation)),
             "swiglu");
        if (m.block.window > 0)
            refuse("/model/window", say("attention to a window"), say("its models attend to all tokens before"), "0");
        if (m.dropout > 0) refuse("/model/dropout", say("dropout"), say("its models have none"), "0");
        if (!evenWidth(m))
            refuse("/model/feed_forward", say("feed-forward widths that differ between layers"),
                   say("its models have one width"), fmt::format("[{}]", feedForwardWidth(m, 0)));
        if (!parts.rotary) return;
        const RotarySpec& r = m.block.rotary;
        if (titanIsQwen3(m) && r.scaling != RotaryScaling::None)
            refuse("/model/rope_scaling", say("{} in a qwen3", wordOf(r.scaling)),
                   say("a model with norms of queries and keys, a tied output or heads of another width than hidden ÷ "
                       "heads is "
                       "its qwen3, which scales no positions"),
                   "none");
        else if (r.scaling == RotaryScaling::Yarn)
            refuse("/model/rope_scaling", "yarn", say("its llama3 scales positions as Llama 3 does"),
                   say("none or llama3"));
    }

    void parallel() {
        const ParallelSpec& p = layout_.parallel;
        if (p.zero == 1) refuse("/parallel/zero", "ZeRO 1", say("FSDP divides gradients too"), say("2, or 0"));
        if (p.tensor > 1 && !p.sequence)
            refuse("/parallel/sequence", say("tensor parallelism without sequence parallelism"),
                   say("its tensor ranks split the tokens between their blocks always"), "true");
        if (p.pipeline > 1 && titanIsQwen3(layout_.model))
            refuse("/parallel/pipeline", say("a qwen3 over {} stages", p.pipeline),
                   say("a model with norms of queries and keys, a tied output or heads of another width than hidden ÷ "
                       "heads is "
                       "its qwen3, which has no pipeline"),
                   "1");
        const ScheduleMethod* method = findScheduleMethod(layout_.schedule.kind);
        if (method != nullptr && !method->flushes)
            refuse("/schedule/kind", method->name, say("its pipelines end every step with a flush"), "1f1b");
        else if (p.pipeline == 1 && !runsAs(layout_, "1f1b"))
            refuse("/schedule/kind", say("{} on one pipeline rank", layout_.schedule.kind),
                   say("without a pipeline it takes one microbatch after the other"), "1f1b");
    }

    void precision() {
        const PrecisionSpec& p = layout_.precision;
        if (p.compute == NumberFormat::Fp16)
            refuse("/precision/compute", "fp16", say("it trains in bf16 and fp32, without a loss scale"), "bf16");
        if (p.lossScale != LossScaling::None)
            refuse("/precision/loss_scale", say("a {} loss scale", wordOf(p.lossScale)), say("it has none"), "none");
        if (p.compute != NumberFormat::Bf16) return;
        const bool sharded = titanShards(layout_);
        if (sharded && p.weights != WeightStorage::Master)
            refuse("/precision/weights", say("{} with FSDP", wordOf(p.weights)),
                   say("FSDP gathers fp32 weights in bf16 for the layers"), "master");
        if (!sharded && p.weights != WeightStorage::Fp32)
            refuse("/precision/weights", say("{} without FSDP", wordOf(p.weights)),
                   say("without FSDP weights are fp32 and autocast rounds them for each product"),
                   say("fp32; or parallel.zero 2 or 3"));
        if (sharded && p.weights == WeightStorage::Master && p.gradients != GradientFormat::Fp32)
            refuse("/precision/gradients", say("gradients in bf16"), say("it reduces them in fp32"), "fp32");
        if (p.products == ProductFormat::NvFp4 && titanEffect("/precision/products", layout_))
            refuse("/precision/products", "nvfp4", say("its products have 8 bits or 16"), say("compute, fp8 or mxfp8"));
        if (p.products == ProductFormat::Fp8Blocks && titanEffect("/precision/products", layout_))
            refuse("/precision/products", "fp8-blocks", say("its scales are those of a tensor, a row or 32 numbers"),
                   say("compute, fp8 or mxfp8"));
        if (delaysScales(p) && titanEffect("/precision/scaling", layout_))
            refuse("/precision/scaling", say("delayed scales"), say("its scales come from present values"), "current");
    }

    void optimizer() {
        const OptimizerSpec& o = layout_.optimizer;
        if (o.kind != knownAdamW) refuse("/optimizer/kind", wordOf(o.kind), say("it has Adam and AdamW"), "adamw");
        if (o.warmup > layout_.run.steps)
            refuse("/optimizer/warmup", say("a warm-up of {} in {} steps", o.warmup, layout_.run.steps),
                   say("torchtitan shortens it to the steps of the run"), say("at most {}", layout_.run.steps));
    }

    void memory() {
        const RecomputeKind kind = layout_.memory.recompute;
        if (kind != RecomputeKind::None && kind != RecomputeKind::Full && kind != RecomputeKind::Operations)
            refuse("/memory/recompute", wordOf(kind),
                   say("it computes whole blocks again, every block or each k-th, or single operations"),
                   say("none, full or operations"));
        else if (kind != RecomputeKind::None && layout_.memory.recomputeBlocks > 0 && titanRecompute(layout_).empty())
            refuse("/memory/recompute_blocks",
                   say("{} of each stage's blocks computed again", layout_.memory.recomputeBlocks),
                   say("it computes each k-th block again, and operations in every block"),
                   say("0; or with recompute full a divisor of the blocks of every stage"));
        if (layout_.memory.offload == OffloadKind::Optimizer)
            refuse("/memory/offload", say("the optimizer alone on the host"),
                   say("it moves parameters, gradients and the optimizer's state together"),
                   say("none; or parameters with parallel.zero 3"));
        else if (offloadsParameters(layout_.memory) && replicaCount(layout_.parallel) == 1)
            refuse("/memory/offload", say("parameters on the host of one replica"),
                   say("its offloading is a part of FSDP, which divides them"),
                   say("none; or parallel.data of at least 2"));
        if (layout_.checkpoint.every > 0 && layout_.checkpoint.keep < 2)
            refuse("/checkpoint/keep", say("one checkpoint that stays"),
                   say("it removes the older one only after the newer is whole, and keeps two at least"),
                   say("2 or more"));
    }

    const Layout& layout_;
    std::vector<Fault>& faults_;
};

/// A name that Python can import.
std::string pythonName(std::string_view stem) {
    std::string name;
    for (const char c : stem) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "_" + name;
    return name;
}

std::string tomlString(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text)
        if (c == '"' || c == '\\') quoted += {'\\', c};
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) quoted += fmt::format("\\u{:04x}", int(c));
        else quoted += c;
    return quoted + '"';
}

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
        const std::string_view family = titanIsQwen3(m) ? "qwen3" : "llama3";
        std::string flavor(titanFlavorOf(m));
        const bool own = flavor.empty();
        if (own) flavor = "shardlab";
        section("model");
        add("name", tomlString(family));
        add("flavor", tomlString(flavor));
        const ProductFormat products = layout_.precision.products;
        const bool rounds = products != ProductFormat::Compute && titanEffect("/precision/products", layout_);
        if (rounds)
            add("converters",
                products == ProductFormat::Fp8 ? "[\"quantize.linear.float8\"]" : "[\"quantize.linear.mx\"]");
        if (rounds && products == ProductFormat::Fp8) {
            section("quantize.linear.float8");
            add("recipe_name", "\"tensorwise\"");
        } else if (rounds) {
            section("quantize.linear.mx");
            add("recipe_name", "\"mxfp8_cublas\"");
        }
        if (!own) return;
        const std::string module = pythonName(options_.stem) + "_flavor";
        companions_.push_back({module + ".py", titanFlavorText(m, flavor)});
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
        add("pipeline_parallel_degree", p.pipeline);
        if (p.pipeline > 1) pipeline();
    }

    void pipeline() {
        const Schedule schedule = *generateSchedule(layout_.schedule.kind, scheduleShape(layout_));
        const TitanSchedule* named = titanScheduleOf(layout_.schedule.kind);
        if (named != nullptr) {
            add("pipeline_parallel_schedule", tomlString(named->theirs));
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

    /// Rank r has the stages r and 2p − 1 − r.
    static bool isFolded(const Schedule& schedule) {
        const int ranks = static_cast<int>(schedule.ranks.size());
        if (schedule.stages() != 2 * ranks) return false;
        for (int stage = ranks; stage < 2 * ranks; ++stage)
            if (schedule.rankOfStage[static_cast<std::size_t>(stage)] != 2 * ranks - 1 - stage) return false;
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

bool titanShards(const Layout& layout) { return layout.parallel.zero >= 2 || layout.parallel.context > 1; }

bool titanIsQwen3(const ModelSpec& model) {
    const BlockParts parts = blockParts(model);
    return parts.queryKeyNorms || parts.tied || headWidth(model) * model.heads != model.hidden;
}

const TitanSchedule* titanScheduleOf(std::string_view ours) {
    const auto found = std::ranges::find(titanSchedules, ours, &TitanSchedule::ours);
    return found == std::end(titanSchedules) ? nullptr : &*found;
}

void refuseForTitan(const Layout& layout, std::vector<Fault>& faults) { TitanRefusals(layout, faults).all(); }

ExportedLayout writeTitan(const Layout& layout, const TrainerOptions& options, const std::vector<Sentence>& leftOut) {
    return TitanWriter(layout, options).all(leftOut);
}

TrainerTarget torchtitanTarget() {
    static constexpr std::string_view says[] = {"/name",
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
                                                "/checkpoint/path"};
    static constexpr std::string_view leaves[] = {"/run/validate_every", "/run/validation_batches", "/parallel/bucket",
                                                  "/parallel/expert", "/parallel/expert_tensor"};
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
