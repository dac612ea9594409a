// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/lesson_step.h"

#include "engine/layout/fields.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace shardlab::launch {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 6> comparisons{"!=", "<=", ">=", "=", "<", ">"};  // longer ones first

bool compares(const json& value, std::string_view comparison, const json& wanted) {
    if (comparison == "=") return value == wanted;
    if (comparison == "!=") return value != wanted;
    if (!value.is_number() || !wanted.is_number()) return false;
    const double left = value.get<double>(), right = wanted.get<double>();
    return comparison == "<"    ? left < right
           : comparison == "<=" ? left <= right
           : comparison == ">"  ? left > right
                                : left >= right;
}

struct Judge {
    const Layout& layout;
    std::span<const Fault> faults;
    std::span<const KnownExperiment> known;

    bool operator()(const FieldCondition& condition) const {
        const json whole = json::parse(writeLayout(layout));
        const json::json_pointer place(condition.pointer);
        const json value = whole.contains(place) ? whole.at(place) : json();
        return compares(value, condition.comparison, json::parse(condition.value));
    }
    bool operator()(const FaultCondition& condition) const {
        return std::ranges::find(faults, condition.pointer, &Fault::pointer) != faults.end();
    }
    bool operator()(const RanCondition& condition) const { return known[condition.experiment].measured.has_value(); }
};

std::string_view word(std::string_view& rest) {
    const std::size_t first = std::min(rest.find_first_not_of(' '), rest.size());
    rest.remove_prefix(first);
    const std::string_view found = rest.substr(0, std::min(rest.find(' '), rest.size()));
    rest.remove_prefix(found.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return found;
}

Result<std::string> field(std::string_view pointer) {
    if (findField(pointer)) return std::string(pointer);
    std::vector<std::string_view> pointers;
    for (const Field& each : layout::fields()) pointers.push_back(each.pointer);
    const std::string_view nearest = nearestWord(pointer, pointers);
    const Sentence all = say("shardlab help layout-fields lists them");
    return fail({say("there is no such field of a layout"),
                 {},
                 std::string(pointer.substr(0, 80)),
                 nearest.empty() ? all : say("did you mean {}? {}", nearest, all)});
}

}  // namespace

bool isDone(const LessonStep& step, const Layout& layout, std::span<const Fault> faults,
            std::span<const KnownExperiment> known) {
    if (step.in && layout.name != step.layoutName) return false;
    return std::ranges::all_of(step.conditions, [&](const StepCondition& condition) {
        return std::visit(Judge{layout, faults, known}, condition);
    });
}

Result<StepCondition> readCondition(std::string_view text) {
    std::string_view rest = text;
    std::string_view first = word(rest);
    const bool fault = first == "fault";
    if (fault) first = word(rest);
    auto pointer = field(first);
    if (!pointer) return fail(pointer.error());
    if (fault) return FaultCondition{*pointer};
    const std::string comparison(word(rest));
    if (std::ranges::find(comparisons, comparison) == comparisons.end() || rest.empty())
        return fail(
            {say("this is no condition"),
             {},
             std::string(text.substr(0, 80)),
             say("{}, or != < <= > >= in place of =; {}; {}", "/POINTER = VALUE", "fault /POINTER", "ran EXPERIMENT")});
    // A word needs no quotation marks.
    json value = json::parse(rest, nullptr, false);
    if (value.is_discarded()) value = std::string(rest);
    return FieldCondition{*pointer, comparison, value.dump(-1, ' ', false, json::error_handler_t::replace)};
}

}  // namespace shardlab::launch
