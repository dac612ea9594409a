// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/weights_config.h"

#include "engine/base/file.h"
#include "engine/base/json_fields.h"
#include "engine/layout/json_text.h"
#include "engine/trace/checkpoint/config_families.h"
#include "engine/trace/checkpoint/config_fields.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::trace {
namespace {

using Json = nlohmann::json;

/// Fields of transformers' files that change nothing of what a forward or a backward computes: names, tokens, what is
/// generated or returned and how, how weights were drawn and stored, and dropout, which is the layout's own choice.
constexpr std::array harmless{"_name_or_path",
                              "auto_map",
                              "is_llama_config",
                              "tokenizer_name",
                              "architectures",
                              "transformers_version",
                              "torch_dtype",
                              "dtype",
                              "torchscript",
                              "use_bfloat16",
                              "bos_token_id",
                              "eos_token_id",
                              "pad_token_id",
                              "sep_token_id",
                              "decoder_start_token_id",
                              "tokenizer_class",
                              "prefix",
                              "id2label",
                              "label2id",
                              "problem_type",
                              "finetuning_task",
                              "num_labels",
                              "task_specific_params",
                              "initializer_range",
                              "_num_labels",
                              "predict_special_tokens",
                              "output_past",
                              "max_sequence_length",
                              "use_cache",
                              "return_dict",
                              "output_attentions",
                              "output_hidden_states",
                              "output_scores",
                              "return_dict_in_generate",
                              "attn_pdrop",
                              "embd_pdrop",
                              "resid_pdrop",
                              "attention_dropout",
                              "hidden_dropout",
                              "embedding_dropout",
                              "residual_dropout",
                              "summary_type",
                              "summary_use_proj",
                              "summary_activation",
                              "summary_proj_to_labels",
                              "summary_first_dropout",
                              "gradient_checkpointing",
                              "pretraining_tp",
                              "output_router_logits",
                              "router_aux_loss_coef",
                              "chunk_size_feed_forward",
                              "is_decoder",
                              "attn_implementation",
                              "_attn_implementation",
                              "_attn_implementation_autoset",
                              "_commit_hash",
                              "max_length",
                              "min_length",
                              "do_sample",
                              "early_stopping",
                              "num_beams",
                              "num_beam_groups",
                              "diversity_penalty",
                              "temperature",
                              "top_k",
                              "top_p",
                              "typical_p",
                              "repetition_penalty",
                              "length_penalty",
                              "no_repeat_ngram_size",
                              "encoder_no_repeat_ngram_size",
                              "bad_words_ids",
                              "num_return_sequences",
                              "forced_bos_token_id",
                              "forced_eos_token_id",
                              "remove_invalid_values",
                              "suppress_tokens",
                              "begin_suppress_tokens",
                              "exponential_decay_length_penalty",
                              "unsloth_version",
                              "unsloth_fixed"};

}  // namespace

std::filesystem::path weightsConfig(const std::filesystem::path& weights) {
    std::error_code ignored;
    return (std::filesystem::is_directory(weights, ignored) ? weights : weights.parent_path()) / "config.json";
}

Result<Json> readConfig(const std::filesystem::path& config) {
    const Result<std::string> text = readFile(config, largestJson);
    if (!text) return fail(text.error());
    return parseConfig(*text, config);
}

Result<Json> parseConfig(std::string_view text, const std::filesystem::path& config) {
    const auto unreadable = [&](Sentence why) {
        return fail(Error{say("cannot read what the weights' model is"), config.string(), std::move(why),
                          say("a config.json as transformers writes it")});
    };
    Result<JsonText> json = parseJsonText(text);
    if (!json) return unreadable(json.error().text());
    if (!json->root.is_object()) return unreadable(say("it is no JSON object"));
    if (!json->duplicates.empty()) return unreadable(toText(json->duplicates.front()));
    return std::move(json->root);
}

std::vector<WeightMismatch> compareConfig(const Json& config, const ModelSpec& model) {
    const ConfigFields fields = configFields(config, model);
    std::vector<WeightMismatch> mismatches;
    for (const ConfigField& row : fields.rows)
        if (!row.fits) mismatches.push_back({say("config.json: {}", row.what), row.legal});
    std::vector<std::string> unknown;
    for (const auto& [name, value] : config.items())
        if (!value.is_null() && !fields.names.contains(name) && std::ranges::find(harmless, name) == harmless.end())
            unknown.push_back(fmt::format("{} {}", name, shownValue(value)));
    if (!unknown.empty())
        mismatches.push_back(
            {say("config.json: there are fields that are not known and may change what the model computes: {}",
                 fmt::format("{}", fmt::join(unknown, ", "))),
             say("a config.json without the fields that are not known, where they change nothing")});
    return mismatches;
}

std::string writeConfig(const ModelSpec& model) {
    const ConfigFamily& family = configFamily(model);
    nlohmann::ordered_json config{{"architectures", {family.architecture}}, {"model_type", family.type}};
    for (const ConfigField& row : configFields(Json::object(), model).rows)
        if (!row.ours.is_null() || row.writesNull) config[row.name] = row.ours;
    return config.dump(2) + "\n";
}

}  // namespace shardlab::trace
