// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/megatron.h"

#include "engine/base/visible_text.h"
#include "engine/layout/block_parts.h"
#include "engine/layout/recompute.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/trace/trainers/launched_ranks.h"
#include "engine/trace/trainers/megatron_experts.h"
#include "engine/trace/trainers/megatron_log.h"
#include "engine/trace/trainers/megatron_modules.h"
#include "engine/trace/trainers/program_options.h"
#include "engine/trace/trainers/stage_string.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardlab::trace {
namespace {

class MegatronReader {
public:
    MegatronReader(ProgramOptions& options, std::string_view script) : options_(options), script_(script) {}

    /// `chosen`: somebody has chosen each of the options, so that those that are left out are worth a note.
    ConfigLayout all(const std::filesystem::path& file, bool chosen) {
        layout_.name = options_.text("wandb-exp-name").value_or(file.filename().replace_extension().string());
        model();
        parallel();
        batch();
        pipeline();
        precision();
        optimizer();
        memory();
        data();
        if (Sentence modelled = modelTimes(layout_, stack()); !modelled.empty()) note(std::move(modelled));
        for (const char* name :
             {"local-rank", "node-rank", "master-addr", "master-port", "rdzv-backend", "rdzv-endpoint", "rdzv-id",
              "log-interval", "ckpt-format", "moe-token-dispatcher-type", "use-mcore-models", "lr-decay-iters", "load"})
            options_.pass(name);
        if (chosen)
            for (Sentence& line : options_.leftOver()) notes_.push_back(std::move(line));
        else if (layout_.cluster.hosts.size() > 1)
            note(say("the log does not say how many devices a node has: the layout's have {}",
                     layout_.cluster.hosts.front().devices));
        return {std::move(layout_), std::move(notes_)};
    }

private:
    void note(Sentence text) { notes_.push_back(std::move(text)); }

    /// The text does not hang on what the script is given or asks when it runs, as "$1" does.
    static bool isSettled(std::string_view text) { return text.find_first_of("$`") == std::string_view::npos; }

    void model() {
        ModelSpec& m = layout_.model;
        options_.read("num-layers", m.layers);
        options_.read("hidden-size", m.hidden);
        options_.read("num-attention-heads", m.heads);
        const int width = options_.integer("kv-channels").value_or(0);
        if (m.heads > 0 && width > 0 && std::int64_t{width} * m.heads != m.hidden) m.block.headWidth = width;
        const bool groups = options_.flag("group-query-attention");
        const auto keys = options_.integer("num-query-groups");
        if (groups && keys.value_or(1) != m.heads) m.block.kvHeads = keys.value_or(1);
        if (!options_.read("seq-length", m.sequence)) options_.read("encoder-seq-length", m.sequence);
        const int positions = options_.integer("max-position-embeddings").value_or(m.sequence);
        parts();
        if (options_.flag("multi-latent-attention")) latent();
        if (positions > m.sequence && !blockParts(m).rotary)
            note(say("--max-position-embeddings is {}; a layout learns as many positions as its sequence has, {}",
                     positions, m.sequence));
        const bool gated = blockParts(m).gated();
        // Without a width of its own a gate has two thirds of 4 · hidden, in steps of 64.
        const std::int64_t four = std::int64_t{4} * m.hidden, usual = gated ? four * 2 / 3 / 64 * 64 : four;
        const int inner =
            options_.integer("ffn-hidden-size").value_or(static_cast<int>(std::min<std::int64_t>(usual, 1 << 30)));
        if (inner != four) m.feedForward = {inner};
        const double attention = options_.number("attention-dropout").value_or(0.1);
        m.dropout = options_.number("hidden-dropout").value_or(0.1);
        if (attention != m.dropout)
            note(say("--attention-dropout is {}; a layout has one dropout, {}", numberText(attention),
                     numberText(m.dropout)));
        options_.read("mtp-num-layers", m.predictedTokens);
        if (m.predictedTokens > 0) m.predictionWeight = options_.number("mtp-loss-scaling-factor").value_or(0.1);
        if (options_.has("num-experts")) readExperts(options_, inner, m, notes_);
        chooseParts(m);
    }

