// SPDX-License-Identifier: Apache-2.0
// A model of torchtitan 0.3 of the parts that its llama3, qwen3, deepseek_v3 and gpt_oss are made of
// (torchtitan/models/common and torchtitan/models/*/model.py of 0.3.0), drawn at the start as these draw theirs.
#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::trace {
namespace {

/// How a family of 0.3 is made and drawn.
struct TitanParts {
    TitanFamily family;
    std::string_view name;                   ///< what its classes' names begin with
    std::string_view rotary = "CosSinRoPE";  ///< pairs are two halves of a head; ComplexRoPE: neighbours
    bool deepens = true;                     ///< what writes to the residual stream is drawn smaller in higher layers
    std::string_view embedding = "0.02";     ///< deviation of the token embedding
};
constexpr TitanParts titanParts[] = {
    {TitanFamily::Llama3, "Llama3", "ComplexRoPE", true, "1.0"},
    {TitanFamily::Qwen3, "Qwen3", "CosSinRoPE", false},
    {TitanFamily::DeepSeekV3, "DeepSeekV3", "ComplexRoPE", true, "1.0"},
    {TitanFamily::GptOss, "GptOss"},
};

class TitanModelWriter {
public:
    explicit TitanModelWriter(const Layout& layout)
        : model_(layout.model),
          parts_(*std::ranges::find(titanParts, titanFamily(layout.model, TitanVersion::Python), &TitanParts::family)),
          gptOss_(parts_.family == TitanFamily::GptOss) {}

    std::string all() {
        const ModelSpec& m = model_;
        line("def model():");
        line("    def norm(width):");
        line("        return RMSNorm.Config(normalized_shape=width, eps={}, param_init={{\"weight\": nn.init.ones_}})",
             numberText(blockParts(m).normEpsilon));
        line("");
        line("    def linear(std):");
        line("        return {{\"weight\": partial(nn.init.{}, std=std), \"bias\": nn.init.zeros_}}",
             parts_.deepens ? "trunc_normal_" : "normal_");
        line("");
        line("    rope = {}", rotary());
        line("    layers = []");
        line("    for layer in range({}):", m.layers);
        const std::string_view deep = parts_.deepens ? "depth_scaled_std(0.02, layer)" : "0.02";
        line("        drawn, last = linear({}), linear({})", gptOss_ ? deep : "0.02", deep);
        if (blockParts(m).latent) latentAttention();
        else if (gptOss_) sinkAttention();
        else attention();
        feedForward();
        line("        layers.append({}TransformerBlock.Config(", parts_.name);
        line("            attention_norm=norm({0}), ffn_norm=norm({0}), attention=attention, **inner,", m.hidden);
        line("        ))");
        line("    return {}Model.Config(", parts_.name);
        line("        dim={}, vocab_size={}, layers=layers, norm=norm({}), enable_weight_tying={},", m.hidden,
             m.vocabulary, m.hidden, pythonBool(blockParts(m).tied));
        line("        tok_embeddings=Embedding.Config(");
        line("            num_embeddings={}, embedding_dim={}, param_init={{\"weight\": {}}},", m.vocabulary, m.hidden,
             blockParts(m).tied ? "skip_param_init"
                                : fmt::format("partial(nn.init.normal_, std={})", parts_.embedding));
        line("        ),");
        line("        lm_head=Linear.Config(in_features={}, out_features={}, param_init=linear({})),", m.hidden,
             m.vocabulary, parts_.deepens ? fmt::format("{} ** -0.5", m.hidden) : std::string("0.02"));
        line("    )");
        return std::move(text_);
    }

private:
    template <class... Values>
    void line(fmt::format_string<Values...> format, Values&&... values) {
        text_ += fmt::format(format, std::forward<Values>(values)...) + '\n';
    }

    void attention() {
        const ModelSpec& m = model_;
        line("        attention = make_gqa_config(");
        line("            dim={}, n_heads={}, n_kv_heads={}, head_dim={}, fuse_qkv=True, rope=rope,", m.hidden, m.heads,
             keyHeads(m), headWidth(m));
        line("            qk_norm={},",
             blockParts(m).queryKeyNorms ? fmt::format("norm({})", headWidth(m)) : std::string("None"));
        line("            wqkv_param_init=drawn, wo_param_init=last, inner_attention=get_attention_config(\"flex\"),");
        line("        )");
    }

    void latentAttention() {
        const ModelSpec& m = model_;
        line("        attention = make_mla_attention_config(");
        line("            layer_id=layer, dim={}, n_heads={}, q_lora_rank={}, kv_lora_rank={},", m.hidden, m.heads,
             m.block.queryRank, m.block.kvRank);
        line("            qk_nope_head_dim={}, qk_rope_head_dim={}, v_head_dim={}, attn_backend=\"flex\",",
             headWidth(m), m.block.ropeWidth, valueWidth(m));
        line("            linear_init=drawn, norm_init=norm(1).param_init, depth_init=lambda layer: last, rope=rope,");
        line("        )");
        if (m.block.queryRank > 0) line("        attention.q_norm = norm({})", m.block.queryRank);
        line("        attention.kv_norm = norm({})", m.block.kvRank);
    }

