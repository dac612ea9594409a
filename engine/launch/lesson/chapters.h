// SPDX-License-Identifier: Apache-2.0
// The order in which lessons are best read: chapters of lessons (resources/lessons/chapters.json).
#pragma once

#include "engine/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlab::launch {

struct LessonChapter {
    std::string title;                 ///< "Pipelines"
    std::vector<std::string> lessons;  ///< names, in the order of reading
    bool operator==(const LessonChapter&) const = default;
};

/// Errors: the text is no JSON, no list of chapters, a chapter without a title or without lessons, or a lesson that
/// stands in two places.
Result<std::vector<LessonChapter>> parseChapters(std::string_view json);
/// The chapters that come with Shardlab.
Result<std::vector<LessonChapter>> lessonChapters();

}  // namespace shardlab::launch
