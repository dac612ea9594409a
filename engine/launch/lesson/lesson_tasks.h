// SPDX-License-Identifier: Apache-2.0
// Questions and steps as a lesson's text has them, read (lesson.h says how they are written).
#pragma once

#include "engine/launch/lesson/lesson_references.h"

#include <string>
#include <string_view>

namespace shardlab::launch {

/// The text of a question or a step.
struct LessonTask {
    static constexpr std::string_view question = "```question", step = "```step";

    int line = 0;      ///< of its head
    std::string head;  ///< behind the word: "idle: What share of a step …?"
    std::string body;  ///< the lines up to the closing fence
};

/// Errors name the line. All experiments of the lesson are known.
Result<LessonQuestion> readQuestion(const LessonReferences& references, const LessonTask& task);
Result<LessonStep> readStep(const LessonReferences& references, const LessonTask& task);

}  // namespace shardlab::launch
