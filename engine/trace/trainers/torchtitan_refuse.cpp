// SPDX-License-Identifier: Apache-2.0
// What torchtitan cannot do of a layout.
#include "engine/layout/block_parts.h"
#include "engine/layout/field_effect.h"
#include "engine/layout/fp8.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/folding.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/recompute.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace shardlab::trace {
namespace {

constexpr double gptOssAlpha = 1.702;  // the factor within every sigmoid of its gpt_oss

class TitanRefusals {
public:
    TitanRefusals(const Layout& layout, TitanVersion version, std::vector<Fault>& faults)
        : layout_(layout), older_(version == TitanVersion::Toml), family_(titanFamily(layout.model, version)),
          titan_(older_ ? "torchtitan" : "torchtitan 0.3"), faults_(faults) {}

    void all() {
        refuseUnevenHosts(layout_, titan_, faults_);
        refuseExchanges(layout_, titan_, faults_);
        model();
        parallel();
        precision();
        optimizer();
        memory();
        if (!older_) newer();
    }

private:
    void refuse(std::string pointer, const Sentence& what, const Sentence& why, const Instead& legal) {
        refuseField(faults_, titan_, std::move(pointer), what, why, legal);
    }

    /// Refuses what the model `has` and no model of the family.
    void part(bool has, std::string_view pointer, const Sentence& what, const Instead& legal) {
        if (has)
            refuse(std::string(pointer), what,
                   family_ == TitanFamily::GptOss
                       ? say("its {} has RMSNorm, rotary positions, SwiGLU within bounds, biases everywhere and sinks",
                             named())
                       : say("its {} has RMSNorm, rotary positions, SwiGLU and no biases", named()),
                   legal);
    }
    std::string_view named() const { return traits(family_).name; }

    void model() {
        ModelSpec m = layout_.model;
        if (!traits(m.kind).attention || (hasExperts(m) && !choosesParts(m)))
            return refuse("/model/kind", say("the model {}", wordOf(m.kind)),
                          say("of Shardlab's models it has the blocks of llama and llama-moe"),
                          hasExperts(m) ? "llama-moe" : "llama");
        const BlockParts parts = blockParts(m);
        const bool gptOss = family_ == TitanFamily::GptOss;
        part(!parts.rmsNorm, "/model/norm", say("layer norms"), "rms");
        part(!parts.rotary, "/model/positions",
             parts.alibi ? say("scores that fall with the distance") : say("learned positions"), "rotary");
        part(gptOss && !parts.sinks, "/model/sinks", say("heads without sinks"), "true");
        if (gptOss) m.block.sinks = false;
        refuseScores(m, titan_, faults_);
        if (predictionModules(m) > 0)
            refuse("/model/predicted_tokens", say("tokens predicted ahead"),
                   older_ || family_ != TitanFamily::DeepSeekV3
                       ? say("its {} predicts the next token alone", named())
                       : say("what predicts ahead in its {} reads the last block's output before the last norm, a "
                             "layout's behind it",
                             named()),
                   "0");
        if (gptOss) {
            part(!parts.biases || !parts.qkvBias, "/model/biases", say("products without biases"), "all");
            part(parts.queryKeyNorms, "/model/qk_norm", say("norms of queries and keys"), "false");
            part(parts.tied, "/model/output", say("a tied output"), "separate");
            part(parts.gluAlpha != gptOssAlpha && parts.gluAlpha != 0, "/model/swiglu_alpha",
                 numberText(parts.gluAlpha), numberText(gptOssAlpha));
        } else {
            part(parts.biases || parts.qkvBias, "/model/biases", say("biases"), "none");
            part(parts.tied && family_ != TitanFamily::Qwen3, "/model/output", say("a tied output"), "separate");
        }
        const ActivationKind activation = gptOss ? ActivationKind::ClampedSwiGlu : ActivationKind::SwiGlu;
        part(parts.activation != activation, "/model/activation", std::string(wordOf(parts.activation)),
             std::string(wordOf(activation)));
        if (m.dropout > 0) refuse("/model/dropout", say("dropout"), say("its models have none"), "0");
        window(m);
        widths(m);
        if (parts.rotary) rotary(m.block.rotary);
        if (hasExperts(m)) experts(m);
    }

