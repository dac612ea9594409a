// SPDX-License-Identifier: Apache-2.0
// A model of torchtitan 0.3 of the parts that its llama3 and qwen3 are made of (torchtitan/models/common and
// torchtitan/models/*/model.py of 0.3.0), drawn at the start as these draw theirs.
#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/trainer_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::trace {
namespace {

class TitanModelWriter {
public:
    explicit TitanModelWriter(const Layout& layout)
        : model_(layout.model), llama_(titanFamily(layout.model, TitanVersion::Python) == TitanFamily::Llama3) {}

    std::string all() {
        const ModelSpec& m = model_;
        line("def model():");
        line("    def norm(width):");
        line("        return RMSNorm.Config(normalized_shape=width, eps={}, param_init={{\"weight\": nn.init.ones_}})",
             numberText(blockParts(m).normEpsilon));
        line("");
        line("    def linear(std):");
        line("        return {{\"weight\": partial(nn.init.{}, std=std), \"bias\": nn.init.zeros_}}",
             llama_ ? "trunc_normal_" : "normal_");
        line("");
        line("    rope = {}", rotary());
        line("    layers = []");
        line("    for layer in range({}):", m.layers);
        line("        drawn, last = linear(0.02), linear({})", llama_ ? "depth_scaled_std(0.02, layer)" : "0.02");
        line("        attention = make_gqa_config(");
        line("            dim={}, n_heads={}, n_kv_heads={}, head_dim={}, fuse_qkv=True, rope=rope,", m.hidden, m.heads,
             keyHeads(m), headWidth(m));
        line("            qk_norm={},",
             blockParts(m).queryKeyNorms ? fmt::format("norm({})", headWidth(m)) : std::string("None"));
        line("            wqkv_param_init=drawn, wo_param_init=last, inner_attention=get_attention_config(\"flex\"),");
        line("        )");
        feedForward();
        line("        layers.append({}TransformerBlock.Config(", className());
        line("            attention_norm=norm({0}), ffn_norm=norm({0}), attention=attention, **inner,", m.hidden);
        line("        ))");
        line("    return {}Model.Config(", className());
        line("        dim={}, vocab_size={}, layers=layers, norm=norm({}), enable_weight_tying={},", m.hidden,
             m.vocabulary, m.hidden, pythonBool(blockParts(m).tied));
        line("        tok_embeddings=Embedding.Config(");
        line("            num_embeddings={}, embedding_dim={}, param_init={{\"weight\": {}}},", m.vocabulary, m.hidden,
             blockParts(m).tied ? "skip_param_init"
                                : fmt::format("partial(nn.init.normal_, std={})", llama_ ? "1.0" : "0.02"));
        line("        ),");
        line("        lm_head=Linear.Config(in_features={}, out_features={}, param_init=linear({})),", m.hidden,
             m.vocabulary, llama_ ? fmt::format("{} ** -0.5", m.hidden) : std::string("0.02"));
        line("    )");
        return std::move(text_);
    }

private:
    template <class... Values>
    void line(fmt::format_string<Values...> format, Values&&... values) {
        text_ += fmt::format(format, std::forward<Values>(values)...) + '\n';
    }
    std::string_view className() const { return llama_ ? "Llama3" : "Qwen3"; }

    std::string rotary() const {
        const RotarySpec& r = model_.block.rotary;
        const std::string size =
            fmt::format("dim={}, max_seq_len={}, theta={}", headWidth(model_), model_.sequence, numberText(r.base));
        if (!llama_) return fmt::format("CosSinRoPE.Config({})", size);
        if (r.scaling == RotaryScaling::None) return fmt::format("ComplexRoPE.Config({})", size);
        return fmt::format("ComplexRoPE.Config(\n        {},\n        scaling=\"llama\", scaling_factor={}, "
                           "low_freq_factor={}, high_freq_factor={}, original_max_position_embeddings={},\n    )",
                           size, numberText(r.factor), numberText(r.low), numberText(rotaryHigh(r)), r.original);
    }

    /// What follows attention in a block; where some blocks alone have experts, which these are.
    void feedForward() {
        const bool dense = hasBlocks(model_, false), experts = hasBlocks(model_, true);
        std::vector<int> places;
        for (int layer = 0; layer < model_.layers; ++layer)
            if (hasExperts(model_, layer)) places.push_back(layer);
        if (dense && experts) line("        if layer in ({},):", fmt::join(places, ", "));
        const std::string_view margin = dense && experts ? "            " : "        ";
        if (experts) mixture(places.front(), margin);
        if (dense && experts) line("        else:");
        if (dense)
            line("{}inner = {{\"feed_forward\": {}}}", margin,
                 block(*feedForwardWidths(model_, false).begin(), "drawn"));
    }

    std::string block(int width, std::string_view first) const {
        return fmt::format("make_ffn_config(dim={}, hidden_dim={}, w1_param_init={}, w2w3_param_init=last)",
                           model_.hidden, width, first);
    }

    void mixture(int layer, std::string_view margin) {
        const MoeSpec& e = model_.experts;
        const bool sigmoid = isSigmoid(e.gate);
        line("{}inner = {{\"moe\": make_moe_config(", margin);
        line("{}    num_experts={},", margin, e.count);
        line("{}    load_balance_coeff={},", margin,
             sigmoid && e.biasRate > 0 ? numberText(e.biasRate) : std::string("None"));
        std::string more = fmt::format("top_k={}, score_func=\"{}\", route_norm={}", choicesOf(e),
                                       sigmoid ? "sigmoid" : "softmax", pythonBool(sigmoid || e.gate == topKSoftmax));
        if (sigmoid) more += fmt::format(", route_scale={}", numberText(e.scale));
        if (e.gate == sigmoidInGroups)
            more += fmt::format(", num_expert_groups={}, num_limited_groups={}", e.groups, e.topGroups);
        if (e.scoreBias) more += ", bias=True";
        line("{}    router=make_router_config(", margin);
        line("{}        dim={}, num_experts={}, gate_param_init=drawn,", margin, model_.hidden, e.count);
        line("{}        {},", margin, more);
        line("{}    ),", margin);
        line("{}    routed_experts=make_routed_experts_config(", margin);
        line("{}        dim={}, hidden_dim={}, num_experts={}, top_k={}, comm_backend=\"standard\",", margin,
             model_.hidden, feedForwardWidth(model_, layer), e.count, choicesOf(e));
        line("{}        param_init={{name: drawn[\"weight\"] for name in (\"w1_EFD\", \"w2_EDF\", \"w3_EFD\")}},",
             margin);
        line("{}    ),", margin);
        if (e.shared > 0) line("{}    shared_experts={},", margin, block(sharedWidth(model_, layer), "drawn"));
        line("{})}}", margin);
    }

    const ModelSpec& model_;
    bool llama_;
    std::string text_;
};

}  // namespace

std::string titanModelText(const Layout& layout) { return TitanModelWriter(layout).all(); }

}  // namespace shardlab::trace
