// SPDX-License-Identifier: Apache-2.0
// GPT-2 weights in the files that Hugging Face's transformers reads and writes.
#include "engine/trace/checkpoint/config_families.h"
#include "engine/trace/checkpoint/state_source.h"
#include "engine/layout/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace shardlab::trace {
namespace {

constexpr std::string_view prefix = "transformer.";
constexpr const char* head = "lm_head.weight";
constexpr const char* embedding = "wte.weight";
constexpr const char* positions = "wpe.weight";

/// The causal masks that older versions keep beside the weights.
bool isMask(std::string_view name) { return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias"); }

Result<std::vector<std::filesystem::path>> filesOf(const std::filesystem::path& place) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(place, ignored)) return std::vector{place};
    if (std::filesystem::exists(place / "model.safetensors", ignored)) return std::vector{place / "model.safetensors"};
    const std::filesystem::path index = place / "model.safetensors.index.json";
    const auto wrong = [&](Sentence why) {
        return fail(Error{say("cannot read weights"), place.string(), std::move(why),
                          say("a .safetensors file, or a folder with model.safetensors")});
    };
    if (!std::filesystem::exists(index, ignored))
        return wrong(say("the folder holds neither model.safetensors nor model.safetensors.index.json"));
    const Result<std::string> text = readFile(index, largestJson);
    if (!text) return wrong(say("model.safetensors.index.json: {}", text.error().why));
    const Result<JsonText> json = parseJsonText(*text);
    if (!json || !json->root.is_object() || !json->root.contains("weight_map") || !json->root["weight_map"].is_object())
        return wrong(say("model.safetensors.index.json has no weight_map"));
    std::set<std::filesystem::path> files;
    for (const auto& [name, file] : json->root["weight_map"].items()) {
        if (!file.is_string()) return wrong(say("model.safetensors.index.json names no file for {}", name));
        files.insert(place / std::filesystem::path(file.get<std::string>()).filename());
    }
    return std::vector(files.begin(), files.end());
}

}  // namespace

Status StateSource::addTensors(FileSystem& files, const std::filesystem::path& path) {
    auto file = SafetensorsFile::open(files, path);
    if (!file) return fail(file.error());
    for (const TensorEntry& tensor : file->header().tensors) {
        std::string name = tensor.name;
        if (name.starts_with(prefix)) name.erase(0, prefix.size());
        if (isMask(name)) continue;
        Slice slice;
        for (const std::int64_t extent : tensor.shape) {
            if (extent < 1 || extent > std::numeric_limits<int>::max())
                return fail({say("cannot read weights"), path.string(),
                             say("tensor \"{}\" has an odd shape", tensor.name), say("weights of GPT-2 or Llama")});
            slice.whole.push_back(static_cast<int>(extent));
        }
        origins_[{name, std::string(weightKind)}].push_back({files_.size(), tensor, slice, 0, std::nullopt});
    }
    files_.push_back(std::move(*file));
    return {};
}

namespace {

struct Gpt2Tensor {
    std::string name;
    std::vector<int> shape;
};

std::vector<Gpt2Tensor> gpt2Tensors(const ModelSpec& model) {
    const int h = model.hidden;
    std::vector<Gpt2Tensor> all{{embedding, {model.vocabulary, h}}, {positions, {model.sequence, h}}};
    const auto add = [&](const std::string& name, int inputs, int outputs) {
        if (inputs > 0) all.push_back({name + ".weight", {inputs, outputs}});
        else all.push_back({name + ".weight", {outputs}});
        all.push_back({name + ".bias", {outputs}});
    };
    for (int layer = 0; layer < model.layers; ++layer) {
        const std::string block = fmt::format("h.{}.", layer);
        const int f = feedForwardWidth(model, layer);
        add(block + "ln_1", 0, h);
        add(block + "attn.c_attn", h, 3 * h);
        add(block + "attn.c_proj", h, h);
        add(block + "ln_2", 0, h);
        add(block + "mlp.c_fc", h, f);
        add(block + "mlp.c_proj", f, h);
    }
    add("ln_f", 0, h);
    return all;
}

/// The error names all that config.json says and the first tensors, for where one layer is missing there are a dozen.
Error misfit(const std::filesystem::path& place, std::vector<WeightMismatch> mismatches,
             const std::vector<WeightMismatch>& tensors) {
    constexpr std::size_t shown = 4;
    mismatches.insert(mismatches.end(), tensors.begin(), tensors.begin() + std::min(shown, tensors.size()));
    Sentence why, legal;
    std::set<std::string> told;
    const auto add = [](Sentence& all, const Sentence& one) { all = all.empty() ? one : say("{0}; {1}", all, one); };
    for (const WeightMismatch& mismatch : mismatches) {
        add(why, mismatch.what);
        if (told.insert(mismatch.legal.english()).second) add(legal, mismatch.legal);
    }
    if (tensors.size() > shown) add(why, say("and {} more tensors", tensors.size() - shown));
    return {say("these weights do not fit the layout's model"), place.string(), why, legal};
}

}  // namespace

