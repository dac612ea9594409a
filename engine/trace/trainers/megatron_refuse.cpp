// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/megatron.h"
#include "engine/trace/trainers/megatron_experts.h"
#include "engine/trace/trainers/megatron_modules.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/fp8.h"
#include "engine/layout/recompute.h"
#include "engine/trace/trainers/trainer_text.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace shardlab::trace {
namespace {

constexpr double quickGelu = 1.702;  // the factor within its sigmoid

class MegatronRefusals {
public:
    MegatronRefusals(const Layout& layout, const MegatronWords& words, std::vector<Fault>& faults)
        : layout_(layout), words_(words), faults_(faults) {}

    void all() {
        refuseUnevenHosts(layout_, words_.program, faults_);
        refuseExchanges(layout_, words_.program, faults_);
        model();
        contextGroup();
        schedule();
        precision();
        optimizer();
        memory();
        run();
    }

private:
    void refuse(std::string pointer, const Sentence& what, const Sentence& why, const Instead& legal) {
        refuseField(faults_, words_.program, std::move(pointer), what, why, legal);
    }
    std::string named(std::string_view option) const { return words_.named(option); }

    void model() {
        const ModelSpec& m = layout_.model;
        if (!traits(m.kind).attention) {
            refuse("/model/kind", say("the model {}", wordOf(m.kind)), say("it trains transformers"),
                   {"gpt", "llama", "gpt-moe"});
            return;
        }
        const BlockParts parts = blockParts(m);
        const bool gptOss = words_.gptOss && isGptOss(m);
        if (gptOss && parts.gluAlpha != quickGelu)
            refuse("/model/swiglu_alpha", numberText(parts.gluAlpha),
                   say("its clamped gates have that of its quick_gelu"), numberText(quickGelu));
        if (parts.gated() && parts.activation != ActivationKind::SwiGlu && !gptOss)
            refuse("/model/activation", wordOf(parts.activation),
                   say("of gates, what is written for it has SiLU alone ({})", named("--swiglu")), "swiglu");
        if (parts.activation == ActivationKind::GeluTanh && !parts.biases)
            refuse(
                "/model/activation", say("gelu-tanh without biases"),
                say("GELU with tanh is that of its kernel which adds a bias too; without one it computes GELU exactly"),
                {say("gelu; or model.biases all"), {"gelu"}});
        if (parts.queryKeyNorms && !parts.rmsNorm)
            refuse("/model/qk_norm", say("RMSNorm of queries and keys beside layer norms"),
                   say("{} takes the norm that the blocks have", named("--qk-layernorm")),
                   {say("false; or model.norm rms"), {"false"}});
        if (parts.alibi)
            refuse("/model/positions", say("scores that fall with the distance"),
                   say("{} has learned_absolute and rope", named("--position-embedding-type")), {"learned", "rotary"});
        if (parts.latent && !parts.rmsNorm)
            refuse("/model/norm", say("layer norms beside latent attention"),
                   say("the norms of its latents are those of the blocks"), "rms");
        if (!gptOss) refuseScores(m, words_.program, faults_);
        if (parts.rotary) rotary(m.block.rotary, gptOss);
        else if (predictionModules(m) > 0)
            refuse("/model/predicted_tokens", say("tokens predicted ahead beside learned positions"),
                   say("{} goes together with rotary positions alone", named("--mtp-num-layers")),
                   {say("0; or model.positions rotary"), {"0"}});
        if (hasExperts(m)) refuseExperts(layout_, words_, faults_);
        else if (!evenWidth(m))
            refuse("/model/feed_forward", say("feed-forward widths that differ between layers"),
                   say("{} holds for all layers", named("--ffn-hidden-size")),
                   fmt::format("[{}]", feedForwardWidth(m, 0)));
    }

