// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/lesson_text.h"

#include "engine/launch/lesson/lesson_pace.h"

namespace shardlab::launch {

std::string lessonText(const Lesson& lesson, std::span<const KnownExperiment> known,
                       const ExperimentText& experimentText) {
    std::string text;
    for (const LessonPiece& piece : lesson.pieces) {
        if (const auto* plain = std::get_if<std::string>(&piece)) text += *plain;
        else if (const auto* figure = std::get_if<LessonFigurePlace>(&piece))
            text += figureText(*figure->figure, figure->origin, known[figure->experiment]);
        else {
            const std::size_t experiment = std::get<LessonExperimentPlace>(piece).experiment;
            text += experimentText(experiment);
            // Once, before anything runs.
            if (const std::string remark = paceRemark(lesson); experiment == 0 && !remark.empty())
                text += "\n*" + remark + "*\n";
        }
    }
    return text;
}

std::string changeText(const LessonExperiment& experiment) {
    std::string line;
    for (const char letter : experiment.json) {
        const bool space = letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
        if (!space) line += letter;
        else if (!line.empty() && line.back() != ' ') line += ' ';
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}

}  // namespace shardlab::launch
