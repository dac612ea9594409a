// SPDX-License-Identifier: Apache-2.0
#include "engine/base/language.h"

#include "engine/base/parse_text.h"

#include <cstdlib>
#include <string>

namespace shardlab::base {
namespace {

constexpr const char* chosenName = "SHARDLAB_LANGUAGE";

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::string_view messagesLocale() {
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"})
        if (const std::string_view value = variable(name); !value.empty()) return value;
    return {};
}

bool isPlain(std::string_view locale) { return locale == "C" || locale == "POSIX" || locale.starts_with("C."); }

/// "zh" of "zh_CN.UTF-8".
std::string_view firstPart(std::string_view locale) { return locale.substr(0, locale.find_first_of("_-.@")); }

}  // namespace

std::optional<std::string_view> languageOf(std::string_view locale) {
    if (isPlain(locale)) return languages.front();
    // The other script of Chinese is another language for those who read it.
    for (const std::string_view traditional : {"Hant", "TW", "HK", "MO"})
        if (firstPart(locale) == "zh" && locale.find(traditional) != std::string_view::npos) return std::nullopt;
    for (const std::string_view one : languages)
        if (firstPart(one) == firstPart(locale)) return one;
    return std::nullopt;
}

std::string_view language() {
    if (const auto chosen = languageOf(variable(chosenName))) return *chosen;
    const std::string_view locale = messagesLocale();
    if (locale.empty() || isPlain(locale)) return languages.front();
    for (std::string_view rest = variable("LANGUAGE"); !rest.empty();)
        if (const auto listed = languageOf(takePart(rest, ':'))) return *listed;
    return languageOf(locale).value_or(languages.front());
}

void chooseLanguage(std::string_view chosen) { ::setenv(chosenName, std::string(chosen).c_str(), 1); }

}  // namespace shardlab::base
