// SPDX-License-Identifier: Apache-2.0
// What the rows of config_fields.h are made with, whatever the model.
#pragma once

#include "engine/layout/block_parts.h"
#include "engine/trace/checkpoint/config_families.h"
#include "engine/trace/checkpoint/config_fields.h"

#include <optional>
#include <type_traits>

namespace shardlab::trace {

/// What transformers calls an activation, by the name that is written first; of a gate in a llama, by itself in a gpt.
struct ConfigActivation {
    ActivationKind kind;
    std::vector<std::string_view> names;
};
/// "silu or gelu"
Sentence anyOf(const std::vector<std::string_view>& words);
/// Numbers are equal where they differ by rounding alone.
bool sameValue(const nlohmann::json& a, const nlohmann::json& b);
/// The value, where it is a whole number above 0.
std::optional<int> positiveInteger(const nlohmann::json& value);

/// The rows of one file and one model, which outlives them.
class ConfigRows {
protected:
    using Json = nlohmann::json;
    ConfigRows(const Json& config, const ModelSpec& model);

    Json value(const std::string& name, const Json& fallback);
    /// "n_head is 12", or what it is where the file does not say.
    Sentence stated(const std::string& name, const Json& effective) const;
    void differ(const std::string& name, Sentence what, Sentence legal);
    /// Sets a field to what the file says.
    using Take = std::function<void(ModelSpec& model, const Json& theirs)>;
    void row(const std::string& name, const Json& fallback, std::string_view field, const Json& ours, Take take);
    void add(const std::string& name, const Json& theirs, std::string_view field, const Json& ours, Take take);
    /// A choice whose words, ours and that of the file's value, are those of the layout's field.
    void part(const std::string& name, const Json& theirs, bool fits, std::string_view field, std::string_view ours,
              std::string_view legal, Take take);
    /// `usual`: where the file names none.
    void activation(const std::string& name, const std::vector<ConfigActivation>& known, ActivationKind usual);
    void epsilon(const std::string& name, double fallback);
    template <class Spec, class Number>
    void number(const std::string& name, const Json& fallback, std::string_view field, const Json& ours,
                Number Spec::*member) {
        row(name, fallback, field, ours, into(member));
    }
    /// Takes a number, where the member is an int a whole one above 0; what is none changes nothing.
    template <class Spec, class Number>
    static Take into(Number Spec::*member) {
        return [member](ModelSpec& model, const Json& theirs) {
            if constexpr (std::is_same_v<Number, int>) {
                if (const auto taken = positiveInteger(theirs)) specOf<Spec>(model).*member = *taken;
            } else {
                if (theirs.is_number()) specOf<Spec>(model).*member = theirs.template get<double>();
            }
        };
    }
    void width(const std::string& name, int fallback);
    static void positions(ModelSpec& model, const Json& theirs);
    static void shorter(ModelSpec& model, const Json& theirs);
    /// Tokens that are learned or attended to: more than the layout's sequence has change nothing.
    void window(const std::string& name, const Json& fallback, Take take);
    /// One of these values, of which the first is named and written. Without a fallback one that is left out is not
    /// compared, and none is written.
    void is(const std::string& name, const Json& fallback, const std::vector<Json>& legal);
    void isOne(const std::string& name, const Json& theirs, const std::vector<Json>& legal);
    void base(const std::string& name, const Json& theirs);

    template <class Spec>
    static Spec& specOf(ModelSpec& model) {
        if constexpr (std::is_same_v<Spec, BlockSpec>) return model.block;
        else if constexpr (std::is_same_v<Spec, MoeSpec>) return model.experts;
        else if constexpr (std::is_same_v<Spec, RotarySpec>) return model.block.rotary;
        else return model;
    }

    /// Layers, widths and tokens of the models whose fields have a Llama's names, and which family it is.
    void sizes();
    /// What model_type alone says: a choice of a field of the layout.
    void always(bool fits, std::string_view field, std::string_view ours, std::string_view legal,
                std::function<void(ModelSpec& model)> take);

    const ModelSpec& model_;
    const ConfigFamily& family_;
    Json config_;  ///< with the names that the rows have
    const BlockParts parts_ = blockParts(model_);
    ConfigFields made_;
};

}  // namespace shardlab::trace
