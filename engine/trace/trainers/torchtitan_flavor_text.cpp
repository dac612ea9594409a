// SPDX-License-Identifier: Apache-2.0
// A flavor of torchtitan as a Python module: written, and read. The arguments are those of the dataclasses in
// torchtitan/models/*/model/args.py and of MoEArgs in torchtitan/models/moe/moe.py of 0.2.2.
#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardlab::trace {
namespace {

/// The columns within a Llama's feed-forward block before its multiplier: two thirds of 4 · dim, rounded down.
int titanThirds(int hidden) { return static_cast<int>(2 * (std::int64_t{4} * hidden) / 3); }

class FlavorWriter {
public:
    explicit FlavorWriter(const Layout& layout)
        : layout_(layout), model_(layout.model), family_(titanFamily(layout.model)) {}

    std::string all(std::string_view flavor) {
        const TitanFamilyTraits& family = traits(family_);
        text_ = fmt::format("# The model of a layout as a flavor of torchtitan's {0}, by shardlab {1}.\n"
                            "from torchtitan.models.{0} import {2}, {3}\n",
                            family.name, SHARDLAB_VERSION, family.arguments, family.flavors);
        const bool llama = family_ == TitanFamily::Llama3 || family_ == TitanFamily::Llama4;
        if (llama) text_ += fmt::format("from torchtitan.models.{}.model.args import RoPEScalingArgs\n", family.name);
        if (hasExperts(model_)) text_ += "from torchtitan.models.moe import MoEArgs\n";
        text_ += fmt::format("\n{}[\"{}\"] = {}(\n", family.flavors, flavor, family.arguments);
        add("dim", model_.hidden);
        add("n_layers", model_.layers);
        add("n_heads", model_.heads);
        if (family_ != TitanFamily::DeepSeekV3) add("n_kv_heads", keyHeads(model_));
        add("vocab_size", model_.vocabulary);
        add("norm_eps", numberText(blockParts(model_).normEpsilon));
        add("rope_theta", numberText(model_.block.rotary.base));
        add("max_seq_len", model_.sequence);
        if (llama) ofLlama();
        else if (family_ == TitanFamily::Qwen3) ofQwen3();
        else if (family_ == TitanFamily::DeepSeekV3) ofDeepSeek();
        else ofGptOss();
        if (hasExperts(model_)) experts();
        return text_ + ")\n";
    }

private:
    template <class Value>
    void add(std::string_view name, const Value& value, std::string_view comment = {}) {
        text_ += fmt::format("    {}={},{}{}\n", name, value, comment.empty() ? "" : "  # ", comment);
    }
    int width(bool withExperts) const {
        const std::set<int> widths = feedForwardWidths(model_, withExperts);
        return widths.empty() ? feedForwardWidth(model_, 0) : *widths.begin();
    }

    void ofLlama() {
        const RotarySpec& r = model_.block.rotary;
        const int dense = width(!hasBlocks(model_, false));
        // int(multiplier · thirds) is the width: half a column more, so that no rounding takes one away.
        add("multiple_of", 1);
        add("ffn_dim_multiplier", numberText((dense + 0.5) / titanThirds(model_.hidden)),
            fmt::format("feed-forward blocks are {} wide", dense));
        const bool scaled = r.scaling == RotaryScaling::Llama3;
        if (scaled || family_ == TitanFamily::Llama3)
            add("rope_scaling_args",
                fmt::format("RoPEScalingArgs({}scaling_factor={}, low_freq_factor={}, high_freq_factor={}, "
                            "original_max_position_embeddings={})",
                            scaled ? "" : "\n        # A factor of 1 scales nothing.\n        ",
                            numberText(scaled ? r.factor : 1), numberText(r.low),
                            numberText(scaled ? rotaryHigh(r) : 4), r.original));
        if (family_ == TitanFamily::Llama3) return;
        add("auto_scale_hidden_dim", pythonBool(width(true) != dense),
            width(true) == dense ? "" : fmt::format("experts are {} wide", width(true)));
        add("interleave_moe_layer_step", titanExpertStep(model_));
    }
    void ofQwen3() {
        add("head_dim", headWidth(model_));
        add("hidden_dim", width(false));
        add("qk_norm", pythonBool(blockParts(model_).queryKeyNorms));
        add("enable_weight_tying", pythonBool(blockParts(model_).tied));
        if (!hasExperts(model_)) return;
        add("moe_enabled", "True");
        add("moe_inter_dim", width(true));
    }
    void ofDeepSeek() {
        const BlockSpec& b = model_.block;
        const RotarySpec& r = b.rotary;
        add("inter_dim", width(false));
        if (hasExperts(model_)) add("moe_inter_dim", width(true));
        int dense = 0;
        while (dense < model_.layers && !hasExperts(model_, dense)) ++dense;
        add("n_dense_layers", dense);
        add("q_lora_rank", b.queryRank);
        add("kv_lora_rank", b.kvRank);
        add("qk_nope_head_dim", headWidth(model_));
        add("qk_rope_head_dim", b.ropeWidth);
        add("v_head_dim", valueWidth(model_));
        if (r.scaling != RotaryScaling::Yarn)
            return add("original_seq_len", model_.sequence, "positions are scaled in longer sequences alone");
        add("original_seq_len", r.original);
        add("rope_factor", numberText(r.factor));
        add("beta_fast", numberText(rotaryHigh(r)));
        add("beta_slow", numberText(r.low));
    }
    void ofGptOss() {
        const BlockSpec& b = model_.block;
        const RotarySpec& r = b.rotary;
        add("head_dim", headWidth(model_));
        add("moe_inter_dim", width(true));
        add("swiglu_limit", numberText(b.gluLimit));
        add("sliding_window_size", b.window > 0 ? b.window : model_.sequence);
        const bool yarn = r.scaling == RotaryScaling::Yarn;
        add("rope_factor", numberText(yarn ? r.factor : 1));
        if (!yarn) return;
        add("ntk_alpha", numberText(r.low));
        add("ntk_beta", numberText(rotaryHigh(r)));
        add("original_seq_len", r.original);
    }

