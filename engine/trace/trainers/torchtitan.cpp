// SPDX-License-Identifier: Apache-2.0
// The TOML of torchtitan 0.2, with the schedule's CSV and the model's shape in files of their own where it has no name
// for them.
#include "engine/layout/fp8.h"
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace shardlab::trace {
namespace {

std::string tomlString(std::string_view text) { return doubleQuoted(text, 'u', 4); }

struct TomlText {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return realText(value); }
    std::string operator()(const TitanPair& value) const {
        return fmt::format("[{}, {}]", realText(value.first), realText(value.second));
    }
    std::string operator()(const std::string& value) const { return tomlString(value); }
    std::string operator()(const TitanLists& value) const { return titanListsText(value, "    "); }
};

class TitanToml {
public:
    TitanToml(const Layout& layout, const TrainerOptions& options) : layout_(layout), options_(options) {}

    ExportedLayout all(const std::vector<Sentence>& leftOut) {
        text_ = titanHeader(layout_, "0.2", titanArguments(options_.file), leftOut);
        section("job");
        add("description", tomlString(layout_.name));
        model();
        TitanSettings settings = titanSettings(layout_, options_, TitanVersion::Toml);
        for (const TitanSection& each : settings.sections) {
            section(each.name);
            for (const TitanSetting& one : each.settings) {
                if (!one.note.empty()) text_ += fmt::format("# {}\n", one.note);
                add(one.key, std::visit(TomlText(), one.value), one.chosen);
            }
        }
        settings.companions.insert(settings.companions.begin(), companions_.begin(), companions_.end());
        return {std::move(text_), std::move(settings.companions), {}};
    }

private:
    void section(std::string_view name) { text_ += fmt::format("\n[{}]\n", name); }
    void add(std::string_view key, std::string_view value, std::string_view chosen = {}) {
        text_ += fmt::format("{} = {}", key, value);
        if (!chosen.empty()) text_ += fmt::format("  # chosen: {}", chosen);
        text_ += '\n';
    }

    void model() {
        const ModelSpec& m = layout_.model;
        std::string flavor(titanFlavorOf(m));
        // A flavor of torchtitan's own multiplies all experts of a rank at once, in bf16.
        const bool own = flavor.empty() || (hasExperts(m) && layout_.precision.compute == NumberFormat::Fp32);
        if (own) flavor = "shardlab";
        section("model");
        add("name", tomlString(traits(titanFamily(m)).name));
        add("flavor", tomlString(flavor));
        if (const TitanProducts* products = titanProductsOf(layout_); products != nullptr) {
            add("converters", fmt::format("[\"{}\"]", products->section));
            section(products->section);
            // Weights are gathered as codes of the products, which torchtitan has with the recipe it takes unnamed.
            const bool gathers = scalesTensors(products->ours) && titanShards(layout_);
            if (!gathers) add("recipe_name", tomlString(products->recipe));
            else
                for (const char* key : titanGatherCodes) add(key, "true", "the same losses with half the bytes");
        }
        if (!own) return;
        const std::string module = pythonName(options_.stem) + "_flavor";
        companions_.push_back({module + ".py", titanFlavorText(layout_, flavor)});
        section("experimental");
        add("custom_import", tomlString(module), "it registers the flavor; its folder has to be in PYTHONPATH");
    }

    const Layout& layout_;
    const TrainerOptions& options_;
    std::string text_;
    std::vector<CompanionFile> companions_;
};

ExportedLayout writeTitan(const Layout& layout, const TrainerOptions& options, const std::vector<Sentence>& leftOut) {
    return TitanToml(layout, options).all(leftOut);
}

}  // namespace

TrainerTarget torchtitanTarget() {
    return {
        .name = "torchtitan",
        .program = "torchtitan",
        .description = "a TOML, with the schedule's CSV and the model's flavor beside it where they need one",
        .extension = ".torchtitan.toml",
        .says = titanSays(),
        .leaves = titanLeaves(),
        .refuse = refuseForTitan,
        .write = writeTitan,
        .start = [](const Layout& layout, const std::string& file) { return startTitan(layout, titanArguments(file)); },
        .recognises = looksLikeTitan,
        .read = readTitan};
}

}  // namespace shardlab::trace