const StateSource::Origin* StateSource::only(const Origins& theirs, const std::string& name,
                                             const std::vector<int>& shape, std::vector<WeightMismatch>& mismatches,
                                             bool coded) const {
    const auto wrong = [&](Sentence what, Sentence legal) {
        mismatches.push_back({std::move(what), std::move(legal)});
        return nullptr;
    };
    const auto found = theirs.find({name, std::string(weightKind)});
    if (found == theirs.end())
        return wrong(say("there is no {}", name), say("weights with each tensor of the layout's model"));
    if (found->second.size() > 1) return wrong(say("{} is there twice", name), say("each tensor once"));
    const Origin& origin = found->second.front();
    if (!fitsShape(name, origin.slice.whole, shape))
        return wrong(
            say("{} is {}, the layout's model needs {}", name, shapeText(origin.slice.whole), shapeText(shape)),
            say("a layout with the same model"));
    if (coded ? origin.tensor.type != TensorType::U8 : !readsAsFloats(origin.tensor.type))
        return wrong(say("{} is of type {}", name, trace::name(origin.tensor.type)),
                     coded ? say("codes and scales of U8") : say("tensors of F32, F16 or BF16"));
    return &origin;
}

void StateSource::takeGpt2(const ModelSpec& model, std::vector<WeightMismatch>& mismatches) {
    std::set<std::string> known{head};  // checkHead() compares it
    for (const Gpt2Tensor& tensor : gpt2Tensors(model)) {
        only(origins_, tensor.name, tensor.shape, mismatches);
        known.insert(tensor.name);
    }
    for (const auto& [key, origins] : origins_)
        if (!known.contains(key.first)) mismatches.push_back(beyondModel(key.first));
}

/// The model's output projection is its token embedding: a head of its own could not be kept.
Status StateSource::checkHead() {
    const auto own = origins_.extract({head, std::string(weightKind)});
    if (own.empty()) return {};
    const auto tied = origins_.find({embedding, std::string(weightKind)});
    if (tied != origins_.end()) {
        const auto a = values(own.mapped().front()), b = values(tied->second.front());
        if (!a) return fail(a.error());
        if (!b) return fail(b.error());
        if (*a == *b) return {};
    }
    return fail({say("these weights have an output projection of their own"), place_.string(),
                 say("lm_head.weight differs from wte.weight, and the layout's model ties the two"),
                 say("weights that were saved with tie_word_embeddings")});
}

Result<StateSource> StateSource::ofTensors(FileSystem& files, const std::filesystem::path& place) {
    const auto paths = filesOf(place);
    if (!paths) return fail(paths.error());
    StateSource source;
    source.place_ = place;
    for (const std::filesystem::path& path : *paths)
        if (const Status added = source.addTensors(files, path); !added) return fail(added.error());
    return source;
}

Result<StateSource> StateSource::ofWeights(FileSystem& files, const std::filesystem::path& place,
                                           const ModelSpec& model) {
    Result<StateSource> source = ofTensors(files, place);
    if (!source) return source;
    std::vector<WeightMismatch> mismatches, tensors;
    LlamaStorage storage;
    std::error_code ignored;
    if (const std::filesystem::path config = weightsConfig(place); std::filesystem::exists(config, ignored)) {
        const auto read = readConfig(config);
        if (!read) return fail(read.error());
        mismatches = compareConfig(*read, model);
        if (const ConfigFamily* family = configFamilyOf(*read, model.kind)) storage = family->storage;
    }
    if (traits(model.kind).weights == WeightsFormat::Llama) source->takeLlama(model, storage, tensors);
    else source->takeGpt2(model, tensors);
    if (!mismatches.empty() || !tensors.empty()) return fail(misfit(place, std::move(mismatches), tensors));
    if (!tiesEmbedding(model)) return source;
    if (const Status tied = source->checkHead(); !tied) return fail(tied.error());
    return source;
}

}  // namespace shardlab::trace
