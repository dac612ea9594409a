// SPDX-License-Identifier: Apache-2.0
// Llama weights in the files that Hugging Face's transformers reads and writes. There a projection is a matrix
// [outputs, inputs] of its own; here [inputs, outputs], and what reads the same input is one matrix.
#include "engine/trace/checkpoint/llama_weights.h"

#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"
#include "engine/trace/checkpoint/state_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace shardlab::trace {
namespace {

constexpr const char* outputWeight = "lm_head.weight";

/// So many outputs of a projection, from `first` on.
struct OutputRun {
    std::size_t projection = 0;
    int first = 0;
    int count = 0;
};

/// One of our weights, as transformers has it.
struct LlamaTensor {
    struct Projection {
        std::string name;
        int outputs = 0;
    };
    std::string name;
    std::vector<int> shape;  ///< of a product [inputs, outputs], of its bias [outputs]
    std::vector<Projection> projections;
    /// The tensors whose outputs are our columns, in order; empty: the same tensor by another name.
    std::vector<OutputRun> columns;

    std::size_t inputs() const { return shape.size() == 1 ? 1 : static_cast<std::size_t>(shape[0]); }
    std::size_t outputs() const { return static_cast<std::size_t>(shape.back()); }
    std::vector<int> theirShape(const Projection& projection) const {
        if (columns.empty()) return shape;
        return shape.size() == 1 ? std::vector{projection.outputs} : std::vector{projection.outputs, shape[0]};
    }
};

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

/// "….bias" of "….weight".
std::string biasOf(const std::string& weight) { return weight.substr(0, weight.rfind('.')) + ".bias"; }

/// The bias of a product: its columns are those of the product's matrix.
LlamaTensor biasOf(LlamaTensor product) {
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

/// The columns of a head's turned numbers, which theirs has as pairs of neighbours and ours as two halves.
void addTurned(std::size_t projection, int first, int turned, std::vector<OutputRun>& columns) {
    for (int i = 0; i < turned; ++i) columns.push_back({projection, first + 2 * i % turned + (2 * i >= turned), 1});
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
    addTurned(keys, block.kvRank, block.ropeWidth, tensor.columns);
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
        addTurned(0, i * width + plain, block.ropeWidth, tensor.columns);
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

/// All of a model's, in the order of transformers' names.
std::vector<LlamaTensor> llamaTensors(const ModelSpec& model) {
    const int h = model.hidden, width = headWidth(model);
    const BlockParts parts = blockParts(model);
    std::vector<LlamaTensor> all;
    const auto product = [&](LlamaTensor tensor, bool bias) {
        all.push_back(tensor);
        if (bias) all.push_back(biasOf(std::move(tensor)));
    };
    all.push_back(renamed("wte.weight", {model.vocabulary, h}, "model.embed_tokens.weight"));
    for (int layer = 0; layer < model.layers; ++layer) {
        const std::string ours = fmt::format("h.{}.", layer), theirs = fmt::format("model.layers.{}.", layer);
        const int f = feedForwardWidth(model, layer);
        all.push_back(renamed(ours + "ln_1.weight", {h}, theirs + "input_layernorm.weight"));
        if (parts.latent)
            for (LlamaTensor& tensor : latentTensors(model, ours + "attn.", theirs + "self_attn."))
                all.push_back(std::move(tensor));
        else product(attentionTensor(model, ours + "attn.qkv.weight", theirs + "self_attn."), parts.qkvBias);
        if (parts.queryKeyNorms)
            for (const char* name : {"q_norm.weight", "k_norm.weight"})
                all.push_back(renamed(ours + "attn." + name, {width}, theirs + "self_attn." + name));
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

/// function(column of ours, run, row of the run's projection).
template <class Function>
void eachColumn(const LlamaTensor& tensor, const Function& function) {
    std::size_t column = 0;
    for (const OutputRun& run : tensor.columns)
        for (int i = 0; i < run.count; ++i) function(column++, run, static_cast<std::size_t>(run.first + i));
}

/// What older versions keep beside the weights: it follows from the rotary embedding's base.
bool isAngle(std::string_view name) { return name.ends_with(".rotary_emb.inv_freq"); }

}  // namespace

void StateSource::takeLlama(const ModelSpec& model, std::vector<WeightMismatch>& mismatches) {
    Origins theirs;
    std::swap(theirs, origins_);
    const std::string kind(weightKind);
    std::set<std::string> known;
    const bool tied = tiesEmbedding(model), headThere = theirs.contains({outputWeight, kind});
    if (theirs.contains({"model.embed_tokens.weight", kind}) && !headThere && !tied)
        mismatches.push_back(
            {"their output projection is the token embedding, and the model has one of its own", "model.output tied"});
    if (tied && headThere) {  // checkHead() compares it
        known.insert(outputWeight);
        origins_[{outputWeight, kind}] = theirs.at({outputWeight, kind});
    }
    const std::vector<LlamaTensor> tensors = llamaTensors(model);
    for (const LlamaTensor& tensor : tensors)
        for (const LlamaTensor::Projection& projection : tensor.projections) known.insert(projection.name);
    for (const LlamaTensor& tensor : tensors) {
        std::vector<Origin> origins;
        for (const LlamaTensor::Projection& projection : tensor.projections) {
            if (const std::string bias = biasOf(projection.name);
                !known.contains(bias) && theirs.contains({bias, kind})) {
                known.insert(bias);
                mismatches.push_back({projection.name + " has a bias, and that product of the model has none",
                                      "model.biases qkv or all, as the weights have them"});
            }
            const std::vector<int> wanted = tensor.theirShape(projection);
            if (const Origin* origin = only(theirs, projection.name, wanted, mismatches)) origins.push_back(*origin);
        }
        if (origins.size() < tensor.projections.size()) continue;
        if (tensor.columns.empty()) {
            origins_[{tensor.name, kind}] = std::move(origins);
            continue;
        }
        Origin whole;
        whole.file = origins.front().file;
        whole.slice.whole = tensor.shape;
        whole.tensor = {tensor.name,
                        TensorType::F32,
                        {tensor.shape.begin(), tensor.shape.end()},
                        0,
                        static_cast<std::uint64_t>(wholeElements(whole.slice)) * sizeof(float)};
        whole.assembled = [tensor, origins](const StateSource& held) -> Result<std::vector<float>> {
            const std::size_t inputs = tensor.inputs(), columns = tensor.outputs();
            std::vector<std::vector<float>> parts;
            for (const Origin& origin : origins) {
                Result<std::vector<float>> part = held.values(origin);
                if (!part) return part;
                parts.push_back(std::move(*part));
            }
            std::vector<float> values(inputs * columns);
            eachColumn(tensor, [&](std::size_t column, const OutputRun& run, std::size_t row) {
                const float* const from = parts[run.projection].data() + row * inputs;
                for (std::size_t i = 0; i < inputs; ++i) values[i * columns + column] = from[i];
            });
            return values;
        };
        origins_[{tensor.name, kind}].push_back(std::move(whole));
    }
    for (const auto& [key, origins] : theirs)
        if (!known.contains(key.first) && !isAngle(key.first)) mismatches.push_back(beyondModel(key.first));
}

namespace {

std::string_view bytesOfFloats(const std::vector<float>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// A manifest says what it likes: what its tensors are counted with must be countable.
bool isCountable(const ModelSpec& model, std::size_t tensors) {
    constexpr int most = 1 << 24;
    const auto counts = [](int number) { return number >= 1 && number <= most; };
    const bool widths =
        model.feedForward.size() <= 1 || model.feedForward.size() == static_cast<std::size_t>(model.layers);
    return counts(model.layers) && static_cast<std::size_t>(model.layers) <= tensors && counts(model.hidden) &&
           counts(model.heads) && counts(keyHeads(model)) && counts(model.vocabulary) &&
           std::max(queryColumns(model), expandedColumns(model)) <= most && counts(headWidth(model)) &&
           (!latentAttention(model) || (counts(model.block.kvRank) && model.block.queryRank <= most &&
                                        counts(model.block.ropeWidth) && counts(valueWidth(model)))) &&
           model.heads % keyHeads(model) == 0 && widths &&
           (!hasExperts(model) || static_cast<std::size_t>(model.experts.count) <= tensors) &&
           counts(feedForwardWidth(model, 0));
}

/// function(name of transformers', shape) of each.
template <class Function>
void eachOfTheirs(const LlamaTensor& tensor, const Function& function) {
    if (tensor.columns.empty()) function(std::size_t{0}, tensor.shape);
    else
        for (std::size_t i = 0; i < tensor.projections.size(); ++i)
            function(i, tensor.theirShape(tensor.projections[i]));
}

}  // namespace

Status exportLlama(FileSystem& files, const std::filesystem::path& checkpoint, const std::filesystem::path& folder) {
    const Result<CheckpointManifest> manifest = readManifest(checkpoint);
    if (!manifest) return fail(manifest.error());
    const ModelSpec& model = manifest->layout.model;
    const auto cannot = [&](std::string why, std::string legal) {
        return fail(Error{"cannot write Llama weights", checkpoint.string(), std::move(why), std::move(legal)});
    };
    if (traits(model.kind).weights != WeightsFormat::Llama)
        return cannot(fmt::format("its model is of kind {}", wordOf(model.kind)),
                      "a checkpoint of a llama or a llama-moe");
    if (!hasPublishedBlocks(model))
        return cannot("its blocks have parts that no published family has together",
                      "a checkpoint of a Llama, a Mistral, a Qwen2, a Qwen3, a Mixtral, a Qwen3-MoE or a DeepSeek-V3 "
                      "without experts");
    const std::vector<int>& widths = model.feedForward;
    if (!widths.empty() && std::ranges::adjacent_find(widths, std::ranges::not_equal_to()) != widths.end())
        return cannot("its feed-forward blocks differ in width", "a checkpoint whose model.feed_forward is one width");
    const Result<StateSource> source = StateSource::ofCheckpoint(files, checkpoint, *manifest);
    if (!source) return fail(source.error());
    if (!isCountable(model, source->wholes().size()))
        return cannot("its model has sizes that no llama has", "another checkpoint");
    const std::vector<LlamaTensor> tensors = llamaTensors(model);
    SafetensorsHeader header;
    header.metadata["format"] = "pt";  // transformers refuses files that do not say so
    for (const LlamaTensor& tensor : tensors)
        eachOfTheirs(tensor, [&](std::size_t i, const std::vector<int>& shape) {
            const std::uint64_t begin = header.dataBytes();
            header.tensors.push_back({tensor.projections[i].name,
                                      TensorType::F32,
                                      {shape.begin(), shape.end()},
                                      begin,
                                      begin + static_cast<std::uint64_t>(wholeElements({shape})) * sizeof(float)});
        });
    if (const Status made = files.createFolder(folder); !made) return made;
    auto out = ReplacingFile::open(files, folder / "model.safetensors");
    if (!out) return fail(out.error());
    if (const Status done = out->write(writeHeader(header)); !done) return done;
    for (const LlamaTensor& tensor : tensors) {
        const Result<std::vector<float>> values = source->read({tensor.name, std::string(weightKind), tensor.shape});
        if (!values) return fail(values.error());
        if (tensor.columns.empty()) {
            if (const Status done = out->write(bytesOfFloats(*values)); !done) return done;
            continue;
        }
        const std::size_t inputs = tensor.inputs(), columns = tensor.outputs();
        std::vector<std::vector<float>> parts;
        for (const LlamaTensor::Projection& projection : tensor.projections)
            parts.emplace_back(static_cast<std::size_t>(projection.outputs) * inputs);
        eachColumn(tensor, [&](std::size_t column, const OutputRun& run, std::size_t row) {
            float* const to = parts[run.projection].data() + row * inputs;
            for (std::size_t i = 0; i < inputs; ++i) to[i] = (*values)[i * columns + column];
        });
        for (const std::vector<float>& part : parts)
            if (const Status done = out->write(bytesOfFloats(part)); !done) return done;
    }
    return out->commit().and_then([&] { return replaceFile(files, folder / "config.json", writeConfig(model)); });
}

}  // namespace shardlab::trace