    void sinkAttention() {
        const ModelSpec& m = model_;
        const int keys = keyHeads(m), width = headWidth(m);
        const bool some = m.block.fullEvery > 0;
        line("        attention = Attention.Config(");
        line("            dim={}, n_heads={}, n_kv_heads={}, head_dim={}, rope=rope,", m.hidden, m.heads, keys, width);
        if (m.block.window > 0)
            line("            sliding_window_size={}{},", m.block.window,
                 some ? fmt::format(" if (layer + 1) % {} else None", m.block.fullEvery) : std::string());
        line("            qkv_linear=FusedQKVLinear.Config(");
        line("                head_dim={}, n_heads={}, n_kv_heads={},", width, m.heads, keys);
        line("                wqkv=Linear.Config(");
        line("                    in_features={}, out_features={}, bias=True, param_init=drawn,", m.hidden,
             (m.heads + 2 * keys) * width);
        line("                ),");
        line("            ),");
        line("            wo=ScaledBiasRowwiseLinear.Config(");
        line("                in_features={}, out_features={}, bias=True, param_init=drawn,", m.heads * width,
             m.hidden);
        line("            ),");
        line(
            "            inner_attention=get_attention_config(\"flex\"), param_init={{\"sinks\": drawn[\"weight\"]}},");
        line("        )");
    }

    std::string rotary() const {
        const RotarySpec& r = model_.block.rotary;
        const int width = blockParts(model_).latent ? model_.block.ropeWidth : headWidth(model_);
        std::string text = fmt::format("{}.Config(dim={}, max_seq_len={}, theta={}", parts_.rotary, width,
                                       model_.sequence, numberText(r.base));
        if (r.scaling == RotaryScaling::Llama3)
            text += fmt::format(",\n        scaling=\"llama\", scaling_factor={}, low_freq_factor={}, "
                                "high_freq_factor={}, original_max_position_embeddings={},\n    ",
                                numberText(r.factor), numberText(r.low), numberText(rotaryHigh(r)), r.original);
        if (r.scaling == RotaryScaling::Yarn)
            text += fmt::format(",\n        scaling=\"yarn\", rope_factor={}, beta_slow={}, beta_fast={}, "
                                "original_seq_len={}, truncate={},\n    ",
                                numberText(r.factor), numberText(r.low), numberText(rotaryHigh(r)), r.original,
                                pythonBool(r.truncate));
        return text + ")";
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
        line("{}inner = {{\"moe\": {}(", margin, gptOss_ ? "GptOssMoE.Config" : "make_moe_config");
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
        if (gptOss_) boundedExperts(layer, margin);
        else {
            line("{}    routed_experts=make_routed_experts_config(", margin);
            line("{}        dim={}, hidden_dim={}, num_experts={}, top_k={}, comm_backend=\"standard\",", margin,
                 model_.hidden, feedForwardWidth(model_, layer), e.count, choicesOf(e));
            line("{}        param_init={{name: drawn[\"weight\"] for name in (\"w1_EFD\", \"w2_EDF\", \"w3_EFD\")}},",
                 margin);
            line("{}    ),", margin);
        }
        if (e.shared > 0) line("{}    shared_experts={},", margin, block(sharedWidth(model_, layer), "drawn"));
        line("{})}}", margin);
    }

    /// Experts of a gpt_oss, whose gates have bounds and whose products have biases.
    void boundedExperts(int layer, std::string_view margin) {
        const MoeSpec& e = model_.experts;
        line("{}    routed_experts=RoutedExperts.Config(", margin);
        line("{}        inner_experts=GptOssGroupedExperts.Config(", margin);
        line("{}            dim={}, hidden_dim={}, num_experts={}, swiglu_limit={},", margin, model_.hidden,
             feedForwardWidth(model_, layer), e.count, numberText(model_.block.gluLimit));
        line("{}            param_init={{name: drawn[\"weight\"] for name in (", margin);
        line("{}                \"mlp1_weight_EGD\", \"mlp1_bias_EG\", \"mlp2_weight_EDF\", \"mlp2_bias_ED\",", margin);
        line("{}            )}},", margin);
        line("{}        ),", margin);
        line("{}        token_dispatcher=make_token_dispatcher_config(", margin);
        line("{}            num_experts={}, top_k={}, comm_backend=\"standard\",", margin, e.count, choicesOf(e));
        line("{}        ),", margin);
        line("{}    ),", margin);
    }

    const ModelSpec& model_;
    const TitanParts parts_;
    bool gptOss_;
    std::string text_;
};

}  // namespace

std::string titanModelText(const Layout& layout) { return TitanModelWriter(layout).all(); }

}  // namespace shardlab::trace
