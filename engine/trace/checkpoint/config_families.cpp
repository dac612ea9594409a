// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/config_families.h"

#include "engine/layout/block_parts.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::trace {
namespace {

using Json = nlohmann::json;
using Gate = ConfigExperts::Gate;
using Window = ConfigFamily::Window;

const std::vector<ConfigBias> noBiases{};
const std::vector<ConfigBias> neverBiases{{"attention_bias", BiasKind::None}};
constexpr ConfigExperts deepSeekV3{Gate::Sigmoid, 256, 8, 2048, 1, 8, 4, 2.5, 3, true};

Json gptOssAngles() {
    return {{"rope_type", "yarn"}, {"factor", 32.0},    {"beta_fast", 32.0},
            {"beta_slow", 1.0},    {"truncate", false}, {"original_max_position_embeddings", 4096}};
}
Json cwmAngles() {
    return {{"rope_type", "llama3"},  {"rope_theta", 1e6},       {"factor", 16.0},
            {"low_freq_factor", 1.0}, {"high_freq_factor", 4.0}, {"original_max_position_embeddings", 8192}};
}

bool seesAllBelow(const Json& config, int layer) {
    const Json below = config.value("max_window_layers", Json(62));
    return below.is_number() && layer < below.get<double>();
}

std::vector<ConfigFamily> allFamilies() {
    return {
        {.type = "gpt2", .kind = ModelKind::Gpt, .architecture = "GPT2LMHeadModel"},
        {.type = "bloom", .kind = ModelKind::Gpt, .architecture = "BloomForCausalLM", .weights = false},
        {.type = "mpt", .kind = ModelKind::Gpt, .architecture = "MptForCausalLM", .weights = false},
        {.type = "llama", .kind = ModelKind::Llama, .architecture = "LlamaForCausalLM"},
        {.type = "mistral",
         .kind = ModelKind::Llama,
         .architecture = "MistralForCausalLM",
         .keyHeads = 8,
         .width = 14336,
         .positions = 131072,
         .window = Window::All,
         .windowLength = 4096},
        {.type = "ministral",
         .kind = ModelKind::Llama,
         .architecture = "MinistralForCausalLM",
         .keyHeads = 8,
         .width = 14336,
         .positions = 131072,
         .biases = noBiases,
         .window = Window::Types,
         .windowLength = 4096,
         .seesAll = [](const Json&, int) { return false; }},
        {.type = "qwen2",
         .kind = ModelKind::Llama,
         .architecture = "Qwen2ForCausalLM",
         .keyHeads = 32,
         .vocabulary = 151936,
         .width = 22016,
         .positions = 32768,
         .biases = {{"model_type", BiasKind::Qkv, true}, {"attention_bias", BiasKind::None}},
         .window = Window::Optional,
         .windowLength = 4096},
        {.type = "qwen3",
         .kind = ModelKind::Llama,
         .architecture = "Qwen3ForCausalLM",
         .keyHeads = 32,
         .headWidth = 128,
         .vocabulary = 151936,
         .width = 22016,
         .positions = 32768,
         .queryKeyNorms = true,
         .biases = neverBiases,
         .window = Window::Optional,
         .windowLength = 4096},
        {.type = "starcoder2",
         .kind = ModelKind::Llama,
         .architecture = "Starcoder2ForCausalLM",
         .layers = 30,
         .hidden = 3072,
         .heads = 24,
         .keyHeads = 2,
         .vocabulary = 49152,
         .width = 12288,
         .positions = 4096,
         .epsilon = 1e-5,
         .tied = true,
         .epsilonName = "norm_epsilon",
         .norm = NormKind::Layer,
         .activation = ActivationKind::GeluTanh,
         .biases = {{"use_bias", BiasKind::All, true}},
         .window = Window::All},
        {.type = "arcee",
         .kind = ModelKind::Llama,
         .architecture = "ArceeForCausalLM",
         .hidden = 2560,
         .width = 18432,
         .positions = 4096,
         .epsilon = 1e-5,
         .activation = ActivationKind::SquaredRelu},
        {.type = "stablelm",
         .kind = ModelKind::Llama,
         .architecture = "StableLmForCausalLM",
         .hidden = 2560,
         .vocabulary = 50304,
         .width = 6912,
         .positions = 4096,
         .epsilon = 1e-5,
         .usual = {{"partial_rotary_factor", 0.25}},
         .epsilonName = "layer_norm_eps",
         .norm = NormKind::Layer,
         .biases = {{"use_qkv_bias", BiasKind::Qkv}}},
        {.type = "phi3",
         .kind = ModelKind::Llama,
         .architecture = "Phi3ForCausalLM",
         .hidden = 3072,
         .vocabulary = 32064,
         .width = 8192,
         .positions = 4096,
         .epsilon = 1e-5,
         .biases = noBiases,
         .window = Window::All,
         .storage = {.fused = true}},
        {.type = "seed_oss",
         .kind = ModelKind::Llama,
         .architecture = "SeedOssForCausalLM",
         .layers = 64,
         .heads = 80,
         .keyHeads = 8,
         .headWidth = 128,
         .vocabulary = 155136,
         .width = 27648,
         .positions = 524288,
         .biases = {{"attention_bias", BiasKind::Qkv, true},
                    {"attention_out_bias", BiasKind::None},
                    {"mlp_bias", BiasKind::None}}},
        {.type = "helium",
         .kind = ModelKind::Llama,
         .architecture = "HeliumForCausalLM",
         .layers = 24,
         .hidden = 2560,
         .heads = 20,
         .keyHeads = 20,
         .headWidth = 128,
         .vocabulary = 48000,
         .width = 7040,
         .positions = 4096,
         .epsilon = 1e-8,
         .base = 1e5,
         .biases = {{"attention_bias", BiasKind::Qkv}, {"mlp_bias", BiasKind::None}},
         .storage = {.pairs = true}},
        {.type = "ernie4_5",
         .kind = ModelKind::Llama,
         .architecture = "Ernie4_5ForCausalLM",
         .layers = 18,
         .hidden = 1024,
         .heads = 16,
         .keyHeads = 2,
         .headWidth = 128,
         .vocabulary = 103424,
         .width = 3072,
         .positions = 131072,
         .epsilon = 1e-5,
         .base = 5e5,
         .tied = true,
         .biases = {{"use_bias"}},
         .storage = {.pairs = true}},
        {.type = "granite",
         .kind = ModelKind::Llama,
         .architecture = "GraniteForCausalLM",
         .usual = {{"attention_multiplier", 1.0}}},
        {.type = "smollm3",
         .kind = ModelKind::Llama,
         .architecture = "SmolLM3ForCausalLM",
         .layers = 36,
         .hidden = 2048,
         .heads = 16,
         .keyHeads = 4,
         .vocabulary = 128256,
         .positions = 32768,
         .base = 2e6,
         .tied = true,
         .usual = {{"no_rope_layers", {1, 1, 1, 0}}},
         .window = Window::Optional},
        {.type = "internlm3",
         .kind = ModelKind::Llama,
         .architecture = "LlamaForCausalLM",
         .layers = 48,
         .keyHeads = 2,
         .headWidth = 128,
         .vocabulary = 128512,
         .width = 10240,
         .positions = 32768,
         .epsilon = 1e-5,
         .aliases = {{"attention_bias", "qkv_bias"}, {"mlp_bias", "bias"}}},
        {.type = "iquestcoder",
         .kind = ModelKind::Llama,
         .architecture = "LlamaForCausalLM",
         .layers = 80,
         .hidden = 5120,
         .heads = 40,
         .keyHeads = 8,
         .headWidth = 128,
         .vocabulary = 76800,
         .width = 27648,
         .positions = 131072,
         .epsilon = 1e-5},
        {.type = "cwm",
         .kind = ModelKind::Llama,
         .architecture = "CwmForCausalLM",
         .layers = 64,
         .hidden = 6144,
         .heads = 48,
         .keyHeads = 8,
         .headWidth = 128,
         .vocabulary = 128256,
         .width = 21504,
         .positions = 131072,
         .epsilon = 1e-5,
         .base = 1e6,
         .scaling = cwmAngles(),
         .biases = {{"mlp_bias", BiasKind::None}},
         .window = Window::Types,
         .windowLength = 8192,
         .seesAll = [](const Json&, int layer) { return layer % 4 == 0; }},
        {.type = "mixtral",
         .kind = ModelKind::LlamaMoe,
         .architecture = "MixtralForCausalLM",
         .keyHeads = 8,
         .width = 14336,
         .positions = 131072,
         .epsilon = 1e-5,
         .base = 1e6,
         .window = Window::All,
         .experts = {.count = 8, .topK = 2}},
        {.type = "qwen3_moe",
         .kind = ModelKind::LlamaMoe,
         .architecture = "Qwen3MoeForCausalLM",
         .layers = 24,
         .hidden = 2048,
         .keyHeads = 4,
         .vocabulary = 151936,
         .positions = 32768,
         .queryKeyNorms = true,
         .biases = neverBiases,
         .window = Window::Optional,
         .windowLength = 4096,
         .experts = {.gate = Gate::Shares, .count = 128, .topK = 8, .width = 768}},
        {.type = "gpt_oss",
         .kind = ModelKind::LlamaMoe,
         .architecture = "GptOssForCausalLM",
         .layers = 36,
         .hidden = 2880,
         .heads = 64,
         .keyHeads = 8,
         .headWidth = 64,
         .vocabulary = 201088,
         .width = 2880,
         .positions = 131072,
         .epsilon = 1e-5,
         .base = 150000,
         .scaling = gptOssAngles(),
         .activation = ActivationKind::ClampedSwiGlu,
         .window = Window::Types,
         .windowLength = 128,
         .seesAll = [](const Json&, int layer) { return layer % 2 == 1; },
         .experts = {.count = 128, .topK = 4}},
        {.type = "deepseek_v3",
         .kind = ModelKind::LlamaMoe,
         .architecture = "DeepseekV3ForCausalLM",
         .layers = 61,
         .hidden = 7168,
         .heads = 128,
         .keyHeads = 128,
         .vocabulary = 129280,
         .width = 18432,
         .positions = 4096,
         .latent = true,
         .biases = neverBiases,
         .experts = deepSeekV3},
        {.type = "deepseek_v3",
         .kind = ModelKind::Llama,
         .architecture = "DeepseekV3ForCausalLM",
         .layers = 61,
         .hidden = 7168,
         .heads = 128,
         .keyHeads = 128,
         .vocabulary = 129280,
         .width = 18432,
         .positions = 4096,
         .latent = true,
         .biases = neverBiases,
         .experts = deepSeekV3},
        {.type = "deepseek_v2",
         .kind = ModelKind::LlamaMoe,
         .architecture = "DeepseekV2ForCausalLM",
         .vocabulary = 102400,
         .latent = true,
         .biases = neverBiases,
         .experts = {.gate = Gate::Softmax, .count = 64, .topK = 0, .width = 1407, .shared = 2}},
        {.type = "kimi_k2",
         .kind = ModelKind::LlamaMoe,
         .architecture = "DeepseekV3ForCausalLM",
         .weights = false,
         .layers = 61,
         .hidden = 7168,
         .heads = 128,
         .keyHeads = 128,
         .vocabulary = 129280,
         .width = 18432,
         .positions = 4096,
         .latent = true,
         .biases = neverBiases,
         .experts = deepSeekV3},
        {.type = "dots1",
         .kind = ModelKind::LlamaMoe,
         .architecture = "Dots1ForCausalLM",
         .layers = 62,
         .hidden = 4608,
         .keyHeads = 32,
         .vocabulary = 152064,
         .width = 10944,
         .queryKeyNorms = true,
         .biases = neverBiases,
         .window = Window::Types,
         .windowLength = 4096,
         .seesAll = seesAllBelow,
         .experts = {.gate = Gate::Sigmoid, .count = 0, .topK = 0, .width = 1408}},
    };
}

/// Biases of a layout's blocks.
BiasKind biasesOf(const BlockParts& parts) {
    return parts.biases ? BiasKind::All : parts.qkvBias ? BiasKind::Qkv : BiasKind::None;
}

bool saysGate(const ConfigExperts& theirs, const MoeSpec& ours) {
    switch (theirs.gate) {
    case Gate::TopKSoftmax: return ours.gate == GateMethod::TopKSoftmax;
    case Gate::Shares: return ours.gate == GateMethod::TopKSoftmax || ours.gate == GateMethod::SoftmaxTopK;
    case Gate::Sigmoid: return ours.gate == GateMethod::SigmoidTopK || ours.gate == GateMethod::SigmoidInGroups;
    case Gate::Softmax: return ours.gate == GateMethod::SoftmaxTopK;
    }
    return false;
}

bool saysWindows(Window window, const ModelSpec& model) {
    int seen = 0;
    for (int layer = 0; layer < model.layers; ++layer) seen += attendedTokens(model, layer) < model.sequence;
    return seen == 0 || window == Window::Types || (window == Window::All && seen == model.layers);
}

/// Models of the family have such blocks.
bool has(const ConfigFamily& family, const ModelSpec& model) {
    if (family.kind != model.kind || !family.weights) return false;
    if (traits(family.kind).weights != WeightsFormat::Llama) return true;
    const BlockParts parts = blockParts(model);
    BlockParts theirs;
    theirs.activation = family.activation;
    const auto gives = [&](const ConfigBias& bias) { return bias.gives == biasesOf(parts); };
    const bool biases = biasesOf(parts) == BiasKind::None || std::ranges::any_of(family.biases, gives);
    const auto clamped = [](const BlockParts& of) { return of.activation == ActivationKind::ClampedSwiGlu; };
    return parts.rmsNorm == (family.norm == NormKind::Rms) && parts.gated() == theirs.gated() &&
           clamped(parts) == clamped(theirs) && parts.latent == family.latent &&
           parts.queryKeyNorms == family.queryKeyNorms && biases && saysWindows(family.window, model) &&
           (!hasExperts(model) || saysGate(family.experts, model.experts));
}

}  // namespace

