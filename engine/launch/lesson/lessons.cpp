// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file.h"
#include "engine/base/resources.h"
#include "engine/layout/suggest.h"
#include "engine/launch/lesson/lesson.h"

#include <algorithm>
#include <filesystem>

namespace shardlab {
namespace {

/// "10-bubble.md" → "bubble".
std::string nameOf(const std::filesystem::path& file) {
    const std::string stem = file.stem().string();
    const std::size_t begin = stem.find_first_not_of("0123456789");
    return begin != std::string::npos && begin > 0 && stem[begin] == '-' ? stem.substr(begin + 1) : stem;
}

}  // namespace

Result<std::vector<Lesson>> lessons() {
    const std::filesystem::path folder = resourcesFolder() / "lessons";
    std::error_code problem;
    std::vector<std::filesystem::path> files;
    for (std::filesystem::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem))
        if (entry->path().extension() == ".md") files.push_back(entry->path());
    if (problem) return fail({"cannot read the lessons", folder.string(), problem.message(), ""});
    std::ranges::sort(files);
    std::vector<Lesson> all;
    for (const std::filesystem::path& file : files) {
        const auto text = readFile(file);
        if (!text) return fail(text.error());
        auto lesson = parseLesson(*text, nameOf(file));
        if (!lesson) return fail(lesson.error());
        all.push_back(std::move(*lesson));
    }
    return all;
}

Result<Lesson> findLesson(std::string_view name) {
    auto all = lessons();
    if (!all) return fail(all.error());
    std::vector<std::string_view> names;
    for (Lesson& lesson : *all) {
        if (lesson.name == name) return std::move(lesson);
        names.push_back(lesson.name);
    }
    return fail({"there is no such lesson", std::string(name), "", names.empty() ? "there are none" : legalWords(name, names)});
}

}  // namespace shardlab
