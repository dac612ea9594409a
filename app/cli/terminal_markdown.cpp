// SPDX-License-Identifier: Apache-2.0
#include "app/cli/terminal_markdown.h"

#include "app/cli/print.h"
#include "engine/base/catalogue.h"
#include "engine/base/language.h"
#include "engine/launch/lesson/lesson_text.h"
#include "engine/launch/lesson/what_if_picture.h"

#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <vector>

namespace shardlab::cli {

namespace {

/// "| a | b |" → {"a", "b"}
std::vector<std::string> cellsOf(const std::string& line) {
    std::vector<std::string> cells;
    std::size_t begin = 1;
    for (std::size_t bar = line.find('|', begin); bar != std::string::npos; bar = line.find('|', begin)) {
        std::string cell = line.substr(begin, bar - begin);
        cell.erase(0, std::min(cell.find_first_not_of(' '), cell.size()));
        cell.erase(cell.find_last_not_of(' ') + 1);
        cells.push_back(std::move(cell));
        begin = bar + 1;
    }
    return cells;
}

/// Each line of it four spaces to the right.
std::string indented(const std::string& text) {
    std::istringstream lines(text);
    std::string result;
    for (std::string line; std::getline(lines, line);) result += "    " + line + "\n";
    return result;
}

std::string experimentText(const Lesson& lesson, const LessonExperiment& experiment, const Catalogue& words) {
    return fmt::format("  ▸ {}{}{}\n    {}\n\n", experiment.name, experiment.title.empty() ? "" : ": ",
                       experiment.title, words.told(differenceWords(lesson, experiment)));
}

std::string questionText(const LessonQuestion& question, std::span<const KnownExperiment> known,
                         const LessonReader& reader) {
    const auto guess = reader.guesses.find(question.name);
    const auto answer = measuredAnswer(question, known);
    std::string text = "  ? " + question.text + "\n";
    if (guess != reader.guesses.end())
        text += answer ? "    " + verdict(question, guess->second, *answer).english() + "\n"
                       : "    You guessed: " + question.guessText(guess->second) + "\n";
    if (answer) text += indented(revealText(question, known));
    return text + "\n";
}

/// Where its sliders start; its table lies between lines of its own, so that it is set as one.
std::string whatIfPage(const LessonWhatIf& whatIf, const Catalogue& words) {
    const Tell tell = [&](const Sentence& sentence) { return words.told(sentence); };
    const WhatIfAnswer answer = WhatIfPlanner(whatIf).answer(whatIf.start());
    return fmt::format("  ↔ {}\n    {}\n\n{}\n{}\n", whatIf.text, words.told(positionWords(whatIf, answer.position)),
                       whatIfText(whatIf, answer, tell), whatIfTableText(whatIf, answer, tell));
}

bool isRule(const std::string& line) { return line.find_first_not_of("|-: ") == std::string::npos; }

}  // namespace

std::string terminalMarkdown(const std::string& markdown) {
    std::istringstream lines(markdown);
    std::string result;
    std::optional<Table> table;
    std::size_t columns = 0;
    const auto close = [&] {
        if (table) result += table->text(2);
        table.reset();
    };
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('|')) {
            close();
            result += line + "\n";
        } else if (!isRule(line)) {
            std::vector<std::string> cells = cellsOf(line);
            if (!table) columns = cells.size();
            cells.resize(columns);
            table ? table->add(std::move(cells)) : static_cast<void>(table.emplace(std::move(cells)));
        }
    }
    close();
    return result;
}

std::string lessonPage(const Lesson& lesson, std::span<const KnownExperiment> known, const LessonReader& reader) {
    const LessonReader shown = allPassed(lesson, reader);
    const Catalogue words = Catalogue::of(language());
    const auto other = [&](const LessonBlock& block) {
        switch (block.kind) {
        case LessonBlock::Kind::Text: break;
        case LessonBlock::Kind::Experiment: return experimentText(lesson, lesson.experiments[block.index], words);
        case LessonBlock::Kind::Question: return questionText(lesson.questions[block.index], known, reader);
        case LessonBlock::Kind::Step: {
            const LessonStep& step = lesson.steps[block.index];
            return fmt::format("  ☐ {}{}\n\n", step.in ? "With " + lesson.experiments[*step.in].name + ": " : "",
                               step.text);
        }
        case LessonBlock::Kind::WhatIf: return whatIfPage(lesson.whatIfs[block.index], words);
        }
        return std::string();
    };
    return terminalMarkdown(withoutShowLinks(lessonText(lesson, known, other, &shown)));
}

}  // namespace shardlab::cli
