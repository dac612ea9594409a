// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/chapters.h"

#include "engine/base/file.h"
#include "engine/base/library_words.h"
#include "engine/base/resources.h"

#include <nlohmann/json.hpp>

#include <set>

namespace shardlab::launch {

Result<std::vector<LessonChapter>> parseChapters(std::string_view json) {
    const auto damaged = [](const Sentence& why) {
        return fail({say("the chapters of the lessons are damaged"), "", why,
                     say("{}, each lesson once", R"([{"title": "Pipelines", "lessons": ["interleaved"]}])")});
    };
    std::vector<LessonChapter> chapters;
    std::set<std::string> seen;
    try {
        for (const nlohmann::json& entry : nlohmann::json::parse(json)) {
            LessonChapter chapter{entry.at("title").get<std::string>(),
                                  entry.at("lessons").get<std::vector<std::string>>()};
            if (chapter.title.empty()) return damaged(say("a chapter has no title"));
            if (chapter.lessons.empty()) return damaged(say("the chapter \"{}\" has no lesson", chapter.title));
            for (const std::string& lesson : chapter.lessons)
                if (!seen.insert(lesson).second) return damaged(say("the lesson \"{}\" stands in two places", lesson));
            chapters.push_back(std::move(chapter));
        }
    } catch (const nlohmann::json::exception& error) {
        return damaged(jsonReason(error.what()));
    }
    return chapters;
}

Result<std::vector<LessonChapter>> lessonChapters() {
    const std::filesystem::path file = resourcesFolder() / "lessons" / "chapters.json";
    const Result<std::string> text = readFile(file);
    if (!text) return fail(text.error());
    auto chapters = parseChapters(*text);
    if (!chapters) {
        Error error = chapters.error();
        error.where = file.string();
        return fail(error);
    }
    return chapters;
}

}  // namespace shardlab::launch
