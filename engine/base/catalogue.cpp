// SPDX-License-Identifier: Apache-2.0
#include "engine/base/catalogue.h"

#include "engine/base/file.h"
#include "engine/base/resources.h"

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace shardlab::base {
namespace {

constexpr std::size_t largestCatalogue = std::size_t{16} << 20;

/// What lies in `text` from `at` between the two marks; `at` is then behind the second. None where a mark is missing.
std::optional<std::string_view> between(std::string_view text, std::size_t& at, std::string_view begin,
                                        std::string_view end) {
    const std::size_t from = text.find(begin, at);
    const std::size_t to = from == text.npos ? from : text.find(end, from + begin.size());
    if (to == text.npos) return std::nullopt;
    at = to + end.size();
    return text.substr(from + begin.size(), to - from - begin.size());
}

/// XML's five characters that have names; lupdate writes all others as they are.
std::string unescaped(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, char>, 5> names{
        {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}}};
    std::string plain;
    while (!text.empty()) {
        std::size_t taken = 1;
        char letter = text.front();
        for (const auto& [name, of] : names)
            if (text.starts_with(name)) letter = of, taken = name.size();
        plain += letter;
        text.remove_prefix(taken);
    }
    return plain;
}

}  // namespace

Catalogue::Catalogue(std::string_view text) {
    const std::size_t tables = text.find("<name>tables</name>");
    if (tables == text.npos) return;
    text = text.substr(tables);
    text = text.substr(0, text.find("</context>"));
    for (std::size_t at = 0; const auto message = between(text, at, "<message>", "</message>");) {
        std::size_t part = 0;
        const auto source = between(*message, part, "<source>", "</source>"),
                   translation = between(*message, part, "<translation>", "</translation>");  // a finished one
        if (source && translation) messages_.emplace(unescaped(*source), unescaped(*translation));
    }
}

Catalogue Catalogue::of(std::string_view language) {
    const auto text =
        readFile(resourcesFolder() / "translations" / ("shardlab_" + std::string(language) + ".ts"), largestCatalogue);
    return text ? Catalogue(*text) : Catalogue();
}

std::string Catalogue::operator()(std::string_view pattern) const {
    const auto found = messages_.find(pattern);
    return found == messages_.end() || found->second.empty() ? std::string(pattern) : found->second;
}

std::string Catalogue::told(const Sentence& sentence) const {
    return sentence.told([this](std::string_view pattern) { return (*this)(pattern); });
}

}  // namespace shardlab::base