    std::string_view stack() {
        if (options_.flag("deepspeed")) return "megatron-deepspeed";
        const std::vector<std::string> graphs = options_.all("cuda-graph-scope");
        if (std::ranges::find(graphs, "full_iteration") != graphs.end()) return "megatron-core-graphs";
        return options_.flag("overlap-moe-expert-parallel-comm") ? "megatron-core-overlap" : "megatron-core";
    }

    void parts() {
        ModelSpec& m = layout_.model;
        BlockSpec& b = m.block;
        const bool rms = options_.text("normalization").value_or("LayerNorm") == "RMSNorm";
        std::string positions = options_.text("position-embedding-type").value_or("learned_absolute");
        if (options_.flag("use-rotary-position-embeddings")) positions = "rope";
        const bool rotary = positions == "rope";
        if (!rotary && positions != "learned_absolute")
            note(say("--position-embedding-type {}: the layout learns positions", positions));
        m.kind = rms && rotary ? knownLlama : knownGpt;
        b.norm = rms ? NormKind::Rms : NormKind::Layer;
        b.positions = rotary ? PositionKind::Rotary : PositionKind::Learned;
        options_.read("norm-epsilon", b.normEpsilon);
        b.queryKeyNorms = options_.flag("qk-layernorm");
        if (b.queryKeyNorms && !rms)
            note(say("--qk-layernorm with LayerNorm: the layout's norms of queries and keys are RMSNorms"));
        const bool biases = !options_.flag("disable-bias-linear"), qkv = options_.flag("add-qkv-bias");
        b.biases = biases ? BiasKind::All : qkv ? BiasKind::Qkv : BiasKind::None;
        const bool fused = !options_.flag("no-bias-gelu-fusion") && biases;
        const bool swiglu = options_.flag("swiglu"), squared = options_.flag("squared-relu");
        b.activation = swiglu    ? ActivationKind::SwiGlu
                       : squared ? ActivationKind::SquaredRelu
                       : fused   ? ActivationKind::GeluTanh
                                 : ActivationKind::Gelu;
        b.output = options_.flag("untie-embeddings-and-output-weights") ? OutputKind::Separate : OutputKind::Tied;
        if (options_.has("rotary-base")) options_.read("rotary-base", b.rotary.base);
        if (options_.flag("use-rope-scaling")) {
            b.rotary.scaling = RotaryScaling::Llama3;
            options_.read("rope-scaling-factor", b.rotary.factor);
        }
        window();
    }

    void latent() {
        BlockSpec& b = layout_.model.block;
        b.kvRank = options_.integer("kv-lora-rank").value_or(32);
        options_.read("q-lora-rank", b.queryRank);
        b.headWidth = options_.integer("qk-head-dim").value_or(128);
        b.ropeWidth = options_.integer("qk-pos-emb-head-dim").value_or(64);
        b.valueWidth = options_.integer("v-head-dim").value_or(128);
        if (b.valueWidth == b.headWidth) b.valueWidth = 0;
        b.queryKeyNorms = false;  // those of the latents
        b.kvHeads = 0;
        const bool yarn = options_.text("rope-type").value_or("yarn") == "yarn";
        b.rotary.scaling = yarn ? RotaryScaling::Yarn : RotaryScaling::None;
        if (yarn) {
            b.rotary.factor = options_.number("rotary-scaling-factor").value_or(1);
            b.rotary.original = 4096;
        }
        const double scale = options_.number("mscale").value_or(1), all = options_.number("mscale-all-dim").value_or(0);
        if (yarn && (scale != 1 || all != 1))
            note(say("--mscale {} and --mscale-all-dim {}: the layout has 1 for both", numberText(scale),
                     numberText(all)));
    }

