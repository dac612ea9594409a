// SPDX-License-Identifier: Apache-2.0
// Llama weights in the files that Hugging Face's transformers reads and writes.
#include "engine/layout/attention_shape.h"
#include "engine/trace/checkpoint/llama_tensors.h"
#include "engine/trace/checkpoint/mxfp4.h"
#include "engine/trace/checkpoint/state_source.h"

#include <algorithm>
#include <set>
#include <utility>

namespace shardlab::trace {
namespace {

/// What older versions keep beside the weights: it follows from the rotary embedding's base.
bool isAngle(std::string_view name) { return name.ends_with(".rotary_emb.inv_freq"); }

}  // namespace

/// Makes the parameters of a model out of a Llama's tensors.
class StateSource::LlamaOrigins {
public:
    /// `made` gets an origin for each parameter; `mismatches` what of `theirs` is not the model's.
    LlamaOrigins(const StateSource& source, const ModelSpec& model, const LlamaStorage& storage, Origins theirs,
                 Origins& made, std::vector<WeightMismatch>& mismatches)
        : source_(source), model_(model), theirs_(std::move(theirs)), made_(made), mismatches_(mismatches),
          tensors_(llamaTensors(model, storage)) {}

    void take() {
        takeOutput();
        for (const LlamaTensor& tensor : tensors_)
            for (const LlamaTensor::Projection& projection : tensor.projections) known_.insert(projection.name);
        for (const LlamaTensor& tensor : tensors_)
            if (!tensor.copy) take(tensor);
        for (const auto& [key, origins] : theirs_)
            if (!known_.contains(key.first) && !isAngle(key.first) && !belongsToModule(key.first))
                mismatches_.push_back(beyondModel(key.first));
    }

private:
    static std::pair<std::string, std::string> weight(const std::string& name) {
        return {name, std::string(weightKind)};
    }
    bool has(const std::string& name) const { return theirs_.contains(weight(name)); }

    void takeOutput() {
        const bool tied = tiesEmbedding(model_), there = has(outputWeight);
        if (has("model.embed_tokens.weight") && !there && !tied)
            mismatches_.push_back({say("their output projection is the token embedding, and the model has one of its "
                                       "own"),
                                   "model.output tied"});
        if (!tied || !there) return;
        known_.insert(outputWeight);  // checkHead() compares it
        made_[weight(outputWeight)] = theirs_.at(weight(outputWeight));
    }

    /// Modules that the model does not have are left out.
    bool belongsToModule(const std::string& name) const {
        constexpr std::string_view layers = "model.layers.";
        return name.starts_with(layers) && has(name.substr(0, name.find('.', layers.size()) + 1) + "eh_proj.weight");
    }

    /// Whether a stack of experts lies in codes of four bits, 32 of which share a scale.
    bool packs(const LlamaTensor& tensor, const LlamaTensor::Projection& projection) const {
        return tensor.parts > 0 && tensor.shape.size() == 2 && has(projection.name + "_blocks");
    }

    void take(const LlamaTensor& tensor) {
        std::vector<Origin> origins;
        std::size_t wanted = 0;
        bool packed = false;
        const auto add = [&](const std::string& name, const std::vector<int>& shape) {
            ++wanted;
            known_.insert(name);
            // What is wrong with a stack is said once.
            std::vector<WeightMismatch> repeated;
            const Origin* const origin =
                source_.only(theirs_, name, shape, tensor.part == 0 ? mismatches_ : repeated, packed);
            if (origin) origins.push_back(ofStack(*origin, tensor));
        };
        for (const LlamaTensor::Projection& projection : tensor.projections) {
            refuseBias(projection.name);
            packed = packs(tensor, projection);
            if (!packed) {
                add(projection.name, tensor.theirShape(projection));
                continue;
            }
            const int ofInput = tensor.shape[0] / numbersOfMxfp4Block;
            add(projection.name + "_blocks", {tensor.parts, projection.outputs, ofInput, bytesOfMxfp4Block});
            add(projection.name + "_scales", {tensor.parts, projection.outputs, ofInput});
        }
        if (origins.size() < wanted) return;
        if (tensor.columns.empty()) made_[weight(tensor.name)] = std::move(origins);
        else made_[weight(tensor.name)].push_back(assembled(tensor, std::move(origins), packed));
    }

    void refuseBias(const std::string& projection) {
        const std::string bias = biasOf(projection);
        if (!has(bias) || !known_.insert(bias).second) return;
        mismatches_.push_back({say("{} has a bias, and that product of the model has none", projection),
                               say("model.biases qkv or all, as the weights have them")});
    }

    /// The part of a stack that one expert's tensor is.
    static Origin ofStack(Origin origin, const LlamaTensor& tensor) {
        if (tensor.parts == 0) return origin;
        TensorEntry& entry = origin.tensor;
        const std::uint64_t bytes = entry.bytes() / static_cast<std::uint64_t>(tensor.parts);
        entry.begin += bytes * static_cast<std::uint64_t>(tensor.part);
        entry.end = entry.begin + bytes;
        return origin;
    }

