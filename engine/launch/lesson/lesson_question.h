// SPDX-License-Identifier: Apache-2.0
// What a reader guesses before an experiment runs, and how near that is to what the run measures. Nobody types an
// answer in: it is read from the figures of runs.
#pragma once

#include "engine/base/result.h"
#include "engine/launch/lesson/lesson_figures.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardlab::launch {

/// Slider: a number between two. Ranges: which range the number lies in. Least, Most: which experiment has the smallest
/// or largest.
enum class QuestionKind : std::uint8_t { Slider, Ranges, Least, Most };

struct QuestionChoice {
    std::string text;
    double upTo = 0;  ///< of Ranges: the largest value that it covers; infinite in the last one
};

struct LessonQuestion {
    std::string name;  ///< "idle"
    std::string text;  ///< Markdown on one line
    QuestionKind kind = QuestionKind::Slider;
    const LessonFigure* figure = nullptr;
    /// The experiments asked about; with Slider and Ranges two mean the first one's figure divided by the second one's.
    std::vector<std::size_t> experiments;
    double from = 0, to = 1;              ///< of a Slider
    std::vector<QuestionChoice> choices;  ///< of Least and Most, the experiments
    std::string show;                     ///< the view that the answer is seen in; empty: none is named
    /// Markdown with figures, said once the answer is there.
    std::vector<std::variant<std::string, LessonFigurePlace>> reveal;

    bool isRatio() const { return !hasExperimentsAsChoices() && experiments.size() == 2; }
    bool hasExperimentsAsChoices() const { return kind == QuestionKind::Least || kind == QuestionKind::Most; }
    /// Whether the figure of this experiment would give the answer away; what a quotient is divided by does not.
    bool isAbout(std::size_t experiment) const;
    /// A value with its unit: "42.9 %", or "0.50 ×" for a ratio.
    std::string valueText(double value) const;
    /// A guess in words: a value, or the text of a choice.
    std::string guessText(double guess) const;
};

/// What a reader has said and done in a lesson. A guess is a value for a Slider, else the index of a choice.
struct LessonReader {
    std::map<std::string, double> guesses;  ///< by question
    std::set<std::string> passed;           ///< questions passed over without a guess
    std::set<std::string> done;             ///< steps
    /// Neither guessed nor passed over.
    bool isOpen(const LessonQuestion& question) const {
        return !guesses.contains(question.name) && !passed.contains(question.name);
    }
    bool operator==(const LessonReader&) const = default;
};

/// Whether this figure of an experiment would give away what an open question asks.
bool keptBack(std::span<const LessonQuestion> questions, const LessonReader& reader, const LessonFigure& figure,
              std::size_t experiment);
/// What the runs say: for a Slider or Ranges the value asked for, for Least and Most the index of the choice. None
/// while an experiment asked about has no run, or its run does not tell.
std::optional<double> measuredAnswer(const LessonQuestion& question, std::span<const KnownExperiment> known);
/// The index of the choice that is right where `answer` was measured.
std::size_t rightChoice(const LessonQuestion& question, double answer);
/// The experiments asked about that have no run yet.
std::vector<std::size_t> unmeasured(const LessonQuestion& question, std::span<const KnownExperiment> known);
/// "You guessed 30.0 %, measured were 42.9 %: 12.9 points too low."
Sentence verdict(const LessonQuestion& question, double guess, double answer);
/// The reveal with its figures.
std::string revealText(const LessonQuestion& question, std::span<const KnownExperiment> known);

/// "30 %", "5 ms", "1.5 MiB" in the figure's unit, or for a ratio a plain number.
std::optional<double> readValue(const LessonQuestion& question, std::string_view text);
/// How a value is written, for an error: "30 %".
std::string valueExample(const LessonQuestion& question);
/// A guess as a person types it: a value within the slider, or the number of a choice, counted from 1.
Result<double> readGuess(const LessonQuestion& question, std::string_view text);
/// Whether a guess that was kept is one of this question still: lessons change.
bool isGuess(const LessonQuestion& question, double guess);

}  // namespace shardlab::launch