    void window() {
        BlockSpec& b = layout_.model.block;
        std::string text = options_.text("window-size").value_or("");
        if (text.empty()) return;
        std::erase_if(text, [](char c) { return c == '(' || c == ')' || c == ' '; });
        const auto before = parseNumber<std::int64_t>(text.substr(0, text.find(',')));
        if (!before || *before < 0 || *before >= (1 << 24))
            return note(say("--window-size {}: the layout has no window", shortened(text)));
        b.window = static_cast<int>(*before) + 1;
        options_.read("window-attn-skip-freq", b.fullEvery);
    }

    void parallel() {
        ParallelSpec& p = layout_.parallel;
        p.data = p.pipeline = 1;
        options_.read("tensor-model-parallel-size", p.tensor);
        options_.read("pipeline-model-parallel-size", p.pipeline);
        options_.read("context-parallel-size", p.context);
        const std::string method = options_.text("cp-comm-type").value_or("p2p");
        if (p.context > 1 && method == "a2a") p.contextKind = ContextKind::Ulysses;
        else if (p.context > 1 && method != "p2p")
            note(say("--cp-comm-type {}: parallel.context_method is ring", method));
        options_.read("expert-model-parallel-size", p.expert);
        options_.read("expert-tensor-parallel-size", p.expertTensor);
        if (p.expertTensor == p.tensor || !hasExperts(layout_.model)) p.expertTensor = 0;
        p.sequence = options_.flag("sequence-parallel") && p.tensor > 1;
        const auto strategy = options_.text("data-parallel-sharding-strategy").value_or("no_shard");
        const bool fsdp = options_.flag("use-megatron-fsdp"), sharded = options_.flag("use-distributed-optimizer");
        const bool torch = options_.flag("use-torch-fsdp2");
        p.zero = torch ? (options_.flag("torch-fsdp2-no-reshard-after-forward") ? 2 : 3)
                 : fsdp && strategy == "optim_grads_params" ? 3
                 : fsdp && strategy == "optim_grads"        ? 2
                 : sharded                                  ? 1
                                                            : 0;
        if (options_.flag("deepspeed")) p.zero = std::clamp(options_.integer("zero-stage").value_or(0), 0, 3);
        const auto [nodes, each] = launchedRanks(options_, script_);
        const auto bounded = [](int number) { return std::clamp<std::int64_t>(number, 1, 1 << 16); };
        const std::int64_t inner = bounded(p.tensor) * bounded(p.pipeline) * bounded(p.context);
        std::int64_t world = bounded(nodes.value_or(1)) * bounded(each.value_or(1));
        const bool known = each && world % inner == 0 && nodes.value_or(1) == bounded(nodes.value_or(1));
        if (!known) {
            world = std::min<std::int64_t>(inner * bounded(expertSpread(p)), 1 << 20);
            note(say("the file does not say how many devices there are, or not a multiple of {}: parallel.data is {}",
                     inner, std::max<std::int64_t>(1, world / inner)));
        }
        p.data = static_cast<int>(std::max<std::int64_t>(1, world / inner));
        const std::int64_t ofNode = bounded(each.value_or(static_cast<int>(world)));
        const int hosts = known ? nodes.value_or(1) : world % ofNode == 0 ? static_cast<int>(world / ofNode) : 1;
        layout_.cluster.hosts = evenHosts(hosts, static_cast<int>(world / hosts));
        if (p.zero > 0 && replicaCount(p) == 1) {
            note(say("the optimizer is distributed over one replica, which divides nothing: parallel.zero is 0"));
            p.zero = 0;
        }
        const int instances = std::max(1, options_.integer("num-distributed-optimizer-instances").value_or(1));
        if (p.zero > 0 && instances > 1 && p.data % instances == 0) p.shard = p.data / instances;
        else if (instances > 1)
            note(say("{} copies of the optimizer over {} data ranks: the layout has one", instances, p.data));
        options_.read("max-restarts", layout_.run.maxRestarts);
    }

