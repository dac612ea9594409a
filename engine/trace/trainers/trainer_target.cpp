// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/trainer_target.h"

#include "engine/base/file.h"
#include "engine/base/visible_text.h"
#include "engine/layout/field_effect.h"
#include "engine/layout/layout_json.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/trainers/sbatch_script.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace shardlab::trace {
namespace {

/// Where and for whom Shardlab runs a layout: no other trainer has words for it, and none needs them.
constexpr std::string_view shardlabAlone[] = {
    "/name",           "/cluster",       "/memory/reserve", "/run/deadline", "/run/min_data",  "/run/faults",
    "/run/size_limit", "/run/keep_last", "/run/keep_every", "/data",         "/model/weights", "/schedule/in_flight",
};

/// The pointer of the list that covers this one; empty: none does.
std::string_view coverOf(std::span<const std::string_view> list, std::string_view pointer) {
    const auto found = std::ranges::find_if(list, [&](std::string_view each) {
        return pointer.starts_with(each) && (pointer.size() == each.size() || pointer[each.size()] == '/');
    });
    return found == list.end() ? std::string_view() : *found;
}

std::string dotted(std::string_view pointer) {
    std::string text(pointer.substr(1));
    std::ranges::replace(text, '/', '.');
    return text;
}

/// Fields that have an effect, are not what they are by default, and that the target's own words do not cover: left
/// out where another program has no use for them, refused where it would train another model or another way.
void settleUnsaid(const Layout& layout, const TrainerTarget& target, std::vector<Fault>& faults,
                  std::vector<Sentence>& leftOut) {
    const auto ours = layoutToJson(layout), usual = layoutToJson(Layout{});
    std::map<std::string_view, Sentence> more;  ///< labels of what is left out of a section
    for (const Field& field : layout::fields()) {
        if (!isPresent(field, layout) || !coverOf(target.says, field.pointer).empty()) continue;
        if (!withoutEffect(field.pointer, layout, scheduleMethods()).empty()) continue;
        const nlohmann::ordered_json::json_pointer pointer{std::string(field.pointer)};
        if (!ours.contains(pointer)) continue;  // cluster.pace, where there is none
        const bool known = usual.contains(pointer);
        if (known && ours.at(pointer) == usual.at(pointer)) continue;
        std::string_view left = coverOf(target.leaves, field.pointer);
        if (left.empty()) left = coverOf(shardlabAlone, field.pointer);
        const std::string value = shortened(ours.at(pointer).dump());
        if (left.empty())
            refuseField(faults, target.program, std::string(field.pointer), value,
                        say("{} has no setting that does the same", target.program),
                        known ? Instead(usual.at(pointer).dump()) : Instead(say("the field's default")));
        else if (left == field.pointer) leftOut.push_back(say("{} is {}; it is not carried over", dotted(left), value));
        else if (Sentence& labels = more[left]; labels.empty()) labels = termOf(field.label);
        else labels = say("{}, {}", labels, termOf(field.label));
    }
    for (const auto& [section, labels] : more)
        leftOut.push_back(say("the section {} says more ({}), which is not carried over: the trainer is told that in "
                              "another way or does not use it",
                              dotted(section), labels));
}

/// "mine.megatron-bridge.py", of the stem "mine" and of "mine.megatron-bridge".
std::string configurationName(const TrainerTarget& target, std::string_view stem) {
    const std::size_t last = target.extension.rfind('.');
    const bool said = stem.ends_with(target.extension.substr(0, last));
    const std::string_view more = said ? target.extension.substr(last) : target.extension;
    return fmt::format("{}{}", target.extension.starts_with('.') ? stem : pythonName(stem), more);
}

tl::unexpected<Error> refuseFile(const std::filesystem::path& file, Sentence why) {
    Sentence known = say("a config.json of Hugging Face with a model_type");
    for (const TrainerTarget& target : trainerTargets())
        if (target.read != nullptr) known = say("{}; or {} ({})", known, termOf(target.description), target.program);
    return fail(Error{say("cannot make a layout"), file.string(), std::move(why), std::move(known)});
}

}  // namespace

std::span<const TrainerTarget> trainerTargets() {
    static const std::array targets{megatronTarget(),     megatronBridgeTarget(), nemoTarget(),      torchtitanTarget(),
                                    torchtitan03Target(), deepspeedTarget(),      accelerateTarget()};
    return targets;
}

const TrainerTarget* findTrainerTarget(std::string_view name) {
    const auto found = std::ranges::find(trainerTargets(), name, &TrainerTarget::name);
    return found == trainerTargets().end() ? nullptr : &*found;
}

std::string exportedFileName(const TrainerTarget& target, std::string_view stem, bool sbatch) {
    if (sbatch) return fmt::format("{}.{}.sbatch", stem, target.name);
    return fmt::format("{}{}", target.extension.starts_with('.') ? stem : pythonName(stem), target.extension);
}

TrainerOptions optionsFor(const TrainerTarget& target, std::string_view name, bool sbatch) {
    const std::string stem(name.substr(0, name.rfind('.')));
    if (!sbatch || target.start == nullptr) return {stem, sbatch, std::string(name)};
    const std::string file = configurationName(target, stem);
    return {stem, sbatch, file == name ? configurationName(target, stem + "-layout") : file};
}

tl::expected<ExportedLayout, std::vector<Fault>> exportLayout(const Layout& layout, const TrainerTarget& target,
                                                              const TrainerOptions& options) {
    std::vector<Fault> faults;
    std::vector<Sentence> leftOut;
    target.refuse(layout, faults);
    refuseUnevenShares(layout, target.program, target.sharesKeyHeads, faults);
    settleUnsaid(layout, target, faults, leftOut);
    if (!faults.empty()) return tl::unexpected(std::move(faults));
    TrainerOptions named = options;
    if (named.file.empty()) named.file = configurationName(target, options.stem);
    ExportedLayout exported = target.write(layout, named, leftOut);
    if (options.sbatch && target.start != nullptr)
        exported = sbatchAround(std::move(exported), layout, target, named.file);
    exported.leftOut.insert(exported.leftOut.begin(), leftOut.begin(), leftOut.end());
    return exported;
}

bool isTrainerText(std::string_view text) {
    return looksLikeConfig(text) || std::ranges::any_of(trainerTargets(), [&](const TrainerTarget& target) {
               return target.recognises != nullptr && target.recognises(text);
           });
}

bool isTrainerFile(const std::filesystem::path& file) {
    const Result<std::string> text = readBeginning(file, mostTrainerText);
    return text && isTrainerText(*text);
}

Result<ConfigLayout> layoutFromFile(const std::filesystem::path& file) {
    const Result<std::string> text = readBeginning(file, mostTrainerText);
    if (!text) return fail(text.error());
    return layoutFromText(file, *text);
}

Result<ConfigLayout> layoutFromText(const std::filesystem::path& file, std::string_view text) {
    if (looksLikeConfig(text)) return layoutFromConfig(file, text);
    for (const TrainerTarget& target : trainerTargets()) {
        if (target.recognises == nullptr || !target.recognises(text)) continue;
        Result<ConfigLayout> made = target.read(file, text);
        if (!made) return made;
        return legalConfigLayout(std::move(*made), file);
    }
    return refuseFile(file, say("its content is of no program that is known"));
}

}  // namespace shardlab::trace