    /// A parameter that is put together out of several of their tensors as it is read.
    static Origin assembled(const LlamaTensor& tensor, std::vector<Origin> origins, bool packed) {
        Origin whole;
        whole.file = origins.front().file;
        whole.slice.whole = tensor.shape;
        whole.tensor = {tensor.name,
                        TensorType::F32,
                        {tensor.shape.begin(), tensor.shape.end()},
                        0,
                        static_cast<std::uint64_t>(wholeElements(whole.slice)) * sizeof(float)};
        whole.assembled = [tensor, origins = std::move(origins), packed](const StateSource& held) {
            return packed ? unpacked(held, tensor, origins) : joined(held, tensor, origins);
        };
        return whole;
    }

    static Result<std::vector<float>> unpacked(const StateSource& held, LlamaTensor tensor,
                                               const std::vector<Origin>& origins) {
        const auto codes = held.codes(origins[0]), scales = held.codes(origins[1]);
        if (!codes) return fail(codes.error());
        if (!scales) return fail(scales.error());
        tensor.byInputs = false;  // codes are, as those 32 that share a scale are summed up together
        return placed(tensor, {mxfp4Numbers(*codes, *scales)});
    }

    static Result<std::vector<float>> joined(const StateSource& held, const LlamaTensor& tensor,
                                             const std::vector<Origin>& origins) {
        std::vector<std::vector<float>> parts;
        for (const Origin& origin : origins) {
            Result<std::vector<float>> part = held.values(origin);
            if (!part) return part;
            parts.push_back(std::move(*part));
        }
        return placed(tensor, parts);
    }

    static std::vector<float> placed(const LlamaTensor& tensor, const std::vector<std::vector<float>>& parts) {
        std::vector<float> values(tensor.inputs() * tensor.outputs());
        eachElement(tensor, [&](std::size_t to, std::size_t projection, std::size_t from) {
            values[to] = parts[projection][from];
        });
        return values;
    }

    const StateSource& source_;
    const ModelSpec& model_;
    const Origins theirs_;
    Origins& made_;
    std::vector<WeightMismatch>& mismatches_;
    const std::vector<LlamaTensor> tensors_;
    std::set<std::string> known_;
};

void StateSource::takeLlama(const ModelSpec& model, const LlamaStorage& storage,
                            std::vector<WeightMismatch>& mismatches) {
    LlamaOrigins(*this, model, storage, std::exchange(origins_, {}), origins_, mismatches).take();
}

namespace {

/// A manifest says what it likes: what its tensors are counted with must be countable.
bool isCountable(const ModelSpec& model, std::size_t tensors) {
    constexpr int most = 1 << 24;
    const auto counts = [](int number) { return number >= 1 && number <= most; };
    return counts(model.layers) && static_cast<std::size_t>(blockCount(model)) <= tensors && counts(model.hidden) &&
           counts(model.heads) && counts(keyHeads(model)) && counts(model.vocabulary) &&
           std::max(queryColumns(model), expandedColumns(model)) <= most && counts(headWidth(model)) &&
           (!latentAttention(model) || (counts(model.block.kvRank) && model.block.queryRank <= most &&
                                        counts(model.block.ropeWidth) && counts(valueWidth(model)))) &&
           model.heads % keyHeads(model) == 0 &&
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

Status StateSource::writeLlama(FileSystem& files, const ModelSpec& model, const std::filesystem::path& folder) const {
    if (!isCountable(model, wholes().size()))
        return fail(Error{say("cannot write Llama weights"), place_.string(),
                          say("its model has sizes that no llama has"), say("another checkpoint")});
    const std::vector<LlamaTensor> tensors = llamaTensors(model);
    SafetensorsHeader header;
    header.metadata["format"] = "pt";  // transformers refuses files that do not say so
    for (const LlamaTensor& tensor : tensors) {
        if (tensor.part > 0) continue;  // it follows the stack's first
        eachOfTheirs(tensor, [&](std::size_t i, const std::vector<int>& shape) {
            header.add(tensor.projections[i].name, TensorType::F32, {shape.begin(), shape.end()});
        });
    }
    if (const Status made = files.createFolder(folder); !made) return made;
    auto out = ReplacingFile::open(files, folder / "model.safetensors");
    if (!out) return fail(out.error());
    if (const Status done = out->write(writeHeader(header)); !done) return done;
    for (const LlamaTensor& tensor : tensors) {
        const Result<std::vector<float>> values = read({tensor.name, std::string(weightKind), tensor.shape});
        if (!values) return fail(values.error());
        if (tensor.columns.empty()) {
            if (const Status done = out->write(bytesOfFloats(*values)); !done) return done;
            continue;
        }
        std::vector<std::vector<float>> parts;
        for (const LlamaTensor::Projection& projection : tensor.projections)
            parts.emplace_back(static_cast<std::size_t>(projection.outputs) * tensor.inputs());
        eachElement(tensor, [&](std::size_t from, std::size_t projection, std::size_t to) {
            parts[projection][to] = (*values)[from];
        });
        for (const std::vector<float>& part : parts)
            if (const Status done = out->write(bytesOfFloats(part)); !done) return done;
    }
    return out->commit().and_then([&] { return replaceFile(files, folder / "config.json", writeConfig(model)); });
}

}  // namespace shardlab::trace
