// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/megatron.h"
#include "engine/trace/trainers/megatron_experts.h"
#include "engine/trace/trainers/megatron_modules.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/field_effect.h"
#include "engine/layout/formats.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/recompute.h"
#include "engine/layout/schedule/generators.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/trainers/stage_string.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardlab::trace {
namespace {

constexpr std::string_view megatronFields[] = {
    "/name",
    "/model/kind",
    "/model/layers",
    "/model/hidden",
    "/model/heads",
    "/model/kv_heads",
    "/model/head_width",
    "/model/kv_rank",
    "/model/q_rank",
    "/model/rope_width",
    "/model/value_width",
    "/model/norm",
    "/model/norm_epsilon",
    "/model/qk_norm",
    "/model/positions",
    "/model/sinks",
    "/model/attention_cap",
    "/model/logit_cap",
    "/model/rope_base",
    "/model/rope_scaling",
    "/model/rope_factor",
    "/model/rope_low",
    "/model/rope_high",
    "/model/rope_original",
    "/model/rope_truncate",
    "/model/window",
    "/model/full_every",
    "/model/biases",
    "/model/activation",
    "/model/output",
    "/model/sequence",
    "/model/vocabulary",
    "/model/dropout",
    "/model/feed_forward",
    "/model/predicted_tokens",
    "/model/predicted_tokens_weight",
    "/model/experts",
    "/model/gate",
    "/model/capacity",
    "/model/balance",
    "/model/expert_dropout",
    "/model/top_k",
    "/model/expert_groups",
    "/model/top_groups",
    "/model/experts_every",
    "/model/dense_layers",
    "/model/expert_width",
    "/model/shared_experts",
    "/model/route_scale",
    "/model/bias_rate",
    "/model/score_bias",
    "/data/kind",
    "/data/path",
    "/data/tokenizer",
    "/data/tokenizer_path",
    "/data/validation",
    "/cluster/hosts",
    "/parallel/data",
    "/parallel/pipeline",
    "/parallel/tensor",
    "/parallel/expert",
    "/parallel/expert_tensor",
    "/parallel/context",
    "/parallel/context_method",
    "/parallel/sequence",
    "/parallel/zero",
    "/parallel/shard",
    "/parallel/partition",
    "/parallel/bucket",
    "/parallel/exchange",
    "/schedule/kind",
    "/schedule/chunks",
    "/schedule/stages",
    "/schedule/count_ends",
    "/batch/global",
    "/batch/micro",
    "/precision/compute",
    "/precision/weights",
    "/precision/gradients",
    "/precision/products",
    "/precision/loss_scale",
    "/precision/scale",
    "/precision/scale_window",
    "/precision/scaling",
    "/precision/amax_history",
    "/precision/margin",
    "/precision/exchange",
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
    "/memory/recompute_parts",
    "/memory/partition_activations",
    "/memory/offload",
    "/run/steps",
    "/run/seed",
    "/run/validate_every",
    "/run/validation_batches",
    "/run/max_restarts",
    "/checkpoint/every",
    "/checkpoint/path",
};

bool megatronEffect(std::string_view pointer, const Layout& layout) {
    return withoutEffect(pointer, layout, scheduleMethods()).empty();
}

/// The file of tokens that Megatron-LM's preprocess_data.py makes of a text is named so.
std::string preprocessed(const std::string& path) {
    return std::filesystem::path(path).replace_extension().string() + "_text_document";
}

/// Width inside a block that has no experts, or would have none.
int widthWithoutExperts(ModelSpec model) {
    for (int layer = 0; layer < model.layers; ++layer)
        if (!hasExperts(model, layer)) return feedForwardWidth(model, layer);
    model.experts.width = 0;
    return feedForwardWidth(model, 0);
}

class MegatronWriter {
public:
    explicit MegatronWriter(const Layout& layout) : layout_(layout) {}

    std::vector<MegatronSetting> all() {
        model();
        parallel();
        pipeline();
        batch();
        precision();
        optimizer();
        memory();
        data();
        return std::move(settings_);
    }

private:
    void section(std::string_view title) { settings_.push_back({{}, std::string(title), {}}); }
    void add(std::string_view option, std::string_view value = {}, std::string_view chosen = {}) {
        settings_.push_back({std::string(option), std::string(value), std::string(chosen)});
    }
    void add(std::string_view option, std::int64_t value, std::string_view chosen = {}) {
        add(option, std::to_string(value), chosen);
    }
    void number(std::string_view option, double value) { add(option, numberText(value)); }

