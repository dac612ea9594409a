// SPDX-License-Identifier: Apache-2.0
// Questions, steps and what-ifs as a lesson's text has them, read (lesson.h says how they are written).
#pragma once

#include "engine/launch/lesson/lesson_references.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shardlab::launch {

/// The text of a question, a step or a "what if".
struct LessonTask {
    static constexpr std::string_view question = "```question", step = "```step", whatIf = "```what-if";

    int line = 0;      ///< of its head
    std::string head;  ///< behind the word: "idle: What share of a step …?"
    std::string body;  ///< the lines up to the closing fence
};

/// Errors name the line. All experiments of the lesson are known.
Result<LessonQuestion> readQuestion(const LessonReferences& references, const LessonTask& task);
Result<LessonStep> readStep(const LessonReferences& references, const LessonTask& task);

struct LessonLayout {
    Layout layout;
    bool namesHosts = false;
};
/// Reads the layout that differs by `json` from the experiment's, or from the default one. Errors name the line.
using LayoutReader =
    std::function<Result<LessonLayout>(std::optional<std::size_t> like, const std::string& json, int line)>;
Result<LessonWhatIf> readWhatIf(const LessonReferences& references, const LessonTask& task,
                                const LayoutReader& readLayout);

}  // namespace shardlab::launch