    void batch() {
        BatchSpec& b = layout_.batch;
        options_.read("micro-batch-size", b.micro);
        b.global = std::clamp(b.micro, 1, 1 << 14) * std::clamp(layout_.parallel.data, 1, 1 << 16);
        options_.read("global-batch-size", b.global);
        options_.read("train-iters", layout_.run.steps);
        if (const auto samples = options_.number("train-samples"); samples && b.global > 0)
            layout_.run.steps = static_cast<int>(std::clamp(*samples / b.global, 1.0, 2147483647.0));
        if (const auto seed = options_.whole("seed")) layout_.run.seed = *seed;
        else layout_.run.seed = 1234;
    }

    void pipeline() {
        ScheduleSpec& s = layout_.schedule;
        const int p = layout_.parallel.pipeline;
        const std::int64_t layers = layout_.model.layers;
        const auto first = options_.integer("decoder-first-pipeline-num-layers"),
                   last = options_.integer("decoder-last-pipeline-num-layers");
        const bool embedding = options_.flag("account-for-embedding-in-pipeline-split"),
                   loss = options_.flag("account-for-loss-in-pipeline-split");
        s.chunks = options_.integer("num-virtual-stages-per-pipeline-rank").value_or(1);
        const auto each = options_.integer("num-layers-per-virtual-pipeline-stage");
        const std::int64_t counted = layers + (embedding ? 1 : 0) + (loss ? 1 : 0);
        if (each && *each > 0 && p > 0 && counted / p / *each > 0) s.chunks = static_cast<int>(counted / p / *each);
        if (const auto text = options_.text("pipeline-model-parallel-layout")) {
            if (const auto split = readStageString(*text); split && p > 0) {
                s.stages = split->layers;
                s.chunks = static_cast<int>(s.stages.size()) / p;
                if (split->modulesBefore)
                    note(say("--pipeline-model-parallel-layout {}: what predicts further tokens is in the layout's "
                             "last stage, and a stage that had nothing else has a layer of one before it",
                             shortened(*text)));
            } else {
                note(say("--pipeline-model-parallel-layout {}: the layout splits its layers evenly", shortened(*text)));
            }
        } else if ((first || last) && p >= 2 && p < 65536 && s.chunks == 1) {
            // What the ends do not hold is shared by the stages between them.
            const std::int64_t ends = std::int64_t{first.value_or(0)} + last.value_or(0);
            const int others = p - (first ? 1 : 0) - (last ? 1 : 0);
            s.stages.assign(static_cast<std::size_t>(p), others > 0 ? static_cast<int>((layers - ends) / others) : 0);
            if (first) s.stages.front() = *first;
            if (last) s.stages.back() = *last;
        } else if (first || last) {
            note(say("--decoder-first-pipeline-num-layers with several chunks: the layout splits its layers evenly"));
        }
        if (p > 1 && embedding && loss) s.countEnds = true;
        else if (p > 1 && (embedding || loss)) oneEnd(embedding);
        if (s.chunks > 1) s.kind = "interleaved-1f1b";
        options_.pass("microbatch-group-size-per-virtual-pipeline-stage");
    }

    /// Embedding or loss alone counts as a layer: the stage that has it holds one fewer.
    void oneEnd(bool embedding) {
        const std::int64_t stages = std::int64_t{layout_.parallel.pipeline} * layout_.schedule.chunks;
        if (stages < 1 || stages > 65536 || !layout_.schedule.stages.empty()) return;
        std::vector<int>& split = layout_.schedule.stages;
        split.assign(static_cast<std::size_t>(stages),
                     static_cast<int>((std::int64_t{layout_.model.layers} + 1) / stages));
        --(embedding ? split.front() : split.back());
    }

