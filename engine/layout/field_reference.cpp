// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/field_reference.h"

#include "engine/layout/layout_json.h"
#include "engine/layout/registries.h"
#include "engine/layout/words.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::layout {
namespace {

using nlohmann::ordered_json;

bool namesOfTheUser(const Field& field) { return field.pointer.starts_with("/cluster/pace/"); }

bool hasLimits(const Field& field) { return std::isfinite(field.limits.least) || std::isfinite(field.limits.most); }

ordered_json limitOf(double limit) {
    if (limit == std::floor(limit) && std::abs(limit) < 1e15) return static_cast<std::int64_t>(limit);
    return limit;
}

/// A schema of one number within the field's limits.
ordered_json numberSchema(const Field& field, const char* type) {
    ordered_json schema{{"type", type}};
    if (std::isfinite(field.limits.least)) schema["minimum"] = limitOf(field.limits.least);
    if (std::isfinite(field.limits.most)) schema["maximum"] = limitOf(field.limits.most);
    return schema;
}

ordered_json listOf(ordered_json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

ordered_json objectSchema() {
    return {{"type", "object"}, {"properties", ordered_json::object()}, {"additionalProperties", false}};
}

ordered_json namesSchema(const Field& field, std::span<const ScheduleMethod> schedules) {
    ordered_json schema{{"type", "string"}};
    for (const RegistryEntry& entry : registryOf(field, schedules))
        schema[namesOfTheUser(field) ? "examples" : "enum"].push_back(entry.name);
    return schema;
}

ordered_json hostsSchema(const Field& field) {
    ordered_json host = objectSchema();
    host["properties"] = {{"name", {{"type", "string"}}}, {"devices", numberSchema(field, "integer")}};
    ordered_json schema = listOf(std::move(host));
    schema["minItems"] = 1;
    return schema;
}

ordered_json valueSchema(const Field& field, std::span<const ScheduleMethod> schedules) {
    return std::visit(
        [&](const auto& access) -> ordered_json {
            using Access = std::decay_t<decltype(access)>;
            if constexpr (std::is_same_v<Access, IntegerField> || std::is_same_v<Access, LongField>)
                return numberSchema(field, "integer");
            else if constexpr (std::is_same_v<Access, NumberField>) return numberSchema(field, "number");
            else if constexpr (std::is_same_v<Access, BooleanField>) return {{"type", "boolean"}};
            else if constexpr (std::is_same_v<Access, TextField>) return namesSchema(field, schedules);
            else if constexpr (std::is_same_v<Access, WordField>) return {{"type", "string"}, {"enum", access.words}};
            else if constexpr (std::is_same_v<Access, WordSetField>)
                return listOf({{"type", "string"}, {"enum", access.words}});
            else if constexpr (std::is_same_v<Access, IntegerListField>) return listOf(numberSchema(field, "integer"));
            else if constexpr (std::is_same_v<Access, NumberListField>) return listOf(numberSchema(field, "number"));
            else if constexpr (std::is_same_v<Access, TextListField>) return listOf({{"type", "string"}});
            else if constexpr (std::is_same_v<Access, HostListField>) return hostsSchema(field);
            else {
                ordered_json schema = objectSchema();
                schema["type"] = {"object", "null"};
                return schema;
            }
        },
        field.access);
}

/// The default layout as JSON, with a pace, so that each field has a value.
ordered_json defaults() {
    Layout layout;
    layout.cluster.pace.emplace();
    return layoutToJson(layout);
}

/// Where the schema of the field at `pointer` lies in that of a layout; objects on the way are made.
ordered_json& placeOf(ordered_json& schema, std::string_view pointer) {
    ordered_json* node = &schema;
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const std::string key(pointer.substr(0, pointer.find('/')));
        pointer.remove_prefix(key.size());
        ordered_json& properties = (*node)["properties"];
        if (!properties.contains(key)) properties[key] = objectSchema();
        node = &properties[key];
    }
    return *node;
}

/// A sentence whose places are filled in, as `say` has it.
template <class... Parts>
std::string told(const Translation& say, std::string_view sentence, const Parts&... parts) {
    return fmt::format(fmt::runtime(say(sentence)), parts...);
}

std::string limitsText(const Field& field, const Translation& say, std::string_view what) {
    if (!hasLimits(field)) return say(what);
    const std::string least = limitOf(field.limits.least).dump(), most = limitOf(field.limits.most).dump();
    if (!std::isfinite(field.limits.most)) return told(say, "{}, at least {}", say(what), least);
    return told(say, "{} from {} to {}", say(what), least, most);
}

std::string legalText(const Field& field, std::span<const ScheduleMethod> schedules, const Translation& say) {
    std::string text = std::visit(
        [&](const auto& access) -> std::string {
            using Access = std::decay_t<decltype(access)>;
            if constexpr (std::is_same_v<Access, IntegerField> || std::is_same_v<Access, LongField>)
                return limitsText(field, say, "a whole number");
            else if constexpr (std::is_same_v<Access, NumberField>) return limitsText(field, say, "a number");
            else if constexpr (std::is_same_v<Access, BooleanField>) return say("true or false");
            else if constexpr (std::is_same_v<Access, TextField>) {
                std::vector<std::string_view> names;
                for (const RegistryEntry& entry : registryOf(field, schedules)) names.push_back(entry.name);
                return names.empty() ? say("a text") : fmt::format("{}", fmt::join(names, ", "));
            } else if constexpr (std::is_same_v<Access, WordField>)
                return fmt::format("{}", fmt::join(access.words, ", "));
            else if constexpr (std::is_same_v<Access, WordSetField>)
                return told(say, "a list of some of {}", fmt::format("{}", fmt::join(access.words, ", ")));
            else if constexpr (std::is_same_v<Access, IntegerListField>)
                return limitsText(field, say, "a list of whole numbers");
            else if constexpr (std::is_same_v<Access, NumberListField>)
                return limitsText(field, say, "a list of numbers");
            else if constexpr (std::is_same_v<Access, TextListField>) return say("a list of texts");
            else if constexpr (std::is_same_v<Access, HostListField>)
                return limitsText(field, say, "a list of {\"name\": …, \"devices\": …}, with devices");
            else return say("an object with the fields below, or null for a run at full speed");
        },
        field.access);
    if (!field.zero.empty()) text = told(say, "{} (0: {})", text, say(field.zero));
    if (!field.empty.empty()) text = told(say, "{} (empty: {})", text, say(field.empty));
    return field.unit.empty() ? text : told(say, "{}; {}", text, say(field.unit));
}

}  // namespace