    void window(const ModelSpec& m) {
        if (!older_ && family_ == TitanFamily::GptOss) return;  // each of its layers may have one
        bool fits = true;
        for (int layer = 0; layer < m.layers; ++layer) {
            const bool sees = family_ != TitanFamily::GptOss || layer % 2 == 1 || m.block.window == 0;
            fits = fits && attendedTokens(m, layer) == (sees ? m.sequence : std::min(m.block.window, m.sequence));
        }
        if (fits) return;
        if (family_ == TitanFamily::GptOss)
            refuse("/model/full_every", say("a window in other layers than each second from the first on"),
                   say("so its {} alternates", named()), "2");
        else
            refuse("/model/window", say("attention to a window"), say("its {} attends to all tokens before", named()),
                   "0");
    }

    void widths(const ModelSpec& m) {
        for (const bool withExperts : {false, true})
            if (const std::set<int> found = feedForwardWidths(m, withExperts); found.size() > 1)
                return refuse("/model/feed_forward", say("feed-forward widths that differ between layers"),
                              say("its models have one width"), fmt::format("[{}]", *found.begin()));
        if (family_ != TitanFamily::Llama4 || !hasBlocks(m, false) || !hasBlocks(m, true)) return;
        const int dense = *feedForwardWidths(m, false).begin(), inside = *feedForwardWidths(m, true).begin();
        if (const int share = dense / (choicesOf(m.experts) + m.experts.shared); inside != dense && inside != share)
            refuse("/model/expert_width", say("experts of {} columns beside blocks of {}", inside, dense),
                   say("its {} gives an expert the width of a block without, or divides that by the experts of a "
                       "token, the shared ones among them",
                       named()),
                   std::to_string(std::abs(inside - dense) < std::abs(inside - share) ? dense : share));
    }

    void rotary(const RotarySpec& r) {
        const bool latent = family_ == TitanFamily::DeepSeekV3, gptOss = family_ == TitanFamily::GptOss;
        if (r.scaling == RotaryScaling::None) return;
        const RotaryScaling own = family_ == TitanFamily::Qwen3 ? RotaryScaling::None
                                  : latent || gptOss            ? RotaryScaling::Yarn
                                                                : RotaryScaling::Llama3;
        if (r.scaling != own)
            return refuse("/model/rope_scaling", say("{} in a {}", wordOf(r.scaling), named()),
                          own == RotaryScaling::None ? say("its {} scales no positions", named())
                                                     : say("its {} scales positions by {}", named(), wordOf(own)),
                          "none");
        if (own != RotaryScaling::Yarn || !older_) return;
        if (r.truncate != latent)
            refuse("/model/rope_truncate", r.truncate ? "true" : "false",
                   latent ? say("its {} rounds the pairs between which angles change", named())
                          : say("its {} does not round the pairs between which angles change", named()),
                   latent ? "true" : "false");
        if (latent && layout_.model.sequence <= r.original)
            refuse("/model/rope_scaling", say("yarn for sequences of {} tokens", layout_.model.sequence),
                   say("its {} scales positions in sequences alone that are longer than model.rope_original, {}",
                       named(), r.original),
                   "none");
        const double half = headWidth(layout_.model) / 2.0;
        const auto pairThatTurns = [&](double times) {
            return half * std::log(r.original / (times * 2 * std::numbers::pi)) / std::log(r.base);
        };
        const double first = pairThatTurns(rotaryHigh(r)), last = pairThatTurns(r.low);
        if (gptOss && r.factor > 1 && !(0 < first && first < last && last < half - 1))
            refuse("/model/rope_scaling", say("yarn between the pairs {:.3g} and {:.3g} of {:g}", first, last, half),
                   say("its {} wants both among the pairs of a head", named()), "none");
    }

