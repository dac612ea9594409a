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

/// Columns that theirs has as pairs of neighbours and ours as two halves: a head's turned numbers, or gates and values.
void addPairs(std::size_t projection, int first, int count, std::vector<OutputRun>& columns) {
    for (const int half : {0, 1}) columns.push_back({projection, first + half, count / 2, 2});
}

/// Queries, keys and values, in the order of kernels/rotary.h.
LlamaTensor attentionTensor(const ModelSpec& model, const LlamaStorage& storage, const std::string& ours,
                            const std::string& theirs) {
    const int width = headWidth(model), keys = keyHeads(model), together = model.heads / keys;
    LlamaTensor tensor = joined(ours, model.hidden,
                                {{theirs + "q_proj.weight", model.heads * width},
                                 {theirs + "k_proj.weight", keys * width},
                                 {theirs + "v_proj.weight", keys * width}});
    if (storage.fused) tensor.projections = {{theirs + "qkv_proj.weight", (model.heads + 2 * keys) * width}};
    const int before[] = {0, model.heads, model.heads + keys};  // heads, where they are fused
    tensor.columns.clear();
    const auto add = [&](std::size_t part, int from, int heads) {
        for (int i = 0; i < heads; ++i) {
            const std::size_t projection = storage.fused ? 0 : part;
            const int first = (from + i + (storage.fused ? before[part] : 0)) * width;
            if (storage.pairs && part < 2) addPairs(projection, first, width, tensor.columns);
            else tensor.columns.push_back({projection, first, width});
        }
    };
    for (int key = 0; key < keys; ++key) {
        add(0, key * together, together);
        add(1, key, 1);
        add(2, key, 1);
    }
    return tensor;
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

/// Collects the tensors of a model, layer by layer. `ours` and `theirs` begin the names of a part in both programs.
class LlamaTensorList {
public:
    LlamaTensorList(const ModelSpec& model, const LlamaStorage& storage)
        : model_(model), storage_(storage), parts_(blockParts(model)), hidden_(model.hidden) {}

    std::vector<LlamaTensor> all() {
        add(renamed("wte.weight", {model_.vocabulary, hidden_}, "model.embed_tokens.weight"));
        for (int layer = 0; layer < blockCount(model_); ++layer) {
            const std::string ours = fmt::format("h.{}.", layer), theirs = fmt::format("model.layers.{}.", layer);
            if (ofModule(model_, layer)) module(ours, theirs);
            attention(ours, theirs);
            norm(ours + "ln_2.weight", theirs + "post_attention_layernorm.weight");
            if (!hasExperts(model_, layer))
                feedForward(ours + "mlp.", theirs + "mlp.", ownNames, feedForwardWidth(model_, layer));
            else if (isGptOss(model_)) addStackedExperts(model_, layer, all_);
            else experts(layer, ours, theirs);
        }
        norm("ln_f.weight", "model.norm.weight");
        if (!parts_.tied) add(renamed(outputWeight, {model_.vocabulary, hidden_}, outputWeight));
        return std::move(all_);
    }

private:
    /// What the matrices of a feed-forward block are called.
    struct FeedForwardNames {
        const char *gate, *up, *down;
    };
    static constexpr FeedForwardNames ownNames{"gate_proj.weight", "up_proj.weight", "down_proj.weight"},
        mixtralNames{"w1.weight", "w3.weight", "w2.weight"};

    void add(LlamaTensor tensor) { all_.push_back(std::move(tensor)); }
    void product(const LlamaTensor& tensor, bool bias) {
        add(tensor);
        if (bias) add(biasTensor(tensor));
    }
    void norm(const std::string& ours, const std::string& theirs) {
        add(renamed(ours, {hidden_}, theirs));
        if (!parts_.rmsNorm) add(renamed(biasOf(ours), {hidden_}, biasOf(theirs)));
    }
    void feedForward(const std::string& ours, const std::string& theirs, const FeedForwardNames& names, int width) {
        if (!parts_.gated()) {
            // A Starcoder2, whose norms are layer norms, has the names of a GPT-2.
            const bool starcoder = !parts_.rmsNorm;
            const std::string first = theirs + (starcoder ? "c_fc.weight" : names.up),
                              second = theirs + (starcoder ? "c_proj.weight" : names.down);
            product(joined(ours + "c_fc.weight", hidden_, {{first, width}}), parts_.biases);
            return product(joined(ours + "c_proj.weight", width, {{second, hidden_}}), parts_.biases);
        }
        LlamaTensor both =
            joined(ours + "gate_up.weight", hidden_, {{theirs + names.gate, width}, {theirs + names.up, width}});
        if (storage_.fused) both = joined(both.name, hidden_, {{theirs + "gate_up_proj.weight", 2 * width}});
        product(both, parts_.biases);
        product(joined(ours + "c_proj.weight", width, {{theirs + names.down, hidden_}}), parts_.biases);
    }

    /// What a module that predicts further tokens has beside its block, with its copies of what it shares with the
    /// model.
    void module(const std::string& ours, const std::string& theirs) {
        for (const char* norm : {"enorm.weight", "hnorm.weight", "shared_head.norm.weight"})
            add(renamed(ours + norm, {hidden_}, theirs + norm));
        add(joined(ours + "eh_proj.weight", 2 * hidden_, {{theirs + "eh_proj.weight", hidden_}}));
        const std::string output = parts_.tied ? "wte.weight" : outputWeight;
        for (const auto& [name, their] : {std::pair<std::string, const char*>{"wte.weight", "embed_tokens.weight"},
                                          std::pair<std::string, const char*>{output, "shared_head.head.weight"}}) {
            add(renamed(name, {model_.vocabulary, hidden_}, theirs + their));
            all_.back().copy = true;
        }
    }

    /// The attention of a block with the norm before it.
    void attention(const std::string& block, const std::string& theirBlock) {
        const std::string ours = block + "attn.", theirs = theirBlock + "self_attn.";
        norm(block + "ln_1.weight", theirBlock + "input_layernorm.weight");
        if (parts_.latent)
            for (LlamaTensor& tensor : latentTensors(model_, ours, theirs)) add(std::move(tensor));
        else product(attentionTensor(model_, storage_, ours + "qkv.weight", theirs), parts_.qkvBias);
        if (parts_.queryKeyNorms)
            for (const char* name : {"q_norm.weight", "k_norm.weight"})
                add(renamed(ours + name, {headWidth(model_)}, theirs + name));
        if (parts_.sinks) add(renamed(ours + "sinks", {model_.heads}, theirs + "sinks"));
        product(joined(ours + "c_proj.weight", static_cast<int>(outputColumns(model_)),
                       {{theirs + "o_proj.weight", hidden_}}),
                parts_.biases);
    }

    void experts(int layer, const std::string& block, const std::string& theirBlock) {
        // A Mixtral's names are those of its authors.
        const bool mixtral = !parts_.queryKeyNorms && !parts_.latent;
        const std::string ours = block + "moe.", theirs = theirBlock + (mixtral ? "block_sparse_moe." : "mlp.");
        const int count = model_.experts.count;
        add(joined(ours + "gate.weight", hidden_, {{theirs + "gate.weight", count}}));
        if (biasesChoice(model_)) add(renamed(ours + "gate.bias", {count}, theirs + "gate.e_score_correction_bias"));
        if (const int shared = sharedWidth(model_, layer); shared > 0)
            feedForward(ours + "shared.", theirs + "shared_experts.", ownNames, shared);
        for (int e = 0; e < count; ++e) {
            const std::string expert = fmt::format("experts.{}.", e);
            feedForward(ours + expert, theirs + expert, mixtral ? mixtralNames : ownNames,
                        feedForwardWidth(model_, layer));
        }
    }

    const ModelSpec& model_;
    const LlamaStorage storage_;
    const BlockParts parts_;
    const int hidden_;
    std::vector<LlamaTensor> all_;
};

}  // namespace

std::vector<LlamaTensor> llamaTensors(const ModelSpec& model, const LlamaStorage& storage) {
    return LlamaTensorList(model, storage).all();
}

}  // namespace shardlab::trace