    void experts() {
        const MoeSpec& e = model_.experts;
        const bool sigmoid = isSigmoid(e.gate), groups = e.gate == sigmoidInGroups;
        text_ += "    moe_args=MoEArgs(\n";
        const auto inner = [&](std::string_view name, const auto& value, std::string_view comment = {}) {
            text_ += "    ";
            add(name, value, comment);
        };
        inner("num_experts", e.count);
        inner("num_shared_experts", e.shared);
        inner("top_k", choicesOf(e));
        inner("score_func", sigmoid ? "\"sigmoid\"" : "\"softmax\"");
        inner("route_norm", pythonBool(sigmoid || e.gate == topKSoftmax));
        if (sigmoid) inner("route_scale", numberText(e.scale));
        if (groups) inner("num_expert_groups", e.groups);
        if (groups) inner("num_limited_groups", e.topGroups);
        inner("gate_bias", pythonBool(e.scoreBias));
        inner("score_before_experts", "False", "weights are factors of what experts make");
        if (layout_.precision.compute == NumberFormat::Fp32)
            inner("use_grouped_mm", "False", "one product for all experts would be in bf16");
        inner("load_balance_coeff", sigmoid && e.biasRate > 0 ? numberText(e.biasRate) : "None");
        text_ += "    ),\n";
    }

    const Layout& layout_;
    const ModelSpec& model_;
    TitanFamily family_;
    std::string text_;
};

class FlavorReader {
public:
    FlavorReader(TitanFamily family, std::string_view text, int sequence)
        : family_(family), text_(text), sequence_(sequence) {}

