// SPDX-License-Identifier: Apache-2.0
// Llama weights in the files that Hugging Face's transformers reads and writes.
#include "engine/layout/attention_shape.h"
#include "engine/trace/checkpoint/llama_tensors.h"
#include "engine/trace/checkpoint/mxfp4.h"
#include "engine/trace/checkpoint/state_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace shardlab::trace {
namespace {

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
        mismatches.push_back({say("their output projection is the token embedding, and the model has one of its own"),
                              "model.output tied"});
    if (tied && headThere) {  // checkHead() compares it
        known.insert(outputWeight);
        origins_[{outputWeight, kind}] = theirs.at({outputWeight, kind});
    }
    const std::vector<LlamaTensor> tensors = llamaTensors(model);
    for (const LlamaTensor& tensor : tensors)
        for (const LlamaTensor::Projection& projection : tensor.projections) known.insert(projection.name);
    std::vector<WeightMismatch> repeated;  // what is wrong with a stack is said once
    const auto ofStack = [](Origin origin, const LlamaTensor& tensor) {
        if (tensor.parts == 0) return origin;
        TensorEntry& entry = origin.tensor;
        const std::uint64_t bytes = entry.bytes() / static_cast<std::uint64_t>(tensor.parts);
        entry.begin += bytes * static_cast<std::uint64_t>(tensor.part);
        entry.end = entry.begin + bytes;
        return origin;
    };
    for (const LlamaTensor& tensor : tensors) {
        if (tensor.copy) continue;
        std::vector<Origin> origins;
        bool packed = false;
        for (const LlamaTensor::Projection& projection : tensor.projections) {
            if (const std::string bias = biasOf(projection.name);
                !known.contains(bias) && theirs.contains({bias, kind})) {
                known.insert(bias);
                mismatches.push_back({say("{} has a bias, and that product of the model has none", projection.name),
                                      say("model.biases qkv or all, as the weights have them")});
            }
            const std::string blocks = projection.name + "_blocks", scales = projection.name + "_scales";
            packed = tensor.parts > 0 && tensor.shape.size() == 2 && theirs.contains({blocks, kind});
            const auto take = [&](const std::string& name, const std::vector<int>& wanted) {
                known.insert(name);
                const Origin* const origin =
                    only(theirs, name, wanted, tensor.part == 0 ? mismatches : repeated, packed);
                if (origin) origins.push_back(ofStack(*origin, tensor));
            };
            if (!packed) {
                take(projection.name, tensor.theirShape(projection));
                continue;
            }
            const int ofInput = tensor.shape[0] / numbersOfMxfp4Block;
            take(blocks, {tensor.parts, projection.outputs, ofInput, bytesOfMxfp4Block});
            take(scales, {tensor.parts, projection.outputs, ofInput});
        }
        if (origins.size() < tensor.projections.size() + (packed ? 1 : 0)) continue;
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
        whole.assembled = [tensor, origins, packed](const StateSource& held) -> Result<std::vector<float>> {
            LlamaTensor read = tensor;
            std::vector<std::vector<float>> parts;
            if (packed) {
                const auto codes = held.codes(origins[0]), scales = held.codes(origins[1]);
                if (!codes) return fail(codes.error());
                if (!scales) return fail(scales.error());
                parts.push_back(mxfp4Numbers(*codes, *scales));
                read.byInputs = false;  // codes are, as those 32 that share a scale are summed up together
            } else {
                for (const Origin& origin : origins) {
                    Result<std::vector<float>> part = held.values(origin);
                    if (!part) return part;
                    parts.push_back(std::move(*part));
                }
            }
            std::vector<float> values(tensor.inputs() * tensor.outputs());
            eachElement(read, [&](std::size_t to, std::size_t projection, std::size_t from) {
                values[to] = parts[projection][from];
            });
            return values;
        };
        origins_[{tensor.name, kind}].push_back(std::move(whole));
    }
    // Modules that the model does not have are left out.
    const auto ofModule = [&](const std::string& name) {
        constexpr std::string_view layers = "model.layers.";
        if (!name.starts_with(layers)) return false;
        const std::string layer = name.substr(0, name.find('.', layers.size()) + 1);
        return theirs.contains({layer + "eh_proj.weight", kind});
    };
    for (const auto& [key, origins] : theirs)
        if (!known.contains(key.first) && !isAngle(key.first) && !ofModule(key.first))
            mismatches.push_back(beyondModel(key.first));
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
