// SPDX-License-Identifier: Apache-2.0
// Where a layout's state comes from: tensors in files, each a part of some whole. Whatever parts the files hold and
// whatever part a rank wants, both are places in the whole tensor, and what they share is copied.
#pragma once

#include "engine/base/slice.h"
#include "engine/trace/checkpoint/manifest.h"
#include "engine/trace/checkpoint/safetensors.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlab {

class StateSource {
public:
    /// A checkpoint's shards: sizes and headers are checked now, each tensor as it is read. Errors: a missing shard, one
    /// of another size, a damaged header; no weights in any.
    static Result<StateSource> ofCheckpoint(FileSystem& files, const std::filesystem::path& folder,
                                            const CheckpointManifest& manifest);
    /// GPT-2 weights as Hugging Face writes them: a .safetensors file, or a folder with model.safetensors or with several
    /// files and model.safetensors.index.json. Names may begin with "transformer."; masks kept as "attn.bias" are passed
    /// over, and so is "lm_head.weight" where it equals the token embedding. Error: it does not.
    static Result<StateSource> ofWeights(FileSystem& files, const std::filesystem::path& place);
    /// The same of Llama weights, for `model`, whose weights are put together from them as they are read. Where the folder
    /// has a config.json, what it says of heads, rotary embedding and norms is held against the model. Errors: a tensor that
    /// is missing or of another shape, biases, a tied output projection.
    static Result<StateSource> ofLlamaWeights(FileSystem& files, const std::filesystem::path& place, const ModelSpec& model);

    /// Fills `to` with elements `begin`… of `slice` of the parameter's `kind`. Errors: not there, another shape,
    /// damaged, only partly there; they name file and tensor.
    Status fill(const std::string& name, std::string_view kind, const Slice& slice, std::int64_t begin,
                std::span<float> to) const;
    /// The wholes there are: name, kind and shape, each once, in order.
    struct Whole {
        std::string name;
        std::string kind;
        std::vector<int> shape;
    };
    std::vector<Whole> wholes() const;
    /// All of one. Errors: as of fill().
    Result<std::vector<float>> read(const Whole& whole) const;

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
    Error partly(const std::string& name, std::string_view kind, std::int64_t has, std::int64_t count) const;
    /// Of such a place, all there is by the names it has there.
    static Result<StateSource> ofFiles(FileSystem& files, const std::filesystem::path& place);
    Status addWeights(FileSystem& files, const std::filesystem::path& file);
    Status checkHead();

    std::filesystem::path place_;
    std::vector<SafetensorsFile> files_;
    std::map<std::pair<std::string, std::string>, std::vector<Origin>> origins_;  ///< by name and kind
};

/// "[3, 4]".
std::string shapeText(const std::vector<int>& shape);

/// Reads everything: each byte of each file against its checksum, and that the parts make up each whole.
Status verifyCheckpoint(FileSystem& files, const std::filesystem::path& folder);

}  // namespace shardlab