    std::optional<TitanModel> all() {
        const TitanFamilyTraits& usual = traits(family_);
        const auto hidden = size("dim"), layers = size("n_layers"), heads = size("n_heads");
        if (!hidden || !layers || !heads || *heads < 1) return std::nullopt;
        model_.kind = knownLlama;
        model_.hidden = *hidden;
        model_.layers = *layers;
        model_.heads = *heads;
        model_.sequence = sequence_;
        const int keys = size("n_kv_heads").value_or(usual.keyHeads > 0 ? usual.keyHeads : *heads);
        if (keys != model_.heads) model_.block.kvHeads = keys;
        model_.vocabulary = size("vocab_size").value_or(usual.vocabulary);
        model_.block.normEpsilon = number("norm_eps").value_or(usual.normEpsilon);
        model_.block.rotary.base = number("rope_theta").value_or(usual.base);
        if (word("attn_mask_type") == "block_causal")
            note(say("a token attends within its document alone; in the layout's model to all tokens before"));
        if (family_ == TitanFamily::Qwen3) ofQwen3();
        else if (family_ == TitanFamily::DeepSeekV3) ofDeepSeek();
        else if (family_ == TitanFamily::GptOss) ofGptOss();
        else ofLlama();
        constexpr double most = 1 << 30;
        if (!(dense_ >= 1 && dense_ < most && expert_ >= 0 && expert_ < most)) return std::nullopt;
        if (dense_ != 4.0 * model_.hidden) model_.feedForward = {static_cast<int>(dense_)};
        if (hasExperts(model_) && expert_ != dense_) model_.experts.width = static_cast<int>(expert_);
        return TitanModel{std::move(model_), std::move(notes_)};
    }

private:
    void note(Sentence text) { notes_.push_back(std::move(text)); }
    /// What follows "name=" anywhere in the text of a module, without quotes.
    std::optional<std::string_view> word(std::string_view name) const {
        const std::string key = fmt::format("{}=", name);
        for (std::size_t at = text_.find(key); at != std::string_view::npos; at = text_.find(key, at + 1)) {
            if (at > 0 && text_[at - 1] != ' ' && text_[at - 1] != '(' && text_[at - 1] != ',') continue;
            std::string_view rest = text_.substr(at + key.size());
            rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of("\"'")));
            return rest.substr(0, rest.find_first_of("\"',)# \r\n"));
        }
        return std::nullopt;
    }
    std::optional<double> number(std::string_view name) const {
        const auto text = word(name);
        return text ? readNumber(*text) : std::nullopt;
    }
    std::optional<int> size(std::string_view name) const {
        const auto value = number(name);
        if (!value || !(*value >= 0) || *value > (1 << 30)) return std::nullopt;
        return static_cast<int>(*value);
    }
    bool flag(std::string_view name, bool otherwise) const {
        const auto text = word(name);
        return text ? *text == "True" : otherwise;
    }

    void ofLlama() {
        const double multiple = std::max(1, size("multiple_of").value_or(256));
        const double whole = std::floor(number("ffn_dim_multiplier").value_or(1) * titanThirds(model_.hidden));
        dense_ = multiple * std::ceil(whole / multiple);
        const bool llama4 = family_ == TitanFamily::Llama4;
        const double factor = number("scaling_factor").value_or(llama4 ? 16 : 8);
        if (factor != 1 && (!llama4 || text_.find("RoPEScalingArgs(") != std::string_view::npos)) {
            model_.block.rotary = {.base = model_.block.rotary.base,
                                   .scaling = RotaryScaling::Llama3,
                                   .factor = factor,
                                   .low = number("low_freq_factor").value_or(1),
                                   .high = number("high_freq_factor").value_or(llama4 ? 1 : 4),
                                   .original = size("original_max_position_embeddings").value_or(8192)};
            RotarySpec& r = model_.block.rotary;
            if (r.high <= r.low) {
                note(say("high_freq_factor is low_freq_factor: the layout's angles change between {} and {} turns",
                         numberText(r.low), numberText(4 * r.low)));
                r.high = 4 * r.low;
            }
        }
        if (!llama4) return;
        const int step = std::max(1, size("interleave_moe_layer_step").value_or(2));
        readExperts();
        model_.experts.every = step == 1 ? 0 : step;
        const MoeSpec& e = model_.experts;
        const double parts =
            flag("auto_scale_hidden_dim", true) ? std::max(1.0, choicesOf(e) + static_cast<double>(e.shared)) : 1;
        expert_ = multiple * std::ceil(std::floor(whole / parts) / multiple);
        if (step == 1) dense_ = expert_;
        if (word("every_n_layers_nope").value_or("None") != "None")
            note(say("some layers turn no positions and the others attend within chunks; the layout's are all alike"));
    }
    void ofQwen3() {
        headWidth(size("head_dim").value_or(128));
        dense_ = size("hidden_dim").value_or(3072);
        model_.block.queryKeyNorms = flag("qk_norm", true);
        model_.block.output = flag("enable_weight_tying", false) ? OutputKind::Tied : OutputKind::Default;
        if (!flag("moe_enabled", false)) return;
        expert_ = size("moe_inter_dim").value_or(768);
        readExperts();
    }
    void ofDeepSeek() {
        BlockSpec& b = model_.block;
        dense_ = size("inter_dim").value_or(10944);
        expert_ = size("moe_inter_dim").value_or(1408);
        b.kvHeads = 0;
        b.queryRank = size("q_lora_rank").value_or(0);
        b.kvRank = size("kv_lora_rank").value_or(512);
        headWidth(size("qk_nope_head_dim").value_or(128));
        b.ropeWidth = size("qk_rope_head_dim").value_or(64);
        b.valueWidth = size("v_head_dim").value_or(128);
        if (b.valueWidth == size("qk_nope_head_dim").value_or(128)) b.valueWidth = 0;
        if (const int original = size("original_seq_len").value_or(4096); sequence_ > original) {
            yarn("rope_factor", 40, "beta_slow", "beta_fast", original);
            if (number("mscale").value_or(1) != 1)
                note(say("mscale {}: the layout's is 1", numberText(*number("mscale"))));
        }
        const int dense = size("n_dense_layers").value_or(1);
        if (dense >= model_.layers) return;
        readExperts();
        model_.experts.denseLayers = dense;
    }
    void ofGptOss() {
        BlockSpec& b = model_.block;
        headWidth(size("head_dim").value_or(64));
        dense_ = expert_ = size("moe_inter_dim").value_or(2880);
        b.sinks = true;
        b.biases = BiasKind::All;
        b.activation = ActivationKind::ClampedSwiGlu;
        b.gluLimit = number("swiglu_limit").value_or(7);
        if (const int window = size("sliding_window_size").value_or(128); window < sequence_) {
            b.window = window;
            b.fullEvery = 2;
        }
        if (number("rope_factor").value_or(32) > 1) {
            yarn("rope_factor", 32, "ntk_alpha", "ntk_beta", size("original_seq_len").value_or(4096));
            b.rotary.truncate = false;
        }
        readExperts();
    }

    void headWidth(int width) {
        if (std::int64_t{width} * model_.heads != model_.hidden) model_.block.headWidth = width;
    }
    void yarn(std::string_view factor, double usual, std::string_view slow, std::string_view fast, int original) {
        model_.block.rotary = {.base = model_.block.rotary.base,
                               .scaling = RotaryScaling::Yarn,
                               .factor = number(factor).value_or(usual),
                               .low = number(slow).value_or(1),
                               .high = number(fast).value_or(32),
                               .original = original};
    }

    void readExperts() {
        model_.kind = knownLlamaMoe;
        MoeSpec& e = model_.experts;
        e.capacity = e.balance = 0;
        e.count = size("num_experts").value_or(8);
        e.shared = size("num_shared_experts").value_or(1);
        const int choices = size("top_k").value_or(1);
        e.scoreBias = flag("gate_bias", false);
        const bool sigmoid = word("score_func").value_or("sigmoid") == "sigmoid", norm = flag("route_norm", false);
        const int groups = size("num_expert_groups").value_or(0);
        e.gate = choices == 1 ? knownSwitch
                 : sigmoid    ? (groups > 0 ? sigmoidInGroups : sigmoidTopK)
                 : norm       ? topKSoftmax
                              : softmaxTopK;
        if (choices != 1) e.topK = choices;
        if (e.gate == sigmoidInGroups) {
            e.groups = groups;
            e.topGroups = size("num_limited_groups").value_or(1);
        } else if (groups > 0) {
            note(say("num_expert_groups {}: the layout chooses among all experts", groups));
        }
        if (const double scale = number("route_scale").value_or(1); isSigmoid(e.gate)) e.scale = scale;
        else if (scale != 1) note(say("route_scale {}: the layout scales nothing", numberText(scale)));
        if (choices == 1 && (sigmoid || norm))
            note(say("one expert is weighted by {}; in the layout by its share of a softmax",
                     norm ? Sentence("1") : say("a sigmoid")));
        else if (sigmoid && !norm)
            note(say("route_norm is False: the layout's gate divides the scores of a token by their sum"));
        if (flag("score_before_experts", true) && !(norm && choices == 1))
            note(say("score_before_experts: the layout weights what experts make, not what they get"));
        if (family_ == TitanFamily::Qwen3) return;  // nothing moves its biases
        const double rate = word("load_balance_coeff") == "None" ? 0 : number("load_balance_coeff").value_or(1e-3);
        if (isSigmoid(e.gate)) e.biasRate = rate;
        else if (rate > 0) note(say("load_balance_coeff {}: the layout balances nothing", numberText(rate)));
    }

    TitanFamily family_;
    std::string_view text_;
    int sequence_;
    ModelSpec model_;
    std::vector<Sentence> notes_;
    double dense_ = 0, expert_ = 0;
};

}  // namespace

std::string titanFlavorText(const Layout& layout, std::string_view flavor) { return FlavorWriter(layout).all(flavor); }

std::optional<TitanModel> readTitanFlavor(TitanFamily family, std::string_view text, int sequence) {
    return FlavorReader(family, text, sequence).all();
}

}  // namespace shardlab::trace