    void model() {
        const ModelSpec& m = layout_.model;
        const BlockParts parts = blockParts(m);
        section("Model");
        add("--num-layers", m.layers);
        add("--hidden-size", m.hidden);
        add("--num-attention-heads", m.heads);
        if (parts.latent) latent(m.block);
        else add("--kv-channels", headWidth(m));
        if (keyHeads(m) != m.heads) {
            add("--group-query-attention");
            add("--num-query-groups", keyHeads(m));
        }
        add("--ffn-hidden-size", widthWithoutExperts(m));
        add("--seq-length", m.sequence);
        add("--max-position-embeddings", m.sequence);
        positions(parts);
        add("--normalization", parts.rmsNorm ? "RMSNorm" : "LayerNorm");
        number("--norm-epsilon", parts.normEpsilon);
        if (parts.queryKeyNorms || parts.latent) add("--qk-layernorm");
        if (!parts.biases) add("--disable-bias-linear");
        if (!parts.biases && parts.qkvBias) add("--add-qkv-bias");
        if (parts.activation == ActivationKind::SwiGlu) add("--swiglu");
        if (parts.activation == ActivationKind::SquaredRelu) add("--squared-relu");
        if (parts.activation == ActivationKind::Gelu)
            add("--no-bias-gelu-fusion", "", "the fused kernel computes GELU with tanh");
        if (!parts.tied) add("--untie-embeddings-and-output-weights");
        number("--attention-dropout", m.dropout);
        number("--hidden-dropout", m.dropout);
        if (choosesParts(m) && m.block.window > 0) {
            add("--window-size", fmt::format("{},0", m.block.window - 1));
            if (m.block.fullEvery > 0) add("--window-attn-skip-freq", m.block.fullEvery);
        }
        if (hasExperts(m))
            for (MegatronSetting& setting : expertSettings(layout_)) settings_.push_back(std::move(setting));
        if (const int modules = predictionModules(m); modules > 0) {
            add("--mtp-num-layers", modules);
            number("--mtp-loss-scaling-factor", m.predictionWeight);
            settings_.back().chosen = "its loss is a mean over the tokens that have a target, here over all";
        }
    }

    void latent(const BlockSpec& b) {
        add("--multi-latent-attention");
        if (b.queryRank > 0) add("--q-lora-rank", b.queryRank);
        add("--kv-lora-rank", b.kvRank);
        add("--qk-head-dim", headWidth(layout_.model));
        add("--qk-pos-emb-head-dim", b.ropeWidth);
        add("--v-head-dim", valueWidth(layout_.model));
    }

    void positions(const BlockParts& parts) {
        add("--position-embedding-type", parts.rotary ? "rope" : "learned_absolute");
        if (!parts.rotary) return;
        const RotarySpec& r = layout_.model.block.rotary;
        add("--rotary-base", static_cast<std::int64_t>(r.base));
        if (parts.latent) add("--rope-type", r.scaling == RotaryScaling::Yarn ? "yarn" : "rope");
        if (r.scaling == RotaryScaling::None) return;
        if (r.scaling == RotaryScaling::Yarn) {
            number("--rotary-scaling-factor", r.factor);
            number("--mscale", 1);
            number("--mscale-all-dim", 1);
            return;
        }
        add("--use-rope-scaling");
        number("--rope-scaling-factor", r.factor);
    }

    void parallel() {
        const ParallelSpec& p = layout_.parallel;
        section("Parallelism");
        add("--tensor-model-parallel-size", p.tensor);
        add("--pipeline-model-parallel-size", p.pipeline);
        add("--context-parallel-size", p.context);
        if (p.context > 1) add("--cp-comm-type", exchangesHeads(layout_) ? "a2a" : "p2p");
        if (p.expert > 1) add("--expert-model-parallel-size", p.expert);
        if (p.expertTensor > 0) add("--expert-tensor-parallel-size", p.expertTensor);
        if (p.tensor > 1 && p.sequence) add("--sequence-parallel");
        if (p.zero >= 1) add("--use-distributed-optimizer");
        if (p.zero >= 1 && copyCount(p) > 1) add("--num-distributed-optimizer-instances", copyCount(p));
        if (p.zero >= 2) {
            add("--use-megatron-fsdp");
            add("--data-parallel-sharding-strategy", p.zero == 2 ? "optim_grads" : "optim_grads_params");
            add("--ckpt-format", "fsdp_dtensor", "the only format of Megatron FSDP");
        }
        if (megatronEffect("/parallel/bucket", layout_) && p.bucket > 0) {
            add("--overlap-grad-reduce");
            add("--ddp-bucket-size", std::llround(p.bucket * 1e6 / gradientBytes(layout_.precision)));
        }
    }

