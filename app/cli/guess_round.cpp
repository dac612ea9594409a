// SPDX-License-Identifier: Apache-2.0
#include "app/cli/guess_round.h"

#include "app/cli/print.h"
#include "engine/launch/lesson/lesson_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <optional>
#include <poll.h>
#include <unistd.h>

namespace shardlab::cli {
namespace {

/// A line from the terminal; none: Ctrl+C. Where the terminal ends, an empty one.
std::optional<std::string> readLine(const JobSignals& signals) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (::poll(&input, 1, 0) <= 0)
        if (signals.next() != 0) return std::nullopt;
    std::string line;
    std::getline(std::cin, line);
    return line;
}

std::string howToAnswer(const LessonQuestion& question) {
    if (question.kind == QuestionKind::Slider)
        return fmt::format("    {} to {}, or Enter to pass over it:", question.valueText(question.from),
                           question.valueText(question.to));
    std::string text;
    for (std::size_t index = 0; index < question.choices.size(); ++index)
        text += fmt::format("    {}  {}\n", index + 1, question.choices[index].text);
    return text + "    its number, or Enter to pass over it:";
}

}  // namespace

bool GuessRound::askBefore(std::size_t experiment, std::span<const std::size_t> chosen, const JobSignals& signals) {
    if (!asks_) return true;
    for (const LessonQuestion& question : lesson_.questions) {
        const bool toldByIt = std::ranges::find(question.experiments, experiment) != question.experiments.end();
        const bool willBeTold = std::ranges::all_of(
            question.experiments, [&](std::size_t one) { return std::ranges::find(chosen, one) != chosen.end(); });
        if (toldByIt && willBeTold && reader_.isOpen(question) && !ask(question, signals)) return false;
    }
    return true;
}

bool GuessRound::ask(const LessonQuestion& question, const JobSignals& signals) {
    printNote("\n  ? " + withoutShowLinks(question.text) + "\n" + howToAnswer(question));
    while (true) {
        const auto line = readLine(signals);
        if (!line) return false;
        if (line->find_first_not_of(" \t\r") == std::string::npos) {
            reader_.passed.insert(question.name);
            asks_ = asks_ && !std::cin.eof();
            return true;
        }
        const auto guess = readGuess(question, *line);
        if (guess) {
            reader_.guesses[question.name] = *guess;
            return true;
        }
        printNote("    " + told(guess.error().told()));
    }
}

void GuessRound::tellVerdicts(std::span<const KnownExperiment> known) {
    for (const LessonQuestion& question : lesson_.questions) {
        const auto guess = reader_.guesses.find(question.name);
        const auto answer = measuredAnswer(question, known);
        if (guess == reader_.guesses.end() || !answer || !told_.insert(question.name).second) continue;
        printNote("  " + told(verdict(question, guess->second, *answer)));
    }
}

}  // namespace shardlab::cli