    void precision() {
        PrecisionSpec& p = layout_.precision;
        const bool half = options_.flag("fp16"), bf16 = options_.flag("bf16");
        if (half || bf16) p.compute = half ? NumberFormat::Fp16 : NumberFormat::Bf16;
        const bool wide = options_.flag("accumulate-allreduce-grads-in-fp32"),
                   narrow = options_.flag("grad-reduce-in-bf16");
        if ((half && wide) || (bf16 && !narrow)) p.gradients = GradientFormat::Fp32;
        if (const auto scale = options_.number("loss-scale"); scale && (half || bf16)) {
            p.lossScale = LossScaling::Static;
            p.scale = *scale;
        } else if (half) {
            p.lossScale = LossScaling::Dynamic;
            p.scale = options_.number("initial-loss-scale").value_or(4294967296.0);
            if (p.scale > 16777216) {
                note(say("--initial-loss-scale {}: the layout begins with 16777216", numberText(p.scale)));
                p.scale = 16777216;
            }
            p.scaleWindow = options_.integer("loss-scale-window").value_or(1000);
            if (options_.integer("hysteresis").value_or(2) > 1)
                note(say("--hysteresis above 1: the layout halves its loss scale at the first overflow"));
        }
        products();
        const double bytes = gradientBytes(p);
        ParallelSpec& parallel = layout_.parallel;
        const bool overlaps = options_.flag("overlap-grad-reduce");
        if (replicaCount(parallel) == 1 || parallel.zero >= 2) return options_.pass("ddp-bucket-size");
        // Left to itself a bucket has 40 million elements, or a million for each replica where those are more.
        const double elements = options_.number("ddp-bucket-size").value_or(std::max(40e6, 1e6 * parallel.data));
        parallel.bucket = overlaps ? std::min(1e6, rounded(elements * bytes / 1e6)) : 0;
    }

    void products() {
        const auto fp8 = options_.text("fp8-format");
        const bool fp4 = options_.has("fp4-format");
        const std::string recipe = options_.text("fp8-recipe").value_or("delayed");
        options_.pass("fp4-format");
        if (!fp8 && !fp4) return;
        if (layout_.precision.compute == NumberFormat::Fp32)
            return note(say("products in fewer than 16 bits: the layout has them with 16-bit formats"));
        const bool blocks = recipe == "mxfp8";
        PrecisionSpec& p = layout_.precision;
        p.products = fp4                     ? ProductFormat::NvFp4
                     : blocks                ? ProductFormat::MxFp8
                     : recipe == "blockwise" ? ProductFormat::Fp8Blocks
                                             : ProductFormat::Fp8;
        if (fp8 && recipe == "delayed" && layout_.parallel.expert > 1) {
            note(say("--fp8-recipe delayed with experts over several ranks: the layout scales by present values"));
        } else if (fp8 && recipe == "delayed") {
            p.scaling = ProductScaling::Delayed;
            p.amaxHistory = options_.integer("fp8-amax-history-len").value_or(1);
            p.margin = options_.integer("fp8-margin").value_or(0);
            if (const auto algorithm = options_.text("fp8-amax-compute-algo"); algorithm && *algorithm != "max")
                note(say("--fp8-amax-compute-algo: a delayed scale comes from the largest magnitude of its history"));
        }
        if (fp8 && recipe != "tensorwise" && recipe != "mxfp8" && recipe != "delayed" && recipe != "blockwise")
            note(say("--fp8-recipe {}: the layout has a scale for each tensor", recipe));
    }

