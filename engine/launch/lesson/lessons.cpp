// SPDX-License-Identifier: Apache-2.0
#include "engine/base/pages.h"
#include "engine/base/resources.h"
#include "engine/launch/lesson/chapters.h"
#include "engine/launch/lesson/lesson.h"
#include "engine/layout/suggest.h"

#include <algorithm>

namespace shardlab::launch {
namespace {

/// Lessons of no chapter stand behind the others.
void orderByChapter(std::vector<Lesson>& lessons) {
    const auto chapters = lessonChapters();
    if (!chapters) return;  // the home page says why
    std::vector<std::string> order;
    for (const LessonChapter& chapter : *chapters)
        order.insert(order.end(), chapter.lessons.begin(), chapter.lessons.end());
    std::ranges::stable_sort(lessons, {}, [&](const Lesson& lesson) { return std::ranges::find(order, lesson.name); });
}

}  // namespace

Result<std::vector<Lesson>> lessons() {
    const auto pages = readPages(resourcesFolder() / "lessons");
    if (!pages) return fail(pages.error());
    std::vector<Lesson> all;
    for (const Page& page : *pages) {
        auto lesson = parseLesson(page.text, page.name);
        if (!lesson) return fail(lesson.error());
        all.push_back(std::move(*lesson));
    }
    orderByChapter(all);
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
    return fail({say("there is no such lesson"), std::string(name), "",
                 names.empty() ? say("there are none") : legalWords(name, names)});
}

}  // namespace shardlab::launch