const std::vector<ConfigFamily>& configFamilies() {
    static const std::vector<ConfigFamily> families = allFamilies();
    return families;
}

const ConfigFamily& configFamily(const ModelSpec& model) {
    const std::vector<ConfigFamily>& all = configFamilies();
    const auto found = std::ranges::find_if(all, [&](const ConfigFamily& each) { return has(each, model); });
    if (found != all.end()) return *found;
    const auto kind = std::ranges::find(all, model.kind, &ConfigFamily::kind);
    return kind != all.end() ? *kind : all.front();
}

const ConfigFamily* configFamilyOf(const Json& config, std::optional<ModelKind> kind) {
    const ConfigFamily* known = nullptr;
    const Json type = config.value("model_type", Json());
    for (const ConfigFamily& each : configFamilies())
        if (type == each.type && (known == nullptr || each.kind == kind)) known = &each;
    return known;
}

const std::vector<UnsaidFamilies>& unsaidFamilies() {
    static const std::vector<UnsaidFamilies> all{
        {"gemma vaultgemma", "llama",
         say("a model of that type multiplies its token embedding by the root of hidden_size, and that "
             "embedding is its output too")},
        {"gemma2 gemma3_text gemma3n_text gemma4_text glm4 hyperclovax", "llama",
         say("its blocks have norms behind attention and feed-forward too (post_attention_layernorm)")},
        {"olmo2 olmo3 exaone4 flex_olmo", "qwen3",
         say("the norms of its blocks lie behind attention and feed-forward instead of before them "
             "(post_feedforward_layernorm)")},
        {"olmo nanochat", "llama", say("its norms learn nothing")},
        {"olmoe minimax_m2", "qwen3_moe",
         say("its norms of queries and keys (q_norm, k_norm) go over all heads together")},
        {"cohere cohere2 gpt_neox gptj codegen phi falcon", "starcoder2",
         say("attention and feed-forward of a block read the same input there (use_parallel_residual)")},
        {"glm nemotron persimmon", "starcoder2",
         say("its positions turn a part of each head alone (partial_rotary_factor)")},
        {"glm4_moe sarvam_moe", "dots1", say("its positions turn a part of each head alone (partial_rotary_factor)")},
        {"qwen2_moe", "qwen3_moe", say("its shared expert has a gate of its own (shared_expert_gate)")},
        {"qwen3_next qwen3_5_moe_text kimi_linear minimax bailing_hybrid", "qwen3_moe",
         say("some of its layers have linear attention (layer_types)")},
        {"qwen3_5_text olmo_hybrid", "qwen3", say("some of its layers have linear attention (layer_types)")},
        {"mamba mamba2 falcon_mamba", "llama", say("its layers are state spaces without attention (state_size)")},
        {"jamba bamba zamba zamba2 falcon_h1 nemotron_h granitemoehybrid", "mixtral",
         say("some of its layers are state spaces (layer_types)")},
        {"rwkv xlstm recurrent_gemma", "llama", say("its layers are recurrent")},
        {"lfm2 lfm2_moe", "qwen3", say("some of its layers are convolutions (conv_L_cache)")},
        {"llama4 llama4_text", "mixtral", say("some of its layers turn no positions (no_rope_layers)")},
        {"phimoe", "mixtral", say("its router masks scores by their distance from the highest (router_jitter_noise)")},
        {"ernie4_5_moe", "qwen3_moe", say("its router adds a correction to the shares of a softmax (moe_statics)")},
        {"dbrx", "mixtral", say("it clips queries, keys and values (attn_config.clip_qkv)")},
        {"granitemoe granitemoeshared", "mixtral",
         say("it multiplies embedding, branches, scores and logits (embedding_multiplier, "
             "residual_multiplier)")},
        {"hunyuan_v1_dense", "qwen3",
         say("its norms of queries and keys come behind the turn of their positions (query_layernorm)")},
        {"hunyuan_v1_moe", "qwen3_moe",
         say("its norms of queries and keys come behind the turn of their positions (query_layernorm)")},
        {"deepseek_v32 glm_moe_dsa", "deepseek_v3",
         say("its attention sees the tokens that an index chooses (index_topk)")},
        {"mellum", "qwen3_moe",
         say("layers with a window turn positions by a base of their own there (rope_parameters)")},
        {"ministral3", "mistral", say("its queries grow with their place (llama_4_scaling_beta)")},
        {"opt", "gpt2", say("its activation is relu (activation_function)")},
        {"gpt_neo", "gpt2", say("its scores are not divided by the root of a head's width")},
        {"xglm", "gpt2", say("its positions are sines (scale_embedding)")},
        {"apertus", "arcee", say("its activation has bounds that are learned (hidden_act xielu)")},
        {"bitnet", "llama", say("its blocks have norms within attention and feed-forward (attn_sub_norm)")},
        {"diffllama", "llama", say("its attention takes a second one from the first (lambda_std_dev)")},
    };
    return all;
}
const UnsaidFamilies* unsaidFamily(std::string_view type) {
    for (const UnsaidFamilies& each : unsaidFamilies()) {
        const std::string types = fmt::format(" {} ", each.types);
        if (types.find(fmt::format(" {} ", type)) != std::string::npos) return &each;
    }
    return nullptr;
}

}  // namespace shardlab::trace
