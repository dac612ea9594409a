// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/layout_json.h"

namespace shardlab::layout {
namespace {

using nlohmann::ordered_json;

ordered_json hostsToJson(const std::vector<HostSpec>& hosts) {
    ordered_json list = ordered_json::array();
    for (const HostSpec& host : hosts) list.push_back({{"name", host.name}, {"devices", host.devices}});
    return list;
}

ordered_json valueOf(const Field& field, const Layout& layout) {
    return std::visit(
        [&](auto access) -> ordered_json {
            using Access = decltype(access);
            if constexpr (std::is_same_v<Access, WordField>) return access.word(layout);
            else if constexpr (std::is_same_v<Access, WordSetField>) return access.chosen(layout);
            else if constexpr (std::is_same_v<Access, HostListField>) return hostsToJson(read(access, layout));
            else if constexpr (std::is_same_v<Access, PaceField>) return ordered_json::object();
            else return read(access, layout);
        },
        field.access);
}

std::string leafText(const ordered_json& node) {
    return node.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// On one line, with a space after each comma and colon.
void appendInline(std::string& text, const ordered_json& node) {
    if (!node.is_structured()) {
        text += leafText(node);
        return;
    }
    text += node.is_array() ? '[' : '{';
    bool first = true;
    for (const auto& [key, value] : node.items()) {
        if (!first) text += ", ";
        first = false;
        if (node.is_object()) text += leafText(key) + ": ";
        appendInline(text, value);
    }
    text += node.is_array() ? ']' : '}';
}

bool isListOfTexts(const ordered_json& node) { return node.is_array() && !node.empty() && node.front().is_string(); }

/// Texts may be long: each has a line of its own.
void append(std::string& text, const ordered_json& node, const std::string& indent) {
    const bool texts = isListOfTexts(node);
    if (!node.is_object() && !texts) return appendInline(text, node);
    text += texts ? "[\n" : "{\n";
    bool first = true;
    for (const auto& [key, value] : node.items()) {
        if (!first) text += ",\n";
        first = false;
        text += indent + "  ";
        if (!texts) text += leafText(key) + ": ";
        append(text, value, indent + "  ");
    }
    text += "\n" + indent + (texts ? "]" : "}");
}

}  // namespace

ordered_json layoutToJson(const Layout& layout) {
    ordered_json root{{"version", layoutVersion}};
    for (const Field& field : fields()) {
        const bool absent = std::holds_alternative<PaceField>(field.access) && !layout.cluster.pace;
        if (absent || !isPresent(field, layout)) continue;
        root[ordered_json::json_pointer(std::string(field.pointer))] = valueOf(field, layout);
    }
    return root;
}

std::string layoutText(const ordered_json& node) {
    std::string text;
    append(text, node, "");
    return text + "\n";
}

}  // namespace shardlab::layout
