// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/layout_file.h"

#include "engine/base/file.h"
#include "engine/layout/fault_list.h"
#include "engine/layout/json_text.h"
#include "engine/layout/layout_json.h"

#include <algorithm>

namespace shardlab::layout {
namespace {

bool isText(const std::string& pointer) {
    const Field* field = findField(pointer);
    return field != nullptr &&
           (std::holds_alternative<TextField>(field->access) || std::holds_alternative<WordField>(field->access));
}

}  // namespace

Result<ParsedLayout> parseLayout(std::string_view text) {
    Result<JsonText> tree = parseJsonText(text);
    if (!tree) return fail(tree.error());
    if (!tree->root.is_object())
        return fail({say("this is no layout"), say("line 1"), say("it is a JSON {}", tree->root.type_name()),
                     say("A layout is a JSON object: {{}} is the default one")});
    Result<ParsedLayout> parsed = layoutFromJson(tree->root);
    if (parsed) {
        parsed->faults.insert(parsed->faults.begin(), tree->duplicates.begin(), tree->duplicates.end());
        listFirst(parsed->faults);
    }
    return parsed;
}

Result<ParsedLayout> readLayout(const std::filesystem::path& file) {
    const Result<std::string> text = readFile(file, largestJson);
    if (!text) return fail(text.error());
    return parseLayout(*text, file);
}

Result<ParsedLayout> parseLayout(std::string_view text, const std::filesystem::path& file) {
    Result<ParsedLayout> parsed = parseLayout(text);
    if (!parsed) {
        Error error = parsed.error();
        error.where = error.where.empty() ? Sentence(file.string()) : say("{}, {}", file.string(), error.where);
        return fail(std::move(error));
    }
    return parsed;
}

std::string writeLayout(const Layout& layout) { return layoutText(layoutToJson(layout)); }

Status saveLayout(const Layout& layout, const std::filesystem::path& file) {
    return replaceFile(file, writeLayout(layout));
}

Layout resolvePaths(Layout layout, const std::filesystem::path& directory) {
    for (std::string* written :
         {&layout.model.weights, &layout.data.path, &layout.data.tokenizerPath, &layout.checkpoint.path}) {
        if (written->empty()) continue;
        std::error_code error;
        const std::filesystem::path path = std::filesystem::absolute(directory / *written, error);
        if (!error) *written = path.lexically_normal().string();
    }
    return layout;
}

namespace {

/// A list is made as long as a pointer's index says, where there is none: an index of more digits names no place.
bool hasFarIndex(std::string_view pointer) {
    constexpr std::size_t mostDigits = 5;
    for (std::size_t begin = 0; begin < pointer.size();) {
        const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
        const std::string_view token = pointer.substr(begin, end - begin);
        if (token.size() > mostDigits && token.find_first_not_of("0123456789") == std::string_view::npos) return true;
        begin = end + 1;
    }
    return false;
}

}  // namespace

Result<ParsedLayout> setField(const Layout& layout, std::string_view assignment) {
    const std::size_t equals = assignment.find('=');
    if (!assignment.starts_with('/') || equals == std::string_view::npos)
        return fail({say("cannot set a field"), std::string(assignment.substr(0, 200)), say("it is no assignment"),
                     say("/pointer=value, for instance /parallel/data=4")});
    const std::string pointer(assignment.substr(0, equals));
    const std::string_view value = assignment.substr(equals + 1);
    const Result<JsonText> tree = parseJsonText(value);
    const bool word = !tree || (isText(pointer) && !tree->root.is_string());
    const auto noSuchPlace = [&] {
        return fail(Error{say("cannot set a field"), pointer, say("the layout has no such place"),
                          say("a pointer as in the layout file, for instance /parallel/data")});
    };
    if (hasFarIndex(pointer)) return noSuchPlace();
    try {
        nlohmann::json root = layoutToJson(layout);
        root[nlohmann::json::json_pointer(pointer)] = word ? nlohmann::json(value) : tree->root;
        Result<ParsedLayout> parsed = layoutFromJson(root);
        if (parsed && tree)
            parsed->faults.insert(parsed->faults.begin(), tree->duplicates.begin(), tree->duplicates.end());
        return parsed;
    } catch (const nlohmann::json::exception&) {  // a pointer into a number, beyond a list's end, or badly escaped
        return noSuchPlace();
    }
}

}  // namespace shardlab::layout
