// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/llama_tensors.h"

#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"

#include <fmt/format.h>

namespace shardlab::trace {

std::string biasOf(const std::string& weight) { return weight.substr(0, weight.rfind('.')) + ".bias"; }

namespace {

LlamaTensor renamed(std::string name, std::vector<int> shape, std::string theirs) {
    return {std::move(name), std::move(shape), {{std::move(theirs), 0}}, {}};
}

LlamaTensor joined(std::string name, int inputs, std::vector<LlamaTensor::Projection> projections) {
    LlamaTensor tensor{std::move(name), {inputs, 0}, std::move(projections), {}};
    for (std::size_t i = 0; i < tensor.projections.size(); ++i) {
        tensor.columns.push_back({i, 0, tensor.projections[i].outputs});
        tensor.shape[1] += tensor.projections[i].outputs;
    }
    return tensor;
}

/// The bias of a product: its columns are those of the product's matrix.
LlamaTensor biasTensor(LlamaTensor product) {
    product.name = biasOf(product.name);
    product.shape.erase(product.shape.begin());
    for (LlamaTensor::Projection& projection : product.projections) projection.name = biasOf(projection.name);
    return product;
}

/// Queries, keys and values, in the order of kernels/rotary.h.
LlamaTensor attentionTensor(const ModelSpec& model, const std::string& ours, const std::string& theirs) {
    const int width = headWidth(model), keys = keyHeads(model), together = model.heads / keys;
    LlamaTensor tensor = joined(ours, model.hidden,
                                {{theirs + "q_proj.weight", model.heads * width},
                                 {theirs + "k_proj.weight", keys * width},
                                 {theirs + "v_proj.weight", keys * width}});
    tensor.columns.clear();
    for (int key = 0; key < keys; ++key) {
        tensor.columns.push_back({0, key * together * width, together * width});
        tensor.columns.push_back({1, key * width, width});
        tensor.columns.push_back({2, key * width, width});
    }
    return tensor;
}

/// Columns that theirs has as pairs of neighbours and ours as two halves: a head's turned numbers, or gates and values.
void addPairs(std::size_t projection, int first, int count, std::vector<OutputRun>& columns) {
    for (const int half : {0, 1}) columns.push_back({projection, first + half, count / 2, 2});
}

/// What a latent attention makes from each token: the latents of queries, if there is one, and of keys and values, and
/// the turned part of the keys.
LlamaTensor downTensor(const ModelSpec& model, const std::string& ours, const std::string& theirs) {
    const BlockSpec& block = model.block;
    std::vector<LlamaTensor::Projection> projections;
    if (block.queryRank > 0) projections.push_back({theirs + "q_a_proj.weight", block.queryRank});
    projections.push_back({theirs + "kv_a_proj_with_mqa.weight", block.kvRank + block.ropeWidth});
    LlamaTensor tensor = joined(ours, model.hidden, std::move(projections));
    const std::size_t keys = tensor.projections.size() - 1;
    tensor.columns.back().count = block.kvRank;
    addPairs(keys, block.kvRank, block.ropeWidth, tensor.columns);
    return tensor;
}

LlamaTensor latentQueries(const ModelSpec& model, const std::string& ours, const std::string& theirs) {
    const BlockSpec& block = model.block;
    const bool latent = block.queryRank > 0;
    const int plain = headWidth(model), width = queryWidth(model);
    LlamaTensor tensor = joined(ours, latent ? block.queryRank : model.hidden,
                                {{theirs + (latent ? "q_b_proj.weight" : "q_proj.weight"), model.heads * width}});
    tensor.columns.clear();
    for (int i = 0; i < model.heads; ++i) {
        tensor.columns.push_back({0, i * width, plain});
        addPairs(0, i * width + plain, block.ropeWidth, tensor.columns);
    }
    return tensor;
}

/// The tensors of a latent attention but its projection.
std::vector<LlamaTensor> latentTensors(const ModelSpec& model, const std::string& ours, const std::string& theirs) {
    const BlockSpec& block = model.block;
    std::vector<LlamaTensor> all{downTensor(model, ours + "down.weight", theirs)};
    if (block.queryRank > 0)
        all.push_back(renamed(ours + "q_norm.weight", {block.queryRank}, theirs + "q_a_layernorm.weight"));
    all.push_back(latentQueries(model, ours + "q.weight", theirs));
    all.push_back(renamed(ours + "kv_norm.weight", {block.kvRank}, theirs + "kv_a_layernorm.weight"));
    all.push_back(joined(ours + "kv.weight", block.kvRank,
                         {{theirs + "kv_b_proj.weight", static_cast<int>(expandedColumns(model))}}));
    return all;
}

/// The experts of a GPT-OSS, which lie in stacks; gates and values are columns in turn.
void addStackedExperts(const ModelSpec& model, int layer, std::vector<LlamaTensor>& all) {
    const int h = model.hidden, f = feedForwardWidth(model, layer), count = model.experts.count;
    const std::string ours = fmt::format("h.{}.moe.", layer), theirs = fmt::format("model.layers.{}.mlp.", layer);
    all.push_back(joined(ours + "gate.weight", h, {{theirs + "router.weight", count}}));
    all.push_back(renamed(ours + "scores.bias", {count}, theirs + "router.bias"));
    const auto stack = [&](const char* name, const char* their, int inputs, int outputs, bool pairs) {
        const std::string stacked = fmt::format("{}experts.{}", theirs, their);
        for (const bool bias : {false, true})
            for (int e = 0; e < count; ++e) {
                LlamaTensor tensor = joined(fmt::format("{}experts.{}.{}.weight", ours, e, name), inputs,
                                            {{stacked + (bias ? "_bias" : ""), outputs}});
                if (bias) {
                    tensor.name = biasOf(tensor.name);
                    tensor.shape = {outputs};
                }
                if (pairs) {
                    tensor.columns.clear();
                    addPairs(0, 0, outputs, tensor.columns);
                }
                tensor.parts = count;
                tensor.part = e;
                tensor.byInputs = true;
                all.push_back(std::move(tensor));
            }
    };
    stack("gate_up", "gate_up_proj", h, 2 * f, true);
    stack("c_proj", "down_proj", f, h, false);
}

/// What a module that predicts further tokens has beside its block, with its copies of what it shares with the model.
void addModule(const ModelSpec& model, const std::string& ours, const std::string& theirs,
               std::vector<LlamaTensor>& all) {
    const int h = model.hidden;
    for (const char* norm : {"enorm.weight", "hnorm.weight", "shared_head.norm.weight"})
        all.push_back(renamed(ours + norm, {h}, theirs + norm));
    all.push_back(joined(ours + "eh_proj.weight", 2 * h, {{theirs + "eh_proj.weight", h}}));
    const std::string output = blockParts(model).tied ? "wte.weight" : outputWeight;
    for (const auto& [name, their] : {std::pair<std::string, const char*>{"wte.weight", "embed_tokens.weight"},
                                      std::pair<std::string, const char*>{output, "shared_head.head.weight"}}) {
        all.push_back(renamed(name, {model.vocabulary, h}, theirs + their));
        all.back().copy = true;
    }
}

}  // namespace

std::vector<LlamaTensor> llamaTensors(const ModelSpec& model) {
    const int h = model.hidden, width = headWidth(model);
    const BlockParts parts = blockParts(model);
    std::vector<LlamaTensor> all;
    const auto product = [&](LlamaTensor tensor, bool bias) {
        all.push_back(tensor);
        if (bias) all.push_back(biasTensor(std::move(tensor)));
    };
    all.push_back(renamed("wte.weight", {model.vocabulary, h}, "model.embed_tokens.weight"));
    for (int layer = 0; layer < blockCount(model); ++layer) {
        const std::string ours = fmt::format("h.{}.", layer), theirs = fmt::format("model.layers.{}.", layer);
        if (ofModule(model, layer)) addModule(model, ours, theirs, all);
        const int f = feedForwardWidth(model, layer);
        all.push_back(renamed(ours + "ln_1.weight", {h}, theirs + "input_layernorm.weight"));
        if (parts.latent)
            for (LlamaTensor& tensor : latentTensors(model, ours + "attn.", theirs + "self_attn."))
                all.push_back(std::move(tensor));
        else product(attentionTensor(model, ours + "attn.qkv.weight", theirs + "self_attn."), parts.qkvBias);
        if (parts.queryKeyNorms)
            for (const char* name : {"q_norm.weight", "k_norm.weight"})
                all.push_back(renamed(ours + "attn." + name, {width}, theirs + "self_attn." + name));
        if (parts.sinks) all.push_back(renamed(ours + "attn.sinks", {model.heads}, theirs + "self_attn.sinks"));
        product(joined(ours + "attn.c_proj.weight", static_cast<int>(outputColumns(model)),
                       {{theirs + "self_attn.o_proj.weight", h}}),
                parts.biases);
        all.push_back(renamed(ours + "ln_2.weight", {h}, theirs + "post_attention_layernorm.weight"));
        const auto feedForward = [&](const std::string& block, const std::string& gate, const std::string& up,
                                     const std::string& down) {
            product(joined(ours + block + ".gate_up.weight", h, {{theirs + gate, f}, {theirs + up, f}}), parts.biases);
            product(joined(ours + block + ".c_proj.weight", f, {{theirs + down, h}}), parts.biases);
        };
        if (!hasExperts(model, layer)) {
            feedForward("mlp", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight");
            continue;
        }
        if (isGptOss(model)) {
            addStackedExperts(model, layer, all);
            continue;
        }
        // A Mixtral's names are those of its authors.
        const bool mixtral = !parts.queryKeyNorms && !parts.latent;
        const std::string moe = mixtral ? "block_sparse_moe." : "mlp.";
        all.push_back(joined(ours + "moe.gate.weight", h, {{theirs + moe + "gate.weight", model.experts.count}}));
        if (biasesChoice(model))
            all.push_back(
                renamed(ours + "moe.gate.bias", {model.experts.count}, theirs + moe + "gate.e_score_correction_bias"));
        if (const int shared = sharedWidth(model, layer); shared > 0) {
            const std::string block = theirs + moe + "shared_experts.";
            product(joined(ours + "moe.shared.gate_up.weight", h,
                           {{block + "gate_proj.weight", shared}, {block + "up_proj.weight", shared}}),
                    parts.biases);
            product(joined(ours + "moe.shared.c_proj.weight", shared, {{block + "down_proj.weight", h}}), parts.biases);
        }
        for (int e = 0; e < model.experts.count; ++e) {
            const std::string expert = fmt::format("{}experts.{}.", moe, e);
            feedForward(fmt::format("moe.experts.{}", e), expert + (mixtral ? "w1.weight" : "gate_proj.weight"),
                        expert + (mixtral ? "w3.weight" : "up_proj.weight"),
                        expert + (mixtral ? "w2.weight" : "down_proj.weight"));
        }
    }
    all.push_back(renamed("ln_f.weight", {h}, "model.norm.weight"));
    if (!parts.tied) all.push_back(renamed(outputWeight, {model.vocabulary, h}, outputWeight));
    return all;
}

}  // namespace shardlab::trace
