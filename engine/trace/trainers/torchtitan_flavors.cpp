// SPDX-License-Identifier: Apache-2.0
// The models of torchtitan 0.2.2 and their flavors, as its sources have them (torchtitan/models/*/__init__.py).
#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>

namespace shardlab::trace {
namespace {

constexpr TitanFamilyTraits titanFamilies[] = {
    {"llama3", "TransformerModelArgs", "llama3_args", true, 0, 128256, 1e-5, 1e4},
    {"qwen3", "Qwen3ModelArgs", "qwen3_args", false, 8, 151936, 1e-6, 1e6},
    {"llama4", "TransformerModelArgs", "llama4_args", true, 0, 202048, 1e-5, 1e4},
    {"deepseek_v3", "DeepSeekV3ModelArgs", "deepseekv3_args", true, 0, 102400, 1e-5, 1e4},
    {"gpt_oss", "GptOssModelArgs", "gptoss_configs", false, 8, 201088, 1e-5, 150000},
};

/// A flavor, with what differs from the defaults of its family's arguments; `readTitanFlavor` knows these.
struct TitanFlavor {
    TitanFamily family;
    std::string_view name, arguments;
};
constexpr TitanFlavor titanFlavors[] = {
    {TitanFamily::Llama3, "debugmodel", "dim=256, n_layers=6, n_heads=16, vocab_size=2048, rope_theta=500000"},
    {TitanFamily::Llama3, "debugmodel_flex_attn",
     "dim=256, n_layers=6, n_heads=16, vocab_size=2048, rope_theta=500000, attn_mask_type=block_causal"},
    {TitanFamily::Llama3, "debugmodel_varlen_attn",
     "dim=256, n_layers=6, n_heads=16, vocab_size=2048, rope_theta=500000, attn_mask_type=block_causal"},
    {TitanFamily::Llama3, "8B_flex",
     "dim=4096, n_layers=32, n_heads=32, n_kv_heads=8, ffn_dim_multiplier=1.3, multiple_of=1024, rope_theta=500000, "
     "attn_mask_type=block_causal"},
    {TitanFamily::Llama3, "8B_varlen",
     "dim=4096, n_layers=32, n_heads=32, n_kv_heads=8, ffn_dim_multiplier=1.3, multiple_of=1024, rope_theta=500000, "
     "attn_mask_type=block_causal"},
    {TitanFamily::Llama3, "8B",
     "dim=4096, n_layers=32, n_heads=32, n_kv_heads=8, ffn_dim_multiplier=1.3, multiple_of=1024, rope_theta=500000"},
    {TitanFamily::Llama3, "70B",
     "dim=8192, n_layers=80, n_heads=64, n_kv_heads=8, ffn_dim_multiplier=1.3, multiple_of=4096, rope_theta=500000"},
    {TitanFamily::Llama3, "405B",
     "dim=16384, n_layers=126, n_heads=128, n_kv_heads=8, ffn_dim_multiplier=1.2, multiple_of=4096, "
     "rope_theta=500000"},
    {TitanFamily::Qwen3, "debugmodel",
     "dim=256, n_layers=8, n_heads=16, vocab_size=2048, hidden_dim=3072, enable_weight_tying=True"},
    {TitanFamily::Qwen3, "0.6B", "dim=1024, n_layers=28, n_heads=16, hidden_dim=3072, enable_weight_tying=True"},
    {TitanFamily::Qwen3, "1.7B", "dim=2048, n_layers=28, n_heads=16, hidden_dim=6144, enable_weight_tying=True"},
    {TitanFamily::Qwen3, "4B", "dim=2560, n_layers=36, n_heads=32, hidden_dim=9728, enable_weight_tying=True"},
    {TitanFamily::Qwen3, "8B", "dim=4096, n_layers=36, n_heads=32, hidden_dim=12288"},
    {TitanFamily::Qwen3, "14B", "dim=5120, n_layers=40, n_heads=40, hidden_dim=17408"},
    {TitanFamily::Qwen3, "32B", "dim=5120, n_layers=64, n_heads=64, hidden_dim=25600"},
    {TitanFamily::Qwen3, "debugmodel_moe",
     "dim=256, n_layers=8, n_heads=16, vocab_size=2048, hidden_dim=3072, moe_enabled=True, moe_inter_dim=768, "
     "num_experts=64, num_shared_experts=0, top_k=8, score_func=softmax, route_norm=True, score_before_experts=False"},
    {TitanFamily::Qwen3, "30B-A3B",
     "dim=2048, n_layers=48, n_heads=32, n_kv_heads=4, hidden_dim=6144, moe_enabled=True, moe_inter_dim=768, "
     "num_experts=128, num_shared_experts=0, top_k=8, score_func=softmax, route_norm=True, "
     "score_before_experts=False"},
    {TitanFamily::Qwen3, "235B-A22B",
     "dim=4096, n_layers=94, n_heads=64, n_kv_heads=4, hidden_dim=12288, rope_theta=5000000, moe_enabled=True, "
     "moe_inter_dim=1536, num_experts=128, num_shared_experts=0, top_k=8, score_func=softmax, route_norm=True, "
     "score_before_experts=False"},
    {TitanFamily::Llama4, "debugmodel",
     "dim=256, n_layers=6, n_heads=16, vocab_size=2048, rope_theta=500000, RoPEScalingArgs()"},
    {TitanFamily::Llama4, "17bx16e",
     "dim=5120, n_layers=48, n_heads=40, n_kv_heads=8, ffn_dim_multiplier=1.2, multiple_of=2048, rope_theta=500000, "
     "RoPEScalingArgs(), num_experts=16, interleave_moe_layer_step=1"},
    {TitanFamily::Llama4, "17bx128e",
     "dim=5120, n_layers=48, n_heads=40, n_kv_heads=8, ffn_dim_multiplier=1.2, multiple_of=2048, rope_theta=500000, "
     "num_experts=128"},
    {TitanFamily::Llama4, "debugmodel_irope",
     "dim=256, n_layers=6, n_heads=16, vocab_size=2048, rope_theta=500000, RoPEScalingArgs(), every_n_layers_nope=4, "
     "fixed_attn_block_size=256, attn_mask_type=block_causal"},
    {TitanFamily::Llama4, "17bx16e_irope",
     "dim=5120, n_layers=48, n_heads=40, n_kv_heads=8, ffn_dim_multiplier=1.2, multiple_of=2048, rope_theta=500000, "
     "RoPEScalingArgs(), num_experts=16, interleave_moe_layer_step=1, every_n_layers_nope=4, "
     "attn_mask_type=block_causal"},
    {TitanFamily::Llama4, "17bx128e_irope",
     "dim=5120, n_layers=48, n_heads=40, n_kv_heads=8, ffn_dim_multiplier=1.2, multiple_of=2048, rope_theta=500000, "
     "num_experts=128, every_n_layers_nope=4, attn_mask_type=block_causal"},
    {TitanFamily::DeepSeekV3, "debugmodel",
     "vocab_size=2048, dim=256, inter_dim=1024, moe_inter_dim=256, n_layers=6, n_heads=16, num_experts=8, "
     "num_shared_experts=2, top_k=3, score_func=softmax, score_before_experts=False, mscale=0.70"},
    {TitanFamily::DeepSeekV3, "debugmodel_flex_attn",
     "vocab_size=2048, dim=256, inter_dim=1024, moe_inter_dim=256, n_layers=6, n_heads=16, num_experts=8, "
     "num_shared_experts=2, top_k=3, score_func=softmax, score_before_experts=False, mscale=0.70, "
     "attn_mask_type=block_causal"},
    {TitanFamily::DeepSeekV3, "16B",
     "dim=2048, n_layers=27, n_heads=16, num_experts=64, num_shared_experts=2, top_k=6, score_func=softmax, "
     "score_before_experts=False, mscale=0.70, attn_mask_type=block_causal"},
    {TitanFamily::DeepSeekV3, "236B",
     "dim=5120, inter_dim=12288, moe_inter_dim=1536, n_layers=60, n_heads=128, num_experts=160, "
     "num_shared_experts=2, top_k=6, num_expert_groups=8, num_limited_groups=3, score_func=softmax, route_scale=16.0, "
     "score_before_experts=False, q_lora_rank=1536, attn_mask_type=block_causal"},
    {TitanFamily::DeepSeekV3, "671B",
     "vocab_size=129280, dim=7168, inter_dim=18432, moe_inter_dim=2048, n_layers=61, n_dense_layers=3, n_heads=128, "
     "num_experts=256, top_k=8, num_expert_groups=8, num_limited_groups=4, route_norm=True, route_scale=2.5, "
     "score_before_experts=False, q_lora_rank=1536, attn_mask_type=block_causal"},
    {TitanFamily::GptOss, "debugmodel",
     "dim=256, n_layers=4, n_heads=64, num_experts=8, num_shared_experts=0, score_func=softmax, route_norm=True, "
     "gate_bias=True, score_before_experts=False, top_k=4"},
    {TitanFamily::GptOss, "20b",
     "dim=2880, n_layers=24, n_heads=64, num_experts=32, num_shared_experts=0, score_func=softmax, route_norm=True, "
     "gate_bias=True, score_before_experts=False, top_k=4"},
    {TitanFamily::GptOss, "120b",
     "dim=2880, n_layers=36, n_heads=64, num_experts=128, num_shared_experts=0, score_func=softmax, route_norm=True, "
     "gate_bias=True, score_before_experts=False, top_k=4"},
};

bool sameRotary(const RotarySpec& a, const RotarySpec& b) {
    return a.base == b.base && a.scaling == b.scaling &&
           (a.scaling == RotaryScaling::None ||
            (a.factor == b.factor && a.low == b.low && rotaryHigh(a) == rotaryHigh(b) && a.original == b.original));
}

/// Two models route the tokens of a block with experts alike.
bool sameRouting(const MoeSpec& a, const MoeSpec& b) {
    return a.count == b.count && a.gate == b.gate && choicesOf(a) == choicesOf(b) && a.scoreBias == b.scoreBias &&
           (!isSigmoid(a.gate) || (a.scale == b.scale && a.biasRate == b.biasRate)) &&
           (!traits(a.gate).inGroups || (a.groups == b.groups && a.topGroups == b.topGroups));
}

bool sameModel(const ModelSpec& a, const ModelSpec& b) {
    if (a.layers != b.layers || a.hidden != b.hidden || a.heads != b.heads || a.vocabulary != b.vocabulary ||
        keyHeads(a) != keyHeads(b) || headWidth(a) != headWidth(b) || queryWidth(a) != queryWidth(b) ||
        valueWidth(a) != valueWidth(b) || hasExperts(a) != hasExperts(b) || !(blockParts(a) == blockParts(b)) ||
        !sameRotary(a.block.rotary, b.block.rotary))
        return false;
    if (latentAttention(a) && (a.block.kvRank != b.block.kvRank || a.block.queryRank != b.block.queryRank))
        return false;
    for (int layer = 0; layer < a.layers; ++layer)
        if (hasExperts(a, layer) != hasExperts(b, layer) || feedForwardWidth(a, layer) != feedForwardWidth(b, layer) ||
            (hasExperts(a, layer) && sharedWidth(a, layer) != sharedWidth(b, layer)) ||
            attendedTokens(a, layer) != attendedTokens(b, layer))
            return false;
    return !hasExperts(a) || sameRouting(a.experts, b.experts);
}

}  // namespace

const TitanFamilyTraits& traits(TitanFamily family) { return titanFamilies[static_cast<std::size_t>(family)]; }

std::optional<TitanFamily> titanFamilyNamed(std::string_view name) {
    const auto found = std::ranges::find(titanFamilies, name, &TitanFamilyTraits::name);
    if (found == std::end(titanFamilies)) return std::nullopt;
    return static_cast<TitanFamily>(found - std::begin(titanFamilies));
}

TitanFamily titanFamily(const ModelSpec& model, TitanVersion version) {
    const BlockParts parts = blockParts(model);
    const bool experts = hasExperts(model);
    if (parts.latent) return TitanFamily::DeepSeekV3;
    if (experts && (parts.sinks || parts.activation == ActivationKind::ClampedSwiGlu)) return TitanFamily::GptOss;
    if (parts.queryKeyNorms || parts.tied || headWidth(model) * model.heads != model.hidden) return TitanFamily::Qwen3;
    if (!experts) return TitanFamily::Llama3;
    return version == TitanVersion::Toml ? TitanFamily::Llama4 : TitanFamily::Qwen3;
}

int titanExpertStep(const ModelSpec& model) {
    int step = 1;
    while (step <= model.layers && !hasExperts(model, step - 1)) ++step;
    for (int layer = 0; layer < model.layers; ++layer)
        if (hasExperts(model, layer) != ((layer + 1) % step == 0)) return 0;
    return step;
}

std::string_view titanFlavorOf(const ModelSpec& model) {
    for (const TitanFlavor& flavor : titanFlavors) {
        if (flavor.family != titanFamily(model)) continue;
        const auto known = readTitanFlavor(flavor.family, flavor.arguments, model.sequence);
        if (known && known->notes.empty() && sameModel(model, known->model)) return flavor.name;
    }
    return {};
}

std::optional<TitanModel> titanFlavor(TitanFamily family, std::string_view flavor, int sequence) {
    for (const TitanFlavor& each : titanFlavors)
        if (each.family == family && each.name == flavor) return readTitanFlavor(family, each.arguments, sequence);
    return std::nullopt;
}

}  // namespace shardlab::trace