    void experts(const ModelSpec& m) {
        const MoeSpec& e = m.experts;
        if (!takesHighest(e.gate))
            refuse("/model/gate", say("the gate {}", wordOf(e.gate)),
                   say("its router takes a token's highest scores, without noise, draws or groups that add up"),
                   "softmax-top-k");
        if (e.balance > 0 && takesHighest(e.gate))
            refuse("/model/balance", numberText(e.balance), say("its loss has no part that balances experts"), "0");
        if (!dropless(m) && takesHighest(e.gate))
            refuse("/model/capacity", numberText(e.capacity), say("its experts take all tokens that choose them"), "0");
        if (e.dropout > 0)
            refuse("/model/expert_dropout", numberText(e.dropout), say("its experts have no dropout within"), "0");
        if (const bool moves = !older_ || family_ != TitanFamily::Qwen3; biasesChoice(m) && !moves)
            refuse("/model/bias_rate", numberText(e.biasRate), say("nothing moves the biases of its {}", named()), "0");
        if (e.shared > 0 && family_ == TitanFamily::GptOss)
            refuse("/model/shared_experts", std::to_string(e.shared),
                   say("the experts that all tokens go to would have no biases in its {}", named()), "0");
        const int step = titanExpertStep(m);
        if (family_ == TitanFamily::Llama4 && step == 0)
            refuse("/model/dense_layers", say("dense blocks below those with experts"),
                   say("the blocks with experts of its {} come in equal steps from the bottom on", named()), "0");
        if (((older_ && family_ == TitanFamily::Qwen3) || family_ == TitanFamily::GptOss) && step != 1)
            refuse(e.denseLayers > 0 ? "/model/dense_layers" : "/model/experts_every", say("blocks without experts"),
                   say("all blocks of its {} have experts, or none", named()), e.denseLayers > 0 ? "0" : "1");
        if (older_ && family_ == TitanFamily::DeepSeekV3 && e.every > 1)
            refuse("/model/experts_every", std::to_string(e.every),
                   say("from model.dense_layers on all blocks of its {} have experts", named()), "1");
    }

    void parallel() {
        const ParallelSpec& p = layout_.parallel;
        const bool spreads = p.expert < 2 || !hasExperts(layout_.model) || spreadExperts(p);
        if (p.zero == 1 && spreads)
            refuse("/parallel/zero", "ZeRO 1", say("FSDP divides gradients too"), {say("2, or 0"), {"2", "0"}});
        if (older_ && p.tensor > 1 && !p.sequence)
            refuse("/parallel/sequence", say("tensor parallelism without sequence parallelism"),
                   say("its tensor ranks split the tokens between their blocks always"), "true");
        if (!older_ && p.pipeline > 1 && blockParts(layout_.model).tied)
            refuse("/parallel/pipeline", say("a tied output over {} stages", p.pipeline),
                   say("its pipelines do not share a weight between their ends"), "1");
        if (older_ && p.pipeline > 1 && !traits(family_).pipelines)
            refuse("/parallel/pipeline", say("a {} over {} stages", named(), p.pipeline),
                   family_ == TitanFamily::Qwen3
                       ? say("a model with norms of queries and keys, a tied output or heads of another width than "
                             "hidden ÷ heads is its qwen3, which has no pipeline")
                       : say("its {} has no pipeline", named()),
                   "1");
        if (older_ && p.context > 1 && family_ == TitanFamily::GptOss)
            refuse("/parallel/context", say("a {} over {} context ranks", named(), p.context),
                   say("its attention wants whole sequences there"), "1");
        const ScheduleMethod* method = findScheduleMethod(layout_.schedule.kind);
        if (method != nullptr && !method->flushes)
            refuse("/schedule/kind", method->name, say("its pipelines end every step with a flush"), "1f1b");
        else if (p.pipeline == 1 && !runsAs(layout_, "1f1b"))
            refuse("/schedule/kind", say("{} on one pipeline rank", layout_.schedule.kind),
                   say("without a pipeline it takes one microbatch after the other"), "1f1b");
    }

    /// Whether the ranks that share weights are those that share experts.
    bool spreadExperts(const ParallelSpec& p) {
        if (p.expertTensor > 1 && p.expertTensor != p.tensor)
            refuse("/parallel/expert_tensor",
                   say("experts over {} ranks of tensor groups of {}", p.expertTensor, p.tensor),
                   say("its experts are cut as all else, or not at all"), "0");
        const int spread = expertSpread(p);
        if (p.zero >= 2 || p.context % spread == 0) return true;
        refuse("/parallel/zero", say("experts over {} replicas without FSDP", spread),
               say("it spreads experts over ranks among which FSDP divides the weights"), "2");
        return false;
    }

