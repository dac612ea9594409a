// SPDX-License-Identifier: Apache-2.0
// A lesson: a Markdown file that explains one idea, with experiments that run for real and figures that they fill in.
//
//     # Title                                          the first line
//     ```experiment NAME [like OTHER][: what it shows]
//     {"schedule": {"kind": "gpipe"}}                  a layout: what differs from the default one, or from OTHER's
//     ```
//     … is {{NAME.bubble}}, predicted {{NAME.bubble.predicted}}, in theory {{NAME.bubble.theory}}.
//
// Where no hosts are named, this machine has as many devices as the layout asks for. Other fences are plain text, in
// which nothing is replaced. Which figures there are: lesson_figures.h.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"
#include "engine/launch/lesson/lesson_figures.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardlab::launch {

struct LessonExperiment {
    std::string name;   ///< "gpipe"
    std::string title;  ///< "all forwards, then all backwards"; empty: none was written
    std::string like;   ///< the experiment that it differs from; empty: the default layout
    std::string json;   ///< what differs, as written
    Layout layout;  ///< legal, and of this machine; bears the lesson's and the experiment's names where the file gives
                    ///< none
};

/// A figure in the text.
struct LessonFigurePlace {
    std::size_t experiment = 0;  ///< index
    FigureOrigin origin = FigureOrigin::Measured;
    const LessonFigure* figure = nullptr;
};
/// An experiment in the text.
struct LessonExperimentPlace {
    std::size_t experiment = 0;
};
using LessonPiece = std::variant<std::string, LessonFigurePlace, LessonExperimentPlace>;

struct Lesson {
    std::string name;   ///< "bubble"
    std::string title;  ///< "The pipeline bubble"
    std::vector<LessonExperiment> experiments;
    std::vector<LessonPiece> pieces;
    /// The one factor by which its paced experiments are slowed; none: paceTogether() gave them none (lesson_pace.h).
    std::optional<double> stretch = {};
};

/// Errors name the line: no title, a fence without an end, a damaged or illegal layout, two experiments of one name,
/// a figure of an experiment that there is not, or one that there is not.
Result<Lesson> parseLesson(std::string_view markdown, std::string_view name);

/// The lessons of resources/lessons: "10-bubble.md" is the lesson "bubble", and its number says where it stands.
Result<std::vector<Lesson>> lessons();
Result<Lesson> findLesson(std::string_view name);

}  // namespace shardlab::launch