    void pipeline() {
        if (layout_.parallel.pipeline == 1) return;
        const std::vector<int> split = stageLayers(layout_);
        const int chunks = layout_.schedule.chunks, layers = layout_.model.layers;
        const bool even = std::ranges::count(split, split.front()) == static_cast<std::ptrdiff_t>(split.size());
        const bool ends = layout_.schedule.stages.empty() && layout_.schedule.countEnds &&
                          (layers + 2) % static_cast<int>(split.size()) == 0;
        const bool middle = chunks == 1 && split.size() > 2 && split.front() > 0 && split.back() > 0 &&
                            std::all_of(split.begin() + 1, split.end() - 1, [&](int each) { return each == split[1]; });
        if (ends) {
            add("--account-for-embedding-in-pipeline-split");
            add("--account-for-loss-in-pipeline-split");
        } else if (!even && middle) {
            add("--decoder-first-pipeline-num-layers", split.front());
            add("--decoder-last-pipeline-num-layers", split.back());
        } else if (!even) {
            add("--pipeline-model-parallel-layout", stageString(split, predictionModules(layout_.model)));
        }
        if (chunks > 1 && (even || ends)) add("--num-virtual-stages-per-pipeline-rank", chunks);
        const int round = interleavedRound(layout_.parallel.pipeline, microbatches(layout_));
        if (chunks > 1 && round != layout_.parallel.pipeline)
            add("--microbatch-group-size-per-virtual-pipeline-stage", round);
    }

    void batch() {
        section("Batch and length");
        add("--micro-batch-size", layout_.batch.micro);
        add("--global-batch-size", layout_.batch.global);
        add("--train-iters", layout_.run.steps);
        add("--seed", layout_.run.seed);
    }

    void precision() {
        const PrecisionSpec& p = layout_.precision;
        if (p.compute == NumberFormat::Fp32) return;
        section("Number formats");
        const bool half = p.compute == NumberFormat::Fp16;
        add(half ? "--fp16" : "--bf16");
        if (p.gradients == GradientFormat::Fp32) add("--accumulate-allreduce-grads-in-fp32");
        else if (!half) add("--grad-reduce-in-bf16");
        if (p.lossScale == LossScaling::Static) number("--loss-scale", p.scale);
        if (p.lossScale == LossScaling::Dynamic) {
            number("--initial-loss-scale", p.scale);
            add("--loss-scale-window", p.scaleWindow);
            add("--hysteresis", 1, "the scale is halved at the first overflow");
        }
        if (!megatronEffect("/precision/products", layout_)) return;
        if (p.products == ProductFormat::Fp8) {
            add("--fp8-format", "hybrid");
            if (p.scaling == ProductScaling::Current) {
                add("--fp8-recipe", "tensorwise", "a scale for each tensor, of its present values");
            } else {
                add("--fp8-recipe", "delayed", "a scale for each tensor, of its values in the steps before");
                add("--fp8-amax-history-len", p.amaxHistory);
                add("--fp8-amax-compute-algo", "max");
                add("--fp8-margin", p.margin);
            }
        } else if (p.products == ProductFormat::MxFp8) {
            add("--fp8-format", "e4m3");
            add("--fp8-recipe", "mxfp8");
        } else if (p.products == ProductFormat::Fp8Blocks) {
            add("--fp8-format", "e4m3");
            add("--fp8-recipe", "blockwise");
        } else if (p.products == ProductFormat::NvFp4) {
            add("--fp4-format", "e2m1");
        }
    }

    void optimizer() {
        const OptimizerSpec& o = layout_.optimizer;
        section("Optimizer");
        if (o.kind == knownSgd) {
            add("--optimizer", "sgd");
            number("--sgd-momentum", o.momentum);
        } else {
            add("--optimizer", "adam");
            number("--adam-beta1", o.adamw.betas[0]);
            number("--adam-beta2", o.adamw.betas[1]);
            number("--adam-eps", o.adamw.epsilon);
        }
        number("--weight-decay", o.weightDecay);
        number("--clip-grad", o.clip);
        number("--lr", o.learningRate);
        add("--lr-warmup-iters", o.warmup);
        add("--lr-decay-style", wordOf(o.schedule));
        // The learning rate has to reach the end of the warm-up before it decays, which a shorter run does not see.
        add("--lr-decay-iters", std::max(layout_.run.steps, o.warmup + 1));
        if (o.schedule != RateSchedule::Constant) number("--min-lr", o.minimum);
    }