    void precision() {
        const PrecisionSpec& p = layout_.precision;
        if (p.compute == NumberFormat::Fp16)
            refuse("/precision/compute", "fp16", say("it trains in bf16 and fp32, without a loss scale"), "bf16");
        if (p.lossScale != LossScaling::None)
            refuse("/precision/loss_scale", say("a {} loss scale", wordOf(p.lossScale)), say("it has none"), "none");
        if (older_ && family_ == TitanFamily::GptOss) return gptOssFormats(p);
        if (p.compute != NumberFormat::Bf16) return;
        const bool rounds = p.products != ProductFormat::Compute && titanEffect("/precision/products", layout_);
        const bool wholeProducts = older_ && family_ == TitanFamily::DeepSeekV3 && layout_.parallel.tensor > 1;
        if (rounds && (hasExperts(layout_.model) || wholeProducts))
            return refuse("/precision/products", wordOf(p.products),
                          hasExperts(layout_.model) ? say("what converts its linear layers leaves experts as they are")
                                                    : say("its {} rounds no products of tensor ranks", named()),
                          "compute");
        const bool sharded = !older_ || titanShards(layout_);  // 0.3 has FSDP over one replica too
        if (sharded && p.weights != WeightStorage::Master)
            refuse("/precision/weights", say("{} with FSDP", wordOf(p.weights)),
                   say("FSDP gathers fp32 weights in bf16 for the layers"), "master");
        if (!sharded && p.weights != WeightStorage::Fp32)
            refuse("/precision/weights", say("{} without FSDP", wordOf(p.weights)),
                   say("without FSDP weights are fp32 and autocast rounds them for each product"),
                   {say("fp32; or parallel.zero 2 or 3"), {"fp32"}});
        if (sharded && p.weights == WeightStorage::Master && p.gradients != GradientFormat::Fp32)
            refuse("/precision/gradients", say("gradients in bf16"), say("it reduces them in fp32"), "fp32");
        const TitanProducts* products = titanProductsOf(layout_);
        const bool named = products != nullptr && (older_ || !products->converter.empty());
        if (rounds && !named)
            refuse("/precision/products", wordOf(p.products),
                   traits(p.products).bits != 8 ? say("its products have 8 bits or 16")
                   : older_                     ? say("its scales are those of a tensor, a row or 32 numbers")
                                                : say("its scales are those of a row or 32 numbers"),
                   older_ ? Instead{"compute", "fp8", "fp8-rows", "mxfp8"} : Instead{"compute", "fp8-rows", "mxfp8"});
        if (delaysScales(p) && titanEffect("/precision/scaling", layout_))
            refuse("/precision/scaling", say("delayed scales"), say("its scales come from present values"), "current");
    }

    void gptOssFormats(const PrecisionSpec& p) {
        const auto want = [&](bool fits, std::string_view pointer, std::string_view what, std::string_view legal) {
            if (!fits)
                refuse(std::string(pointer), std::string(what),
                       say("the blocks of its {} are in bf16, and so are their gradients", named()),
                       std::string(legal));
        };
        want(p.compute == NumberFormat::Bf16, "/precision/compute", wordOf(p.compute), "bf16");
        if (p.compute == NumberFormat::Fp32) return;
        want(p.weights == WeightStorage::Alone, "/precision/weights", wordOf(p.weights), "alone");
        want(p.gradients == GradientFormat::Compute, "/precision/gradients", wordOf(p.gradients), "compute");
        want(p.products == ProductFormat::Compute, "/precision/products", wordOf(p.products), "compute");
    }

    void optimizer() {
        const OptimizerSpec& o = layout_.optimizer;
        if (o.kind != knownAdamW) refuse("/optimizer/kind", wordOf(o.kind), say("it has Adam and AdamW"), "adamw");
        if (o.warmup > layout_.run.steps)
            refuse("/optimizer/warmup", say("a warm-up of {} in {} steps", o.warmup, layout_.run.steps),
                   say("torchtitan shortens it to the steps of the run"),
                   {say("at most {}", layout_.run.steps), {std::to_string(layout_.run.steps)}});
    }

