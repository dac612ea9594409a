// SPDX-License-Identifier: Apache-2.0
#include "engine/base/pages.h"

#include "engine/base/file.h"
#include "engine/base/language.h"
#include "engine/base/resources.h"

#include <algorithm>

namespace shardlab::base {
namespace {

/// "10-bubble.md" → "bubble".
std::string nameOf(const std::filesystem::path& file) {
    const std::string stem = file.stem().string();
    const std::size_t begin = stem.find_first_not_of("0123456789");
    return begin != std::string::npos && begin > 0 && stem[begin] == '-' ? stem.substr(begin + 1) : stem;
}

std::string titleOf(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    return std::string(line.starts_with("# ") ? line.substr(2) : line);
}

}  // namespace

Result<std::vector<Page>> readPages(const std::filesystem::path& folder) {
    std::error_code problem;
    std::vector<std::filesystem::path> files;
    for (std::filesystem::directory_iterator entry(folder, problem), end; !problem && entry != end;
         entry.increment(problem))
        if (entry->path().extension() == ".md") files.push_back(entry->path());
    if (problem) return fail({say("cannot read the pages"), folder.string(), systemReason(problem.value()), ""});
    std::ranges::sort(files);
    std::vector<Page> pages;
    for (const std::filesystem::path& file : files) {
        const std::filesystem::path translated = folder / language() / file.filename();
        auto text = readFile(std::filesystem::exists(translated, problem) ? translated : file);
        if (!text) return fail(text.error());
        pages.push_back({nameOf(file), titleOf(*text), std::move(*text)});
    }
    return pages;
}

Result<std::vector<Page>> manualPages() { return readPages(resourcesFolder() / "manual"); }

}  // namespace shardlab::base