    void memory() {
        const MemorySpec& m = layout_.memory;
        if (m.recompute == RecomputeKind::None && m.offload == OffloadKind::None) return;
        section("Memory");
        if (const auto modules = recomputedModules(layout_); !modules.empty()) {
            add("--recompute-granularity", "selective");
            add("--recompute-modules", modules.front());
            settings_.back().more.assign(modules.begin() + 1, modules.end());
        } else if (m.recompute != RecomputeKind::None) {
            add("--recompute-granularity", "full");
            const bool block = m.recomputeBlocks > 0;
            add("--recompute-method", block ? "block" : "uniform");
            add("--recompute-num-layers", block                                 ? m.recomputeBlocks
                                          : m.recompute == RecomputeKind::Every ? m.recomputeEvery
                                                                                : 1);
            if (partitionsInputs(m, layout_.parallel)) add("--distribute-saved-activations");
        }
        if (m.offload == OffloadKind::Optimizer) {
            add("--optimizer-cpu-offload");
            add("--use-precision-aware-optimizer", "", "offloading goes with it alone");
        }
    }

    void data() {
        const DataSpec& d = layout_.data;
        section("Data, validation, checkpoints");
        if (d.kind == DataKind::Generator) add("--mock-data");
        else if (d.kind == DataKind::Tokens) add("--data-path", std::string_view(d.path).substr(0, d.path.size() - 4));
        else add("--data-path", preprocessed(d.path), "what tools/preprocess_data.py makes of data.path");
        add("--split", fmt::format("{},{},0", 1 - d.validation, d.validation));
        tokenizer();
        const int steps = layout_.run.steps, every = layout_.run.validateEvery;
        add("--eval-interval", every > 0 ? every : steps);
        add("--eval-iters", megatronEffect("/run/validation_batches", layout_) ? layout_.run.validationBatches : 0);
        if (layout_.checkpoint.every > 0) {
            const std::string& path = layout_.checkpoint.path;
            add("--save", path.empty() ? "checkpoints" : path, path.empty() ? "the layout names no folder" : "");
            add("--load", path.empty() ? "checkpoints" : path);
            add("--save-interval", layout_.checkpoint.every);
        }
        add("--wandb-exp-name", layout_.name);
        add("--log-interval", 1);
    }

    void tokenizer() {
        const DataSpec& d = layout_.data;
        const std::int64_t vocabulary = layout_.model.vocabulary, tensor = layout_.parallel.tensor;
        std::int64_t divisor = 128;
        while (divisor > 1 && vocabulary % (divisor * tensor) != 0) divisor /= 2;
        if (readsTokenizer(layout_) && d.tokenizer == TokenizerKind::Gpt2) {
            add("--tokenizer-type", "GPT2BPETokenizer");
            add("--vocab-file", (std::filesystem::path(d.tokenizerPath) / "vocab.json").string());
            add("--merge-file", (std::filesystem::path(d.tokenizerPath) / "merges.txt").string());
        } else if (readsTokenizer(layout_)) {
            add("--tokenizer-type", "HuggingFaceTokenizer");
            add("--tokenizer-model", d.tokenizerPath);
        } else {
            add("--tokenizer-type", "NullTokenizer", "tokens are numbers; it adds one, the end of a document");
        }
        add("--vocab-size", readsTokenizer(layout_) ? vocabulary : vocabulary - 1);
        const std::int64_t padded = paddedVocabulary(vocabulary, divisor, tensor);
        add("--make-vocab-size-divisible-by", divisor,
            padded == vocabulary ? "the vocabulary stays as it is"
                                 : fmt::format("it is padded to {}, which {} tensor ranks divide", padded, tensor));
    }

    const Layout& layout_;
    std::vector<MegatronSetting> settings_;
};

}  // namespace

std::span<const std::string_view> megatronSays() { return megatronFields; }

std::vector<MegatronSetting> megatronSettings(const Layout& layout) { return MegatronWriter(layout).all(); }

}  // namespace shardlab::trace
