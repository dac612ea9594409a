// SPDX-License-Identifier: Apache-2.0
// Names in the text of a lesson, and what they stand for; for those who read lessons.
#pragma once

#include "engine/launch/lesson/lesson.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shardlab::launch {

/// Names of experiments, questions and steps: a–z, 0–9, - and _.
bool isName(std::string_view text);
/// What an error quotes of a line.
std::string excerpt(std::string_view text);

/// A figure as it stands in the text; its experiment may come below it.
struct FigureToken {
    int line = 0;
    std::string text;  ///< between the braces
};

class LessonReferences {
public:
    /// `lesson` may grow while this is used.
    explicit LessonReferences(const Lesson& lesson) : lesson_(lesson) {}

    Sentence where(int line) const { return say("{}, line {}", lesson_.name, line); }
    std::optional<std::size_t> find(std::string_view experiment) const;
    const LessonExperiment& experiment(std::size_t index) const { return lesson_.experiments[index]; }
    Error unknown(const Sentence& what, int line, const std::string& experiment) const;
    Result<const LessonFigure*> figureNamed(std::string_view name, int line) const;
    Result<LessonFigurePlace> figure(const FigureToken& token) const;
    /// "bubble" or "bubble.theory": a figure that a plan tells, of no experiment.
    Result<WhatIfFigure> predicted(std::string_view text, int line) const;
    /// Tells plain text and {{figures}} of a line apart, in their order. Error: a figure has no end.
    Status scan(std::string_view line, int number, const std::function<void(std::string_view)>& plain,
                const std::function<void(FigureToken)>& token) const;

private:
    Result<LessonFigurePlace> withOrigin(LessonFigurePlace place, std::string_view origin,
                                         const FigureToken& token) const;

    const Lesson& lesson_;
};

}  // namespace shardlab::launch
