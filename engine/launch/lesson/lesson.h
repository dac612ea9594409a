// SPDX-License-Identifier: Apache-2.0
// A lesson: a Markdown file that explains one idea, with experiments that run for real and figures that they fill in.
//
//     # Title                                          the first line
//     ```experiment NAME [like OTHER][: what it shows]
//     {"schedule": {"kind": "gpipe"}}                  a layout: what differs from the default one, or from OTHER's
//     ```
//     … is {{NAME.bubble}}, predicted {{NAME.bubble.predicted}}, in theory {{NAME.bubble.theory}}.
//
// Before an experiment a reader is asked to guess (lesson_question.h), after it to do something (lesson_step.h):
//
//     ```question NAME: What is asked?
//     figure: gpipe.bubble                             one of an experiment, or two as GPIPE.bubble / NAIVE.bubble
//     slider: 0 % to 100 %                             or choices, the last one without a bound:
//     choice up to 30 %: hardly at all                     choice: nearly always
//     show: timeline                                   left out, or a view that is brought into sight at the answer
//     reveal: what is said once it is measured, {{gpipe.bubble}}
//     ```
//     ```question NAME: Which of them …?
//     least: bubble of naive, gpipe                    or most; one of these experiments is guessed
//     reveal: …
//     ```
//     ```step NAME in EXPERIMENT: Set [micro](show:/batch/micro) to 1.
//     when: /batch/micro = 1                           also != < <= > >=, fault /POINTER, or ran EXPERIMENT
//     then: what is said once it is done
//     ```
//
// What happens to a layout as a field of it changes, the planner says without a run (what_if.h).
//
// [text](show:timeline) names a view, and [text](show:/batch/micro) a field of Design, that the desktop brings into
// sight. Where no hosts are named, this machine has as many devices as the layout asks for. Other fences are plain
// text, in which nothing is replaced. Which figures there are: lesson_figures.h.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"
#include "engine/launch/lesson/lesson_figures.h"
#include "engine/launch/lesson/lesson_question.h"
#include "engine/launch/lesson/lesson_step.h"
#include "engine/launch/lesson/what_if.h"

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

/// An experiment in the text.
struct LessonExperimentPlace {
    std::size_t experiment = 0;
};
struct LessonQuestionPlace {
    std::size_t question = 0;
};
struct LessonStepPlace {
    std::size_t step = 0;
};
struct LessonWhatIfPlace {
    std::size_t whatIf = 0;
};
using LessonPiece = std::variant<std::string, LessonFigurePlace, LessonExperimentPlace, LessonQuestionPlace,
                                 LessonStepPlace, LessonWhatIfPlace>;

struct Lesson {
    std::string name;   ///< "bubble"
    std::string title;  ///< "The pipeline bubble"
    std::vector<LessonExperiment> experiments;
    std::vector<LessonQuestion> questions;
    std::vector<LessonStep> steps;
    std::vector<LessonWhatIf> whatIfs;
    std::vector<LessonPiece> pieces;
    /// The one factor by which its paced experiments are slowed; none: paceTogether() gave them none (lesson_pace.h).
    std::optional<double> stretch = {};
};

/// Errors name the line: no title, a fence without an end, a damaged or illegal layout, two experiments of one name,
/// a figure of an experiment that there is not, or one that there is not; a question that no run could answer, a step
/// that no layout could fulfil, a "what if" that begins with an illegal layout.
Result<Lesson> parseLesson(std::string_view markdown, std::string_view name);

/// The lessons of resources/lessons in the order of their chapters (chapters.h): "10-bubble.md" is the lesson "bubble".
Result<std::vector<Lesson>> lessons();
Result<Lesson> findLesson(std::string_view name);

}  // namespace shardlab::launch