    void optimizer() {
        OptimizerSpec& o = layout_.optimizer;
        const std::string kind = options_.text("optimizer").value_or("adam");
        o.kind = kind == "sgd" ? knownSgd : knownAdamW;
        if (kind != "sgd" && kind != "adam") note(say("--optimizer {}: the layout trains with adamw", kind));
        if (o.kind == knownSgd) o.momentum = options_.number("sgd-momentum").value_or(0.9);
        else
            o.adamw = {{options_.number("adam-beta1").value_or(0.9), options_.number("adam-beta2").value_or(0.999)},
                       options_.number("adam-eps").value_or(1e-8)};
        o.weightDecay = options_.number("weight-decay").value_or(0.01);
        o.clip = options_.number("clip-grad").value_or(1.0);
        options_.read("lr", o.learningRate);
        o.warmup = 0;
        const int steps = layout_.run.steps;
        if (const auto share = options_.number("lr-warmup-fraction"))
            o.warmup = static_cast<int>(std::clamp(*share, 0.0, 1.0) * steps);
        options_.read("lr-warmup-iters", o.warmup);
        if (const auto samples = options_.number("lr-warmup-samples"); samples && layout_.batch.global > 0)
            o.warmup = static_cast<int>(std::clamp(*samples / layout_.batch.global, 0.0, 2147483647.0));
        const std::string style = options_.text("lr-decay-style").value_or("linear");
        if (style == "constant" || style == "cosine" || style == "linear")
            o.schedule = style == "constant" ? RateSchedule::Constant
                         : style == "cosine" ? RateSchedule::Cosine
                                             : RateSchedule::Linear;
        else note(say("--lr-decay-style {}: the layout's learning rate is constant", style));
        if (o.schedule != RateSchedule::Constant) o.minimum = options_.number("min-lr").value_or(0);
        const auto decay = options_.integer("lr-decay-iters");
        if (decay && *decay != steps && o.schedule != RateSchedule::Constant)
            note(say("--lr-decay-iters is {}; the layout's learning rate falls over all {} steps", *decay, steps));
    }

    void memory() {
        MemorySpec& m = layout_.memory;
        const std::string granularity = options_.text("recompute-granularity").value_or("");
        const bool selective = options_.flag("recompute-activations") || granularity == "selective";
        const auto modules = options_.all("recompute-modules");
        WordSet<RecomputePart> parts;
        for (const std::string& each : modules) {
            if (const auto part = partOfModule(each)) parts.set(*part, true);
            else note(say("--recompute-modules {}: the layout has no such part to compute again", each));
        }
        if (modules.empty()) parts.set(RecomputePart::Core, true);
        if (selective) recomputeParts(layout_.model, parts, m);
        if (selective && activatesOutsideExperts(layout_))
            note(say("--recompute-modules moe_act: the layout computes the activations of other blocks again, too"));
        const bool block = options_.text("recompute-method").value_or("") == "block";
        const int number = options_.integer("recompute-num-layers").value_or(1);
        if (options_.flag("checkpoint-activations")) m.recompute = RecomputeKind::Full;  // until 2022
        if (granularity == "full") {
            m.recompute = !block && number > 1 ? RecomputeKind::Every : RecomputeKind::Full;
            if (m.recompute == RecomputeKind::Every) m.recomputeEvery = number;
            if (block) m.recomputeBlocks = number;
        }
        m.partitionActivations = options_.flag("distribute-saved-activations");
        options_.pass("use-precision-aware-optimizer");
        if (options_.flag("optimizer-cpu-offload")) m.offload = OffloadKind::Optimizer;
        const double share = options_.number("optimizer-offload-fraction").value_or(1);
        if (share != 1) note(say("--optimizer-offload-fraction {}: the layout offloads all of it", numberText(share)));
    }