    void rotary(const RotarySpec& r, bool gptOss) {
        if (r.base != std::floor(r.base) || r.base > std::numeric_limits<int>::max())
            refuse("/model/rope_base", say("a base of {}", numberText(r.base)),
                   say("{} is a whole number", named("--rotary-base")),
                   fmt::format("{:.0f}", std::min(std::round(r.base), double(std::numeric_limits<int>::max()))));
        if (r.scaling == RotaryScaling::None) return;
        const bool latent = blockParts(layout_.model).latent, yarn = r.scaling == RotaryScaling::Yarn;
        if (gptOss && yarn) return;
        if (yarn != latent)
            return refuse(
                "/model/rope_scaling", wordOf(r.scaling),
                say("it has yarn with latent attention alone; {} is that of Llama 3", named("--use-rope-scaling")),
                latent ? Instead{"none", "yarn"} : Instead{"none", "llama3"});
        const auto fixed = [&](std::string_view pointer, const std::string& value, const char* theirs) {
            if (value == theirs) return;
            refuse(
                std::string(pointer), value,
                yarn
                    ? say("{} yarn fixes it as DeepSeek has it; the factor alone can be chosen", named("--rope-type"))
                    : say("{} fixes it as Llama 3 has it; the factor alone can be chosen", named("--use-rope-scaling")),
                theirs);
        };
        fixed("/model/rope_low", numberText(r.low), "1");
        fixed("/model/rope_high", numberText(rotaryHigh(r)), yarn ? "32" : "4");
        fixed("/model/rope_original", std::to_string(r.original), yarn ? "4096" : "8192");
        if (yarn) fixed("/model/rope_truncate", r.truncate ? "true" : "false", "true");
    }

    void contextGroup() {
        const int members = layout_.parallel.context * layout_.parallel.tensor, keys = keyHeads(layout_.model);
        if (exchangesHeads(layout_) && keys % members != 0)
            refuse("/parallel/context_method", say("ulysses with {} heads of keys", keys),
                   say("its all-to-all ({} a2a) divides the heads of keys over tensor × context ranks",
                       named("--cp-comm-type")),
                   {say("ring; or a number of heads of keys that {} divides", members), {"ring"}});
    }

    void schedule() {
        const ScheduleSpec& s = layout_.schedule;
        if (s.kind != "interleaved-1f1b" && !runsAs(layout_, "1f1b"))
            refuse("/schedule/kind", s.kind, say("its pipelines run 1F1B with a flush, or interleaved 1F1B"),
                   layout_.schedule.chunks > 1 ? "interleaved-1f1b" : "1f1b");
        else if (s.kind == "interleaved-1f1b" && layout_.parallel.pipeline == 1)
            refuse("/schedule/kind", say("interleaved-1f1b on one pipeline rank"),
                   say("it interleaves the stages of several ranks"),
                   {say("1f1b; or parallel.pipeline of at least 2"), {"1f1b"}});
        else if (s.kind == "interleaved-1f1b" && microbatches(layout_) < layout_.parallel.pipeline)
            refuse("/batch/micro",
                   microbatches(layout_) == 1
                       ? say("1 microbatch on {} ranks", layout_.parallel.pipeline)
                       : say("{} microbatches on {} ranks", microbatches(layout_), layout_.parallel.pipeline),
                   say("a round of its interleaved schedule has as many microbatches as there are ranks, or more"),
                   say("smaller microbatches or a larger global batch; or schedule.kind 1f1b"));
    }

    void precision() {
        const PrecisionSpec& p = layout_.precision;
        const bool half = p.compute != NumberFormat::Fp32;
        if (half && p.weights != WeightStorage::Master)
            refuse("/precision/weights", wordOf(p.weights),
                   say("in 16 bits it keeps weights for the layers and master weights for the optimizer"), "master");
        if (p.compute == NumberFormat::Fp16 && p.lossScale == LossScaling::None)
            refuse("/precision/loss_scale", say("fp16 without a loss scale"), say("it scales the loss of fp16 always"),
                   {say("dynamic; or static with precision.scale 1"), {"dynamic"}});
        if (p.compute == NumberFormat::Bf16 && p.lossScale == LossScaling::Dynamic)
            refuse("/precision/loss_scale", say("a dynamic loss scale with bf16"),
                   say("its dynamic scale belongs to fp16"),
                   {say("none or static; or precision.compute fp16"), {"none", "static"}});
        if (!half && roundsProducts(layout_))
            refuse("/precision/products", say("{} with fp32", wordOf(p.products)),
                   say("its products of 8 bits belong to 16-bit training"),
                   {say("compute; or precision.compute bf16"), {"compute"}});
        if (half && p.products == ProductFormat::Fp8Rows)
            refuse("/precision/products", "fp8-rows", say("its scales are those of a tensor, of 32 or of 128 numbers"),
                   {"compute", "fp8", "mxfp8", "fp8-blocks"});
        if (!half && p.lossScale != LossScaling::None)
            refuse("/precision/loss_scale", say("a loss scale with fp32"),
                   say("it scales the loss of 16-bit training alone"), "none");
        if (p.compute == NumberFormat::Fp16 && layout_.parallel.expert > 1)
            refuse("/parallel/expert", say("experts over {} ranks in fp16", layout_.parallel.expert),
                   say("it does not spread experts in fp16"), {say("1; or precision.compute bf16"), {"1"}});
    }

