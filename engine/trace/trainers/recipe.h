// SPDX-License-Identifier: Apache-2.0
// Recipes in Python of the programs above Megatron-Core: their fields, and the calls that set them.
#pragma once

#include "engine/trace/trainers/megatron.h"

#include <functional>
#include <map>
#include <span>

namespace shardlab::trace {

/// An argument of Megatron-LM as a field of the recipes. One argument may have several rows.
struct RecipeField {
    std::string_view option;  ///< "--num-layers"
    std::string_view name;    ///< of the field; empty: the recipes need none
    std::string_view value;   ///< a Python expression: $ stands for the argument's value, @ for its text without quotes
    std::string_view bridge;  ///< the call of Megatron-Bridge's recipe that has the field; empty: none
    std::string_view nemo;    ///< the same of NeMo's
};
std::span<const RecipeField> recipeFields();

/// Keyword arguments of a recipe's calls, each call's in the order that they came.
class Recipe {
public:
    /// The settings as the fields of one program: `call` is RecipeField::bridge or RecipeField::nemo.
    Recipe(const Layout& layout, std::string_view RecipeField::*call);

    bool has(std::string_view call, std::string_view name) const;
    void add(std::string_view call, std::string_view name, std::string value, std::string_view chosen = {});
    /// Nothing where the field is there already.
    void addMissing(std::string_view call, std::string_view name, std::string value);
    void drop(std::string_view call, std::string_view name);
    /// A call in Python, an argument a line. `opening` goes up to what stands before the first of them, "Name(".
    std::string text(std::string_view call, std::string_view opening) const;

private:
    struct Argument {
        std::string name, value, chosen;
    };
    std::map<std::string, std::vector<Argument>, std::less<>> calls_;
};

/// The settings that Megatron-LM has by default and Megatron-Core has not.
void addCoreDefaults(Recipe& recipe, const Layout& layout);

/// Refuses what Megatron-LM has not, in the program's own words; `gptOss`: but for the blocks of a GPT-OSS.
void refuseForRecipe(const Layout& layout, std::string_view program, std::vector<Fault>& faults, bool gptOss = false);
/// TrainerTarget::start of them.
std::string startRecipe(const Layout& layout, const std::string& file);
/// The recipe with how it is started above it.
ExportedLayout recipeFile(const Layout& layout, const TrainerTarget& target, const TrainerOptions& options,
                          const std::vector<Sentence>& leftOut, std::string_view body);

}  // namespace shardlab::trace
