// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/block_parts.h"
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardlab::trace {
namespace {

/// A flavor of torchtitan/models/llama3 or qwen3 of 0.2.2, with the width that its feed-forward blocks come to.
struct TitanFlavor {
    std::string_view family, name;
    int layers, hidden, heads, keyHeads, headWidth, feedForward, vocabulary;
    double base;
    bool tied;
};
constexpr TitanFlavor titanFlavors[] = {
    {"llama3", "debugmodel", 6, 256, 16, 16, 16, 768, 2048, 500000, false},
    {"llama3", "8B", 32, 4096, 32, 8, 128, 14336, 128256, 500000, false},
    {"llama3", "70B", 80, 8192, 64, 8, 128, 28672, 128256, 500000, false},
    {"llama3", "405B", 126, 16384, 128, 8, 128, 53248, 128256, 500000, false},
    {"qwen3", "debugmodel", 8, 256, 16, 8, 128, 3072, 2048, 1000000, true},
    {"qwen3", "0.6B", 28, 1024, 16, 8, 128, 3072, 151936, 1000000, true},
    {"qwen3", "1.7B", 28, 2048, 16, 8, 128, 6144, 151936, 1000000, true},
    {"qwen3", "4B", 36, 2560, 32, 8, 128, 9728, 151936, 1000000, true},
    {"qwen3", "8B", 36, 4096, 32, 8, 128, 12288, 151936, 1000000, false},
    {"qwen3", "14B", 40, 5120, 40, 8, 128, 17408, 151936, 1000000, false},
    {"qwen3", "32B", 64, 5120, 64, 8, 128, 25600, 151936, 1000000, false},
};

/// The columns within a llama3's feed-forward block before its multiplier: two thirds of 4 · dim, rounded down.
int titanThirds(int hidden) { return static_cast<int>(2 * (std::int64_t{4} * hidden) / 3); }

ModelSpec modelOf(const TitanFlavor& flavor) {
    ModelSpec m;
    m.kind = knownLlama;
    m.layers = flavor.layers;
    m.hidden = flavor.hidden;
    m.heads = flavor.heads;
    if (flavor.keyHeads != flavor.heads) m.block.kvHeads = flavor.keyHeads;
    if (flavor.headWidth * flavor.heads != flavor.hidden) m.block.headWidth = flavor.headWidth;
    if (flavor.feedForward != 4 * flavor.hidden) m.feedForward = {flavor.feedForward};
    m.vocabulary = flavor.vocabulary;
    m.block.rotary.base = flavor.base;
    const bool qwen3 = flavor.family == "qwen3";
    m.block.normEpsilon = qwen3 ? 1e-6 : 1e-5;
    m.block.queryKeyNorms = qwen3;
    m.block.output = flavor.tied ? OutputKind::Tied : OutputKind::Default;
    // Every llama3 of torchtitan scales its positions as Llama 3.1 does.
    if (!qwen3) m.block.rotary = {.base = flavor.base, .scaling = RotaryScaling::Llama3};
    return m;
}

bool sameModel(const ModelSpec& a, const ModelSpec& b) {
    const RotarySpec &x = a.block.rotary, &y = b.block.rotary;
    const bool scaled = x.scaling != RotaryScaling::None;
    return a.layers == b.layers && a.hidden == b.hidden && a.heads == b.heads && keyHeads(a) == keyHeads(b) &&
           headWidth(a) == headWidth(b) && evenWidth(a) == evenWidth(b) && a.vocabulary == b.vocabulary &&
           blockParts(a) == blockParts(b) && x.base == y.base && x.scaling == y.scaling &&
           (!scaled ||
            (x.factor == y.factor && x.low == y.low && rotaryHigh(x) == rotaryHigh(y) && x.original == y.original));
}

/// "name=value" anywhere in the text of a module.
std::optional<double> titanValue(std::string_view text, std::string_view name) {
    const std::string key = fmt::format("{}=", name);
    for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
        if (at > 0 && text[at - 1] != ' ' && text[at - 1] != '(' && text[at - 1] != ',') continue;
        std::string_view rest = text.substr(at + key.size());
        rest = rest.substr(0, rest.find_first_not_of("0123456789.eE+-TrueFalse"));
        if (rest == "True" || rest == "False") return rest == "True" ? 1 : 0;
        return readNumber(rest);
    }
    return std::nullopt;
}

std::optional<int> titanSize(std::string_view text, std::string_view name) {
    const auto value = titanValue(text, name);
    if (!value || !(*value >= 0) || *value > (1 << 30)) return std::nullopt;
    return static_cast<int>(*value);
}

}  // namespace

std::string_view titanFlavorOf(const ModelSpec& model) {
    for (const TitanFlavor& flavor : titanFlavors)
        if (sameModel(model, modelOf(flavor))) return flavor.name;
    return {};
}

std::optional<ModelSpec> titanFlavor(std::string_view family, std::string_view flavor) {
    for (const TitanFlavor& each : titanFlavors)
        if (each.family == family && each.name == flavor) return modelOf(each);
    return std::nullopt;
}

