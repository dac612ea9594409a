// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/change_words.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <variant>

namespace shardlab::predict {
namespace {

using nlohmann::json;

constexpr std::size_t mostElements = 6;  ///< of a list that are told

Sentence joined(const Sentence& first, const Sentence& next) {
    return first.empty() ? next : say("{}, {}", first, next);
}

Sentence valueWords(const json& value) {
    if (value.is_boolean()) return value.get<bool>() ? say("on") : say("off");
    if (value.is_number()) return fmt::format("{:.15g}", value.get<double>());
    if (value.is_string()) return value == "" ? say("nothing") : Sentence(value.get_ref<const std::string&>());
    // Hosts alone are told whole among the objects of a layout.
    if (value.is_object())
        return fmt::format("{} × {}", value.value("name", std::string{}), value.value("devices", std::int64_t{0}));
    if (!value.is_array() || value.empty()) return say("none");
    Sentence list;
    for (std::size_t index = 0; index < std::min(value.size(), mostElements); ++index)
        list = joined(list, valueWords(value[index]));
    return value.size() > mostElements ? joined(list, say("… of {}", value.size())) : list;
}

/// What the field calls its zero or its empty value; empty: nothing of its own.
std::string_view nameOf(const Field& field, const json& value) {
    if (value == 0) return field.zero;
    return value == "" || value == json::array() ? field.empty : std::string_view();
}

Sentence fieldWords(const Field& field, const json& value) {
    const std::string_view named = nameOf(field, value);
    return named.empty() ? valueWords(value) : termOf(named);
}

std::string_view unitBehind(const Field& field, const json& value) {
    return value.is_number() && nameOf(field, value).empty() ? unitOf(field, value.get<double>()) : "";
}

/// Orders would fill a page: which ranks have another one.
Sentence orderWords(const json& from, const json& to) {
    if (to.empty()) return say("no orders by hand");
    if (from.size() != to.size()) return say("orders by hand");
    json ranks = json::array();
    for (std::size_t rank = 0; rank < to.size(); ++rank)
        if (from[rank] != to[rank]) ranks.push_back(rank);
    return ranks.size() == 1 ? say("another order on pipeline rank {}", valueWords(ranks))
                             : say("other orders on pipeline ranks {}", valueWords(ranks));
}

/// Empty where other fields tell of the change.
Sentence wordsOf(const FieldChange& change) {
    const Field* field = findField(change.pointer);
    json from = json::parse(change.from, nullptr, false), to = json::parse(change.to, nullptr, false);
    if (field && std::holds_alternative<PaceField>(field->access)) {
        if (from.is_object() && to.is_object()) return {};
        from = from.is_object();
        to = to.is_object();
    }
    if (change.pointer == "/schedule/actions" && from.is_array() && to.is_array()) return orderWords(from, to);
    const auto words = [&](const json& value) { return field ? fieldWords(*field, value) : valueWords(value); };
    const Sentence label = labelOf(change.pointer), after = words(to), before = words(from);
    const std::string_view unit = field ? unitBehind(*field, to) : "";
    if (unit.empty()) return say("{} {} instead of {}", label, after, before);
    return say("{} {} {} instead of {}", label, after, termOf(unit), before);
}

}  // namespace

Sentence labelOf(std::string_view pointer) {
    for (std::string_view at = pointer; !at.empty(); at = at.substr(0, at.rfind('/')))
        if (const Field* field = findField(at)) return termOf(field->label);
    return pointer;
}

std::string_view unitOf(const Field& field, double number) {
    std::string_view unit = field.unit;
    if (number == 1 && unit.ends_with("ches")) unit.remove_suffix(2);
    else if (number == 1 && unit.size() > 1 && unit.ends_with('s') && !unit.ends_with("/s")) unit.remove_suffix(1);
    return unit;
}

Sentence valueWords(const Field& field, std::string_view value) {
    json read = json::parse(value, nullptr, false);
    if (read.is_discarded()) read = std::string(value);
    const std::string_view unit = unitBehind(field, read);
    return unit.empty() ? fieldWords(field, read) : say("{} {}", fieldWords(field, read), termOf(unit));
}

Sentence changeWords(const std::vector<FieldChange>& changes) {
    Sentence words;
    for (const FieldChange& change : changes)
        if (const Sentence next = wordsOf(change); !next.empty()) words = joined(words, next);
    return words;
}

}  // namespace shardlab::predict
