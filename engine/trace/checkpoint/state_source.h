// SPDX-License-Identifier: Apache-2.0
// Where a layout's state comes from: tensors in files, each a part of some whole. Whatever parts the files hold and
// whatever part a rank wants, both are places in the whole tensor, and what they share is copied.
#pragma once

#include "engine/base/slice.h"
#include "engine/trace/checkpoint/llama_storage.h"
#include "engine/trace/checkpoint/manifest.h"
#include "engine/trace/checkpoint/safetensors.h"
#include "engine/trace/checkpoint/weights_config.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlab::trace {

class StateSource {
public:
    /// A checkpoint's shards: sizes and headers are checked now, each tensor as it is read. Errors: a missing shard,
    /// one of another size, a damaged header; no weights in any.
    static Result<StateSource> ofCheckpoint(FileSystem& files, const std::filesystem::path& folder,
                                            const CheckpointManifest& manifest);
    /// Weights for `model` as Hugging Face writes them, of GPT-2 or where it is a llama of Llama: a .safetensors file,
    /// or a folder with model.safetensors or with several files and model.safetensors.index.json. A config.json beside
    /// them is held against the model (weights_config.h); without one, what no tensor's shape tells is the layout's
    /// word alone. Names of GPT-2 may begin with "transformer."; "lm_head.weight" is passed over where it equals the
    /// token embedding, and so is what older versions kept beside the weights and is no parameter. Weights of Llama are
    /// put together as they are read. Error: names everything in which they are not the model's, fields and tensors:
    /// missing, of another shape, or more than the model has.
    static Result<StateSource> ofWeights(FileSystem& files, const std::filesystem::path& place, const ModelSpec& model);
    /// All that such a place has, by the names it has there.
    static Result<StateSource> ofTensors(FileSystem& files, const std::filesystem::path& place);

    /// Fills `to` with elements `begin`… of `slice` of the parameter's `kind`. Errors: not there, another shape,
    /// damaged, only partly there; they name file and tensor.
    Status fill(const std::string& name, std::string_view kind, const Slice& slice, std::int64_t begin,
                std::span<float> to) const;
    /// Whether there is anything of the kind.
    bool has(std::string_view kind) const {
        return std::ranges::any_of(origins_, [&](const auto& each) { return each.first.second == kind; });
    }
    /// The wholes there are: name, kind and shape, each once, in order.
    struct Whole {
        std::string name;
        std::string kind;
        std::vector<int> shape;
    };
    std::vector<Whole> wholes() const;
    /// All of one. Errors: as of fill().
    Result<std::vector<float>> read(const Whole& whole) const;

    /// Writes all weights into `folder` as model.safetensors, whole and in fp32, their names behind `prefix`.
    Status writeWeights(FileSystem& files, const std::filesystem::path& folder, std::string_view prefix) const;
    /// Writes the weights of `model`, a llama of published parts and one width, into `folder` as model.safetensors, as
    /// transformers' LlamaForCausalLM.from_pretrained reads them: each projection by itself and [outputs, inputs]; and
    /// config.json.
    Status writeLlama(FileSystem& files, const ModelSpec& model, const std::filesystem::path& folder) const;

private:
    struct Origin {
        std::size_t file = 0;
        TensorEntry tensor;
        Slice slice;
        std::int64_t begin = 0;
        std::optional<std::uint32_t> checksum;
        /// Where it is made of several tensors, of `from`'s files, how: then `tensor` tells its size alone.
        std::function<Result<std::vector<float>>(const StateSource& from)> assembled = {};
    };
    Result<std::vector<float>> values(const Origin& origin) const;
    /// The bytes of a tensor of U8.
    Result<std::vector<std::uint8_t>> codes(const Origin& origin) const;
    Error partly(const std::string& name, std::string_view kind, std::int64_t has, std::int64_t count) const;
    using Origins = std::map<std::pair<std::string, std::string>, std::vector<Origin>>;  ///< by name and kind
    Status addTensors(FileSystem& files, const std::filesystem::path& file);
    /// The only tensor of this name; null, and a mismatch, where there is none, or where it has not this shape or holds
    /// neither floats nor, where `coded`, bytes.
    const Origin* only(const Origins& theirs, const std::string& name, const std::vector<int>& shape,
                       std::vector<WeightMismatch>& mismatches, bool coded = false) const;
    class LlamaOrigins;
    void takeGpt2(const ModelSpec& model, std::vector<WeightMismatch>& mismatches);
    void takeLlama(const ModelSpec& model, const LlamaStorage& storage, std::vector<WeightMismatch>& mismatches);
    Status checkHead();

    std::filesystem::path place_;
    std::vector<SafetensorsFile> files_;
    Origins origins_;
};

/// Whether a tensor of that name may have one shape where the model wants the other. Longer than the layout's sequence
/// is legal for the learned positions: their first rows are the same places.
bool fitsShape(const std::string& name, const std::vector<int>& has, const std::vector<int>& wanted);

/// "[3, 4]".
std::string shapeText(const std::vector<int>& shape);

/// Reads everything: each byte of each file against its checksum, and that the parts make up each whole.
Status verifyCheckpoint(FileSystem& files, const std::filesystem::path& folder);

}  // namespace shardlab::trace