std::string titanFlavorText(const ModelSpec& m, std::string_view flavor) {
    const bool qwen3 = titanIsQwen3(m);
    const BlockParts parts = blockParts(m);
    const RotarySpec& r = m.block.rotary;
    const auto word = [](bool value) { return value ? "True" : "False"; };
    std::string text = fmt::format("# The model of a layout as a flavor of torchtitan's {}, by shardlab {}.\n",
                                   qwen3 ? "qwen3" : "llama3", SHARDLAB_VERSION);
    if (qwen3)
        text += "from torchtitan.models.qwen3 import Qwen3ModelArgs, qwen3_args\n\n"
                "qwen3_args[\"" +
                std::string(flavor) + "\"] = Qwen3ModelArgs(\n";
    else
        text += "from torchtitan.models.llama3 import TransformerModelArgs, llama3_args\n"
                "from torchtitan.models.llama3.model.args import RoPEScalingArgs\n\n"
                "llama3_args[\"" +
                std::string(flavor) + "\"] = TransformerModelArgs(\n";
    text += fmt::format("    dim={},\n    n_layers={},\n    n_heads={},\n    n_kv_heads={},\n    vocab_size={},\n"
                        "    norm_eps={},\n    rope_theta={},\n    max_seq_len={},\n",
                        m.hidden, m.layers, m.heads, keyHeads(m), m.vocabulary, numberText(parts.normEpsilon),
                        numberText(r.base), m.sequence);
    if (qwen3)
        return text +
               fmt::format("    head_dim={},\n    hidden_dim={},\n    qk_norm={},\n    enable_weight_tying={},\n)\n",
                           headWidth(m), feedForwardWidth(m, 0), word(parts.queryKeyNorms), word(parts.tied));
    // int(multiplier · thirds) is the width: half a column more, so that no rounding takes one away.
    const double multiplier = (feedForwardWidth(m, 0) + 0.5) / titanThirds(m.hidden);
    text += fmt::format("    multiple_of=1,\n    ffn_dim_multiplier={},  # feed-forward blocks are {} wide\n",
                        numberText(multiplier), feedForwardWidth(m, 0));
    const bool scaled = r.scaling == RotaryScaling::Llama3;
    return text + fmt::format("    rope_scaling_args=RoPEScalingArgs({}scaling_factor={}, low_freq_factor={}, "
                              "high_freq_factor={}, original_max_position_embeddings={}),\n)\n",
                              scaled ? "" : "\n        # A factor of 1 scales nothing.\n        ",
                              numberText(scaled ? r.factor : 1), numberText(r.low),
                              numberText(scaled ? rotaryHigh(r) : 4), r.original);
}

std::optional<ModelSpec> readTitanFlavor(std::string_view family, std::string_view text) {
    ModelSpec m;
    m.kind = knownLlama;
    const auto hidden = titanSize(text, "dim"), layers = titanSize(text, "n_layers"),
               heads = titanSize(text, "n_heads");
    if (!hidden || !layers || !heads || *heads < 1) return std::nullopt;
    m.hidden = *hidden;
    m.layers = *layers;
    m.heads = *heads;
    const bool qwen3 = family == "qwen3";
    const int keys = titanSize(text, "n_kv_heads").value_or(m.heads);
    if (keys != m.heads) m.block.kvHeads = keys;
    m.vocabulary = titanSize(text, "vocab_size").value_or(qwen3 ? 151936 : 128256);
    m.block.normEpsilon = titanValue(text, "norm_eps").value_or(qwen3 ? 1e-6 : 1e-5);
    m.block.rotary.base = titanValue(text, "rope_theta").value_or(qwen3 ? 1e6 : 1e4);
    double width = 0;
    if (qwen3) {
        const int head = titanSize(text, "head_dim").value_or(128);
        if (std::int64_t{head} * m.heads != m.hidden) m.block.headWidth = head;
        width = titanSize(text, "hidden_dim").value_or(3072);
        m.block.queryKeyNorms = titanValue(text, "qk_norm").value_or(1) != 0;
        m.block.output =
            titanValue(text, "enable_weight_tying").value_or(0) != 0 ? OutputKind::Tied : OutputKind::Default;
    } else {
        const double multiple = std::max(1, titanSize(text, "multiple_of").value_or(256));
        width = std::floor(titanValue(text, "ffn_dim_multiplier").value_or(1) * titanThirds(m.hidden));
        width = multiple * std::ceil(width / multiple);
        const double factor = titanValue(text, "scaling_factor").value_or(8);
        if (factor != 1)
            m.block.rotary = {.base = m.block.rotary.base,
                              .scaling = RotaryScaling::Llama3,
                              .factor = factor,
                              .low = titanValue(text, "low_freq_factor").value_or(1),
                              .high = titanValue(text, "high_freq_factor").value_or(4),
                              .original = titanSize(text, "original_max_position_embeddings").value_or(8192)};
    }
    if (!(width >= 1 && width < (1 << 30))) return std::nullopt;
    if (width != 4.0 * m.hidden) m.feedForward = {static_cast<int>(width)};
    return m;
}

}  // namespace shardlab::trace