    void optimizer() {
        const OptimizerSpec& o = layout_.optimizer;
        if (o.kind != knownAdamW && o.kind != knownSgd)
            refuse("/optimizer/kind", wordOf(o.kind),
                   say("of Shardlab's optimizers it has AdamW ({} adam) and sgd", named("--optimizer")),
                   {"adamw", "sgd"});
        refuseDecayWithMomentum(o, words_.program, faults_);
    }

    void memory() {
        const MemorySpec& m = layout_.memory;
        if (m.recompute == RecomputeKind::Sqrt) {
            int most = 1;
            for (const int layers : stageLayers(layout_)) most = std::max(most, layers);
            refuse(
                "/memory/recompute", "sqrt", say("{} is one number for all stages", named("--recompute-num-layers")),
                {say("every with memory.recompute_every {}", std::max(1L, std::lround(std::sqrt(most)))), {"every"}});
        }
        if (activatesOutsideExperts(layout_) || recomputesOperations(m))
            refuse("/memory/recompute", wordOf(m.recompute),
                   say("{} names whole parts of a block, and the activation of a feed-forward block or an "
                       "operation is none",
                       named("--recompute-modules")),
                   {say("none, selective, mlp, latent, full or every; or parts without activations"),
                    {"none", "selective", "mlp", "latent", "full", "every"}});
        if (recomputesSecondHalves(m) && m.recomputeBlocks > 0)
            refuse("/memory/recompute_blocks", say("second halves of a part of each stage"),
                   say("{} holds for all blocks", named("--recompute-modules")), "0");
        if (m.recompute == RecomputeKind::Every && m.recomputeBlocks > 0)
            refuse("/memory/recompute_blocks", say("segments of several blocks over a part of a stage"),
                   say("{} block computes single blocks again, uniform all blocks of a stage",
                       named("--recompute-method")),
                   {say("0; or memory.recompute full"), {"0"}});
        if (m.recompute == RecomputeKind::Full && m.recomputeBlocks > 0 && partitionsInputs(m, layout_.parallel))
            refuse("/memory/partition_activations", say("partitioned inputs of a part of the blocks"),
                   say("it divides saved activations with {} uniform alone", named("--recompute-method")),
                   {say("false; or memory.recompute_blocks 0"), {"false"}});
        if (offloadsParameters(m))
            refuse("/memory/offload", say("parameters on the host"),
                   say("{} moves the optimizer alone", named("--optimizer-cpu-offload")), {"none", "optimizer"});
        if (m.offload == OffloadKind::Optimizer && layout_.parallel.zero == 0)
            refuse("/memory/offload", say("the optimizer on the host without ZeRO"),
                   say("{} needs {}", named("--optimizer-cpu-offload"), named("--use-distributed-optimizer")),
                   {say("none; or parallel.zero of at least 1"), {"none"}});
        if (m.offload == OffloadKind::Optimizer && layout_.optimizer.kind == knownSgd)
            refuse("/memory/offload", say("the state of sgd on the host"),
                   say("the optimizer that it offloads is Adam"), {say("none; or optimizer.kind adamw"), {"none"}});
    }

    void run() {
        const std::int64_t seed = layout_.run.seed;
        if (seed < 1 || seed > std::numeric_limits<std::int32_t>::max())
            refuse("/run/seed", std::to_string(seed), say("its seeds are positive numbers of 31 bits"),
                   {say("1 to {}", std::numeric_limits<std::int32_t>::max()), {"1"}});
        if (layout_.data.kind == DataKind::Tokens && !layout_.data.path.ends_with(".bin"))
            refuse("/data/path", say("several files of tokens"),
                   say("{} names one file by its name without .bin, and its .idx beside it", named("--data-path")),
                   say("one .bin file"));
    }

    const Layout& layout_;
    const MegatronWords& words_;
    std::vector<Fault>& faults_;
};

}  // namespace

void refuseForMegatron(const Layout& layout, const MegatronWords& words, std::vector<Fault>& faults) {
    MegatronRefusals(layout, words, faults).all();
}

std::int64_t paddedVocabulary(std::int64_t vocabulary, std::int64_t divisor, std::int64_t tensor) {
    const std::int64_t multiple = std::max<std::int64_t>(1, divisor * tensor);
    return (vocabulary + multiple - 1) / multiple * multiple;
}

}  // namespace shardlab::trace