    void data() {
        DataSpec& d = layout_.data;
        const std::vector<std::string> paths = options_.all("data-path");
        if (options_.flag("mock-data")) {
            if (!paths.empty()) note(say("--data-path beside --mock-data: the layout's data is its generator"));
        } else if (std::ranges::any_of(paths, [](const std::string& path) { return !isSettled(path); })) {
            note(say("--data-path {}: the script settles it when it runs, and the layout's data is its generator",
                     shortened(paths.front())));
        } else if (paths.size() == 1) {
            d.kind = DataKind::Tokens;
            d.path = paths.front() + ".bin";
        } else if (!paths.empty()) {
            note(say("--data-path with several files: the layout's data is its generator"));
        }
        if (const auto split = options_.text("split")) shares(*split);
        vocabulary();
        options_.read("eval-iters", layout_.run.validationBatches);
        if (layout_.run.validationBatches < 1) {
            layout_.run.validationBatches = 1;
            d.validation = 0;
        }
        const int every = options_.integer("eval-interval").value_or(1000);
        layout_.run.validateEvery = every >= layout_.run.steps ? 0 : every;
        if (const auto folder = options_.text("save")) {
            if (isSettled(*folder)) layout_.checkpoint.path = *folder;
            else
                note(say("--save {}: the script settles it when it runs, and checkpoints lie beside the run file",
                         shortened(*folder)));
            if (!options_.read("save-interval", layout_.checkpoint.every))
                options_.read("persistent-save-interval", layout_.checkpoint.every);
        } else {
            options_.pass("save-interval");
        }
    }

    void shares(const std::string& text) {
        double sum = 0, second = 0;
        int place = 0;
        for (std::size_t begin = 0; begin <= text.size(); ++place) {
            const std::size_t end = std::min(text.find_first_of(",/", begin), text.size());
            std::string part = text.substr(begin, end - begin);
            std::erase(part, ' ');
            const double value = readNumber(part).value_or(0);
            sum += value;
            if (place == 1) second = value;
            begin = end + 1;
        }
        if (!(sum > 0) || second < 0) return note(say("--split {}: data.validation stays", shortened(text)));
        layout_.data.validation = std::min(0.5, rounded(second / sum));
    }

    void vocabulary() {
        const bool gpt = script_.find("pretrain_gpt") != std::string_view::npos;  // which has a tokenizer of its own
        const std::string tokenizer = options_.text("tokenizer-type").value_or(gpt ? "GPT2BPETokenizer" : "");
        const auto size = options_.integer("vocab-size"), padded = options_.integer("padded-vocab-size");
        const int divisor = options_.integer("make-vocab-size-divisible-by").value_or(128);
        for (const char* name : {"vocab-file", "merge-file", "tokenizer-model"})
            if (const auto file = options_.text(name))
                note(say("--{} {}: name the tokenizer in data.tokenizer_path", name, *file));
        int& vocabulary = layout_.model.vocabulary;
        if (padded) vocabulary = *padded;
        else if (size) vocabulary = *size + (tokenizer == "NullTokenizer" && *size < (1 << 20) ? 1 : 0);
        else if (tokenizer == "GPT2BPETokenizer") vocabulary = 50257;
        else if (tokenizer == "Llama2Tokenizer") vocabulary = 32000;
        else return note(say("the file does not say how many tokens there are: model.vocabulary is {}", vocabulary));
        const std::int64_t theirs =
            paddedVocabulary(vocabulary, std::clamp(divisor, 1, 1 << 20), std::max(1, layout_.parallel.tensor));
        if (!padded && theirs != vocabulary)
            note(say("Megatron-LM pads the vocabulary of {} to {}; the layout's has {}", vocabulary, theirs,
                     vocabulary));
    }

    ProgramOptions& options_;
    std::string_view script_;
    Layout layout_;
    std::vector<Sentence> notes_;
};

}  // namespace

bool looksLikeMegatron(std::string_view text) {
    if (optionsOfLog(text)) return true;
    if (text.find("--num-layers") == std::string_view::npos || text.find("--hidden-size") == std::string_view::npos)
        return false;
    const ProgramOptions options(text);
    return options.has("num-layers") && options.has("hidden-size");
}

Result<ConfigLayout> readMegatron(const std::filesystem::path& file, std::string_view text) {
    const std::optional<std::string> logged = optionsOfLog(text);
    ProgramOptions options(logged ? *logged : text);
    return MegatronReader(options, logged ? std::string_view() : text).all(file, !logged);
}

}  // namespace shardlab::trace
