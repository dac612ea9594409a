// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/config_layout.h"

#include "engine/base/file.h"
#include "engine/base/json_fields.h"
#include "engine/layout/check/check.h"
#include "engine/layout/data/tokenizer.h"
#include "engine/layout/json_text.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/checkpoint/config_families.h"
#include "engine/trace/checkpoint/config_fields.h"
#include "engine/trace/checkpoint/weights_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

namespace shardlab::trace {
namespace {

using Json = nlohmann::json;

/// What the file says of training rather than of the model, beside the layout's field that decides it.
constexpr std::pair<const char*, const char*> trainingFields[] = {
    {"attn_pdrop", "model.dropout"},
    {"embd_pdrop", "model.dropout"},
    {"resid_pdrop", "model.dropout"},
    {"attention_dropout", "model.dropout"},
    {"hidden_dropout", "model.dropout"},
    {"embedding_dropout", "model.dropout"},
    {"residual_dropout", "model.dropout"},
    {"torch_dtype", "precision.compute"},
    {"dtype", "precision.compute"},
    {"router_aux_loss_coef", "model.balance"},
    {"num_nextn_predict_layers", "model.predicted_tokens"},
};

bool hasWeights(const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::filesystem::exists(folder / "model.safetensors", ignored) ||
           std::filesystem::exists(folder / "model.safetensors.index.json", ignored);
}

std::string nameOf(const Json& config, const std::filesystem::path& file) {
    const auto named = config.find("_name_or_path");
    std::string name = named != config.end() && named->is_string() ? named->get<std::string>() : std::string();
    if (name.empty()) name = std::filesystem::absolute(file).parent_path().filename().string();
    return name.empty() ? config["model_type"].get<std::string>() : name;
}

/// Weights to start from, where they are of the layout's own model, and the tokenizer.
void takeWhatLiesBeside(const std::filesystem::path& folder, bool sameModel, ConfigLayout& made) {
    ModelSpec& model = made.layout.model;
    if (hasWeights(folder) && sameModel) model.weights = folder.string();
    else if (hasWeights(folder))
        made.leftOut.push_back(
            say("the weights beside config.json: they are of a model that differs in what is said above"));
    std::error_code ignored;
    const std::filesystem::path file = folder / "tokenizer.json";
    if (!std::filesystem::exists(file, ignored)) return;
    const Result<Tokenizer> tokenizer = Tokenizer::ofJson(file);
    if (!tokenizer) {
        made.leftOut.push_back(say("tokenizer.json: {}", tokenizer.error().why));
    } else if (tokenizer->vocabulary() > model.vocabulary) {
        made.leftOut.push_back(say("tokenizer.json: its tokens go up to {}, model.vocabulary is {}",
                                   tokenizer->vocabulary() - 1, model.vocabulary));
    } else {
        made.layout.data.tokenizer = TokenizerKind::Json;
        made.layout.data.tokenizerPath = file.string();
    }
}

}  // namespace

Result<ConfigLayout> legalConfigLayout(ConfigLayout made, const std::filesystem::path& file) {
    const int vocabulary = made.layout.model.vocabulary;
    DataSpec& data = made.layout.data;
    const bool reads = data.kind != DataKind::Tokens && !readsImages(made.layout.model);
    if (reads && vocabulary < 256 && data.tokenizer == TokenizerKind::Byte) {
        data.kind = DataKind::Tokens;
        data.path = "tokens.bin";
        made.leftOut.push_back(say(
            "the vocabulary has {} tokens, fewer than there are bytes: data.path names a file of tokens to train on",
            vocabulary));
    }
    if (const std::vector<Fault> faults = check(made.layout, scheduleMethods()); !faults.empty()) {
        Sentence all = sentenceOf(faults.front());
        for (const Fault& fault : std::span(faults).subspan(1)) all = say("{0}; {1}", all, sentenceOf(fault));
        return fail(Error{say("cannot make a layout"), file.string(), all, say("a model that a layout can have")});
    }
    return made;
}

bool looksLikeConfig(std::string_view text) {
    const Result<Json> config = parseConfig(text, {});
    return config && config->contains("model_type");
}

Result<ConfigLayout> layoutFromConfig(const std::filesystem::path& file) {
    const Result<std::string> text = readFile(file, largestJson);
    if (!text) return fail(text.error());
    return layoutFromConfig(file, *text);
}

Result<ConfigLayout> layoutFromConfig(const std::filesystem::path& file, std::string_view text) {
    const Result<Json> config = parseConfig(text, file);
    if (!config) return fail(config.error());
    const auto cannot = [&](const Sentence& why, const Sentence& legal) {
        return fail(Error{say("cannot make a layout"), file.string(), why, legal});
    };
    const Json type = config->value("model_type", Json());
    const ConfigFamily* const family = configFamilyOf(*config);
    if (family == nullptr) {
        if (const UnsaidFamilies* unsaid = type.is_string() ? unsaidFamily(type.get<std::string>()) : nullptr)
            return cannot(say("its model_type is {0}: {1}", shownValue(type), unsaid->what),
                          say("a model without that, of model_type {} say", unsaid->nearest));
        std::vector<std::string_view> types;
        for (const ConfigFamily& each : configFamilies())
            if (std::ranges::find(types, each.type) == types.end()) types.push_back(each.type);
        return cannot(type.is_null() ? say("it has no model_type") : say("its model_type is {}", shownValue(type)),
                      fmt::format("model_type {}", fmt::join(types, ", ")));
    }

    ConfigLayout made;
    Layout& layout = made.layout;
    ModelSpec& model = layout.model;
    layout.name = nameOf(*config, file);
    layout.parallel.data = layout.parallel.pipeline = layout.cluster.hosts.front().devices = 1;
    model.kind = family->kind;
    // A DeepSeek-V3 all of whose layers are dense is a model without experts.
    const Json dense = config->value("first_k_dense_replace", Json()),
               layers = config->value("num_hidden_layers", Json());
    if (hasExperts(model) && dense.is_number() && layers.is_number() && dense >= layers)
        for (const ConfigFamily& each : configFamilies())
            if (type == each.type && traits(each.kind).expertsEvery == 0) model.kind = each.kind;
    for (const ConfigField& row : configFields(*config, model).rows)
        if (row.take) row.take(model);
    // What still differs is what could not be taken over.
    const std::vector<WeightMismatch> mismatches = compareConfig(*config, model);
    for (const WeightMismatch& mismatch : mismatches) made.leftOut.push_back(mismatch.what);
    for (const auto& [name, field] : trainingFields)
        if (const auto found = config->find(name);
            found != config->end() && !found->is_null() && *found != 0 && *found != "float32")
            made.leftOut.push_back(
                say("config.json: {} is {}; {} is the layout's own choice", name, shownValue(*found), field));
    if (const Json positions = config->value("max_position_embeddings", Json());
        positions.is_number() && positions > model.sequence)
        made.leftOut.push_back(say("config.json: max_position_embeddings is {}, model.sequence is {}",
                                   shownValue(positions), model.sequence));
    takeWhatLiesBeside(std::filesystem::absolute(file).parent_path(), mismatches.empty(), made);
    return legalConfigLayout(std::move(made), file);
}

}  // namespace shardlab::trace
