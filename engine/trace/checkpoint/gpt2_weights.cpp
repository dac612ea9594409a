// SPDX-License-Identifier: Apache-2.0
// GPT-2 weights in the files that Hugging Face's transformers reads and writes.
#include "engine/base/file.h"
#include "engine/trace/checkpoint/gpt2_weights.h"
#include "engine/trace/checkpoint/state_source.h"
#include "engine/layout/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <set>

namespace shardlab {
namespace {

constexpr std::string_view prefix = "transformer.";
constexpr const char* head = "lm_head.weight";
constexpr const char* embedding = "wte.weight";

/// The causal masks that older versions keep beside the weights.
bool isMask(std::string_view name) { return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias"); }

Result<std::vector<std::filesystem::path>> filesOf(const std::filesystem::path& place) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(place, ignored)) return std::vector{place};
    if (std::filesystem::exists(place / "model.safetensors", ignored)) return std::vector{place / "model.safetensors"};
    const std::filesystem::path index = place / "model.safetensors.index.json";
    const auto wrong = [&](std::string why) {
        return fail(Error{"cannot read weights", place.string(), std::move(why),
                          "a .safetensors file, or a folder with model.safetensors"});
    };
    if (!std::filesystem::exists(index, ignored)) return wrong("the folder holds neither model.safetensors nor model.safetensors.index.json");
    const Result<std::string> text = readFile(index, largestJson);
    if (!text) return wrong("model.safetensors.index.json: " + text.error().why);
    const Result<JsonText> json = parseJsonText(*text);
    if (!json || !json->root.is_object() || !json->root.contains("weight_map") || !json->root["weight_map"].is_object())
        return wrong("model.safetensors.index.json has no weight_map");
    std::set<std::filesystem::path> files;
    for (const auto& [name, file] : json->root["weight_map"].items()) {
        if (!file.is_string()) return wrong("model.safetensors.index.json names no file for " + name);
        files.insert(place / std::filesystem::path(file.get<std::string>()).filename());
    }
    return std::vector(files.begin(), files.end());
}

}  // namespace

Status StateSource::addWeights(FileSystem& files, const std::filesystem::path& path) {
    auto file = SafetensorsFile::open(files, path);
    if (!file) return fail(file.error());
    for (const TensorEntry& tensor : file->header().tensors) {
        std::string name = tensor.name;
        if (name.starts_with(prefix)) name.erase(0, prefix.size());
        if (isMask(name)) continue;
        Slice slice;
        for (const std::int64_t extent : tensor.shape) {
            if (extent < 1 || extent > std::numeric_limits<int>::max())
                return fail({"cannot read weights", path.string(), "tensor \"" + tensor.name + "\" has an odd shape",
                             "weights of GPT-2 or Llama"});
            slice.whole.push_back(static_cast<int>(extent));
        }
        origins_[{name, std::string(weightKind)}].push_back({files_.size(), tensor, slice, 0, std::nullopt});
    }
    files_.push_back(std::move(*file));
    return {};
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
    return fail({"these weights have an output projection of their own", place_.string(),
                 "lm_head.weight differs from wte.weight, and the gpt model ties the two",
                 "weights that were saved with tie_word_embeddings"});
}

Result<StateSource> StateSource::ofFiles(FileSystem& files, const std::filesystem::path& place) {
    const auto paths = filesOf(place);
    if (!paths) return fail(paths.error());
    StateSource source;
    source.place_ = place;
    for (const std::filesystem::path& path : *paths)
        if (const Status added = source.addWeights(files, path); !added) return fail(added.error());
    return source;
}

Result<StateSource> StateSource::ofWeights(FileSystem& files, const std::filesystem::path& place) {
    Result<StateSource> source = ofFiles(files, place);
    if (!source) return source;
    if (const Status tied = source->checkHead(); !tied) return fail(tied.error());
    return source;
}

Status exportGpt2(FileSystem& files, const std::filesystem::path& checkpoint, const std::filesystem::path& folder) {
    const Result<CheckpointManifest> manifest = readManifest(checkpoint);
    if (!manifest) return fail(manifest.error());
    const ModelSpec& model = manifest->layout.model;
    if (model.kind != "gpt")
        return fail({"cannot write GPT-2 weights", checkpoint.string(), "its model is of kind " + model.kind,
                     "a checkpoint of a gpt"});
    const std::vector<int>& widths = model.feedForward;
    if (!widths.empty() && std::ranges::adjacent_find(widths, std::ranges::not_equal_to()) != widths.end())
        return fail({"cannot write GPT-2 weights", checkpoint.string(), "its feed-forward blocks differ in width",
                     "a checkpoint whose model.feed_forward is one width"});
    const Result<StateSource> source = StateSource::ofCheckpoint(files, checkpoint, *manifest);
    if (!source) return fail(source.error());
    SafetensorsHeader header;
    header.metadata["format"] = "pt";  // transformers refuses files that do not say so
    std::vector<StateSource::Whole> weights = source->wholes();
    std::erase_if(weights, [](const StateSource::Whole& whole) { return whole.kind != weightKind; });
    for (const StateSource::Whole& weight : weights) {
        const std::uint64_t begin = header.dataBytes();
        const auto bytes = static_cast<std::uint64_t>(wholeElements({weight.shape})) * sizeof(float);
        header.tensors.push_back({std::string(prefix) + weight.name, TensorType::F32,
                                  {weight.shape.begin(), weight.shape.end()}, begin, begin + bytes});
    }
    if (const Status made = files.createFolder(folder); !made) return made;
    auto out = ReplacingFile::open(files, folder / "model.safetensors");
    if (!out) return fail(out.error());
    if (const Status done = out->write(writeHeader(header)); !done) return done;
    for (const StateSource::Whole& weight : weights) {
        const Result<std::vector<float>> values = source->read(weight);
        if (!values) return fail(values.error());
        const std::string_view bytes(reinterpret_cast<const char*>(values->data()), values->size() * sizeof(float));
        if (const Status done = out->write(bytes); !done) return done;
    }
    const nlohmann::ordered_json config{{"architectures", {"GPT2LMHeadModel"}},
                                        {"model_type", "gpt2"},
                                        {"activation_function", "gelu_new"},
                                        {"n_layer", model.layers},
                                        {"n_embd", model.hidden},
                                        {"n_head", model.heads},
                                        {"n_inner", widths.empty() ? 4 * model.hidden : widths.front()},
                                        {"n_positions", model.sequence},
                                        {"n_ctx", model.sequence},
                                        {"vocab_size", model.vocabulary},
                                        {"layer_norm_epsilon", 1e-5},
                                        {"tie_word_embeddings", true}};
    return out->commit().and_then([&] { return replaceFile(files, folder / "config.json", config.dump(2) + "\n"); });
}

}  // namespace shardlab