std::string inEnglish(std::string_view phrase) { return std::string(phrase); }

std::vector<FieldRow> fieldRows(std::span<const ScheduleMethod> schedules, const Translation& say) {
    const ordered_json values = defaults();
    std::vector<FieldRow> rows;
    for (const Field& field : fields()) {
        const bool whole = std::holds_alternative<PaceField>(field.access);
        rows.push_back({std::string(field.pointer), legalText(field, schedules, say),
                        whole ? "null" : values.at(ordered_json::json_pointer(std::string(field.pointer))).dump(),
                        say(field.help)});
    }
    return rows;
}

std::string layoutSchema(std::span<const ScheduleMethod> schedules) {
    const ordered_json values = defaults();
    ordered_json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "A layout of Shardlab"}};
    schema.update(objectSchema());
    schema["properties"]["version"] = {{"type", "integer"}, {"minimum", 1}, {"maximum", layoutVersion}};
    for (const Field& field : fields()) {
        ordered_json& place = placeOf(schema, field.pointer);
        place = {{"title", field.label}, {"description", field.help}};
        if (!field.zero.empty()) place["description"] = fmt::format("{} 0: {}.", field.help, field.zero);
        if (!field.empty.empty()) place["description"] = fmt::format("{} Empty: {}.", field.help, field.empty);
        place.update(valueSchema(field, schedules));
        if (!std::holds_alternative<PaceField>(field.access))
            place["default"] = values.at(ordered_json::json_pointer(std::string(field.pointer)));
    }
    return schema.dump(2) + "\n";
}

std::string fieldsPage(std::span<const ScheduleMethod> schedules, const Translation& say) {
    std::string page = fmt::format(
        "# {}\n\n{}\n", say("Fields of a layout"),
        say("Every field of a layout file, with what is legal and its default. `shardlab layouts --fields` prints the "
            "same, `shardlab layouts --schema` a JSON Schema, with which editors complete and check layout files. This "
            "page is made from the table of fields."));
    std::string section = "/";
    for (const FieldRow& row : fieldRows(schedules, say)) {
        const std::size_t end = row.pointer.find('/', 1);
        const std::string own = end == std::string::npos ? std::string() : row.pointer.substr(1, end - 1);
        if (own != section) {
            if (!own.empty()) page += fmt::format("\n## {}\n", own);
            section = own;
        }
        page += '\n' + told(say, "`{}`: {}. Default: `{}`. {}", row.pointer, row.legal, row.byDefault, row.help) + '\n';
    }
    return page;
}

}  // namespace shardlab::layout