    void memory() {
        const RecomputeKind kind = layout_.memory.recompute;
        if (kind != RecomputeKind::None && kind != RecomputeKind::Full && kind != RecomputeKind::Operations)
            refuse("/memory/recompute", wordOf(kind),
                   older_ ? say("it computes whole blocks again, every block or each k-th, or single operations")
                          : say("it computes all blocks again, or operations in every block"),
                   {"none", "full", "operations"});
        else if (kind != RecomputeKind::None && layout_.memory.recomputeBlocks > 0 && titanRecompute(layout_).empty())
            refuse("/memory/recompute_blocks",
                   say("{} of each stage's blocks computed again", layout_.memory.recomputeBlocks),
                   say("it computes each k-th block again, and operations in every block"),
                   {say("0; or with recompute full a divisor of the blocks of every stage"), {"0"}});
        if (layout_.memory.offload == OffloadKind::Optimizer)
            refuse("/memory/offload", say("the optimizer alone on the host"),
                   say("it moves parameters, gradients and the optimizer's state together"),
                   {say("none; or parameters with parallel.zero 3"), {"none"}});
        else if (offloadsParameters(layout_.memory) && replicaCount(layout_.parallel) == 1)
            refuse("/memory/offload", say("parameters on the host of one replica"),
                   say("its offloading is a part of FSDP, which divides them"),
                   {say("none; or parallel.data of at least 2"), {"none"}});
        if (layout_.checkpoint.every > 0 && layout_.checkpoint.keep < 2)
            refuse("/checkpoint/keep", say("one checkpoint that stays"),
                   say("it removes the older one only after the newer is whole, and keeps two at least"),
                   {say("2 or more"), {"2"}});
    }

    /// What 0.3 alone wants, and what is not written for it.
    void newer() {
        const ModelSpec& m = layout_.model;
        const ParallelSpec& p = layout_.parallel;
        const int tokens = p.sequence || p.expert > 1 ? p.tensor : 1;  // tensor ranks that share tokens
        if (const int share = tokens * (p.context > 1 ? 2 * p.context : 1); m.sequence % share != 0)
            refuse(
                "/model/sequence", say("{} tokens", m.sequence),
                say("it wants a multiple of {}, so that its tensor and context ranks have equal shares of them", share),
                std::to_string((m.sequence / share + 1) * share));
        if (layout_.memory.recompute == RecomputeKind::Full && layout_.memory.recomputeBlocks > 0)
            refuse("/memory/recompute_blocks",
                   say("{} of each stage's blocks computed again", layout_.memory.recomputeBlocks),
                   say("it computes all blocks again, or operations in every block"), "0");
        if (hasExperts(m)) expertShares();
        if (hasExperts(m) && layout_.precision.compute == NumberFormat::Fp32)
            refuse("/precision/compute", "fp32", say("it multiplies experts in bf16 alone"), "bf16");
        if (p.expert > 1 && p.tensor > 1 && p.expertTensor != 1)
            refuse("/parallel/expert_tensor", say("experts cut among {} tensor ranks", p.tensor),
                   say("experts that it spreads over ranks are whole"), "1");
    }

    /// FSDP over more ranks than there are experts cuts the columns of each, evenly.
    void expertShares() {
        const ModelSpec& m = layout_.model;
        const ParallelSpec& p = layout_.parallel;
        const int copies = p.zero >= 2 ? copyCount(p) : p.data, sharing = p.data / copies * p.context;
        const bool spread = p.expert > 1;
        if (sharing * p.tensor * (spread ? 1 : copies) <= m.experts.count) return;
        const int shares = spread ? std::max(1, sharing * p.tensor / p.expert) : sharing,
                  all = shares * (spread ? 1 : p.tensor);
        const int made = family_ == TitanFamily::GptOss ? 2 : 1;  // columns of a product, gates beside values
        const int width = made * *feedForwardWidths(m, true).begin();
        if (m.hidden % shares != 0)
            refuse(
                "/model/experts", std::to_string(m.experts.count),
                say("it cuts the columns of fewer experts than ranks, and {} is no multiple of {}", m.hidden, shares),
                std::to_string(sharing * p.tensor * (spread ? 1 : copies)));
        else if (width % all != 0)
            refuse("/model/expert_width", std::to_string(width / made),
                   say("it cuts the columns of fewer experts than ranks, and {} is no multiple of {}", width, all),
                   std::to_string((width / made / all + 1) * all));
    }

    const Layout& layout_;
    bool older_;
    TitanFamily family_;
    std::string_view titan_;
    std::vector<Fault>& faults_;
};

}  // namespace

bool titanShards(const Layout& layout) { return layout.parallel.zero >= 2 || layout.parallel.context > 1; }

bool titanEffect(std::string_view pointer, const Layout& layout) {
    return withoutEffect(pointer, layout, scheduleMethods()).empty();
}

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

void refuseForTitan(const Layout& layout, std::vector<Fault>& faults) {
    TitanRefusals(layout, TitanVersion::Toml, faults).all();
}

void refuseForTitan03(const Layout& layout, std::vector<Fault>& faults) {
    TitanRefusals(layout, TitanVersion::Python, faults).all();
}

}  // namespace shardlab::trace
