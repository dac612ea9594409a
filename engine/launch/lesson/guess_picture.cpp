// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/guess_picture.h"

#include <algorithm>
#include <cmath>

namespace shardlab::launch {
namespace {

constexpr int width = 520, labels = 128, values = 84, rowHeight = 24, barHeight = 14, top = 6, foot = 24, fontSize = 13,
              mark = 74,             ///< "your guess" behind a value
    besideBar = 6, valueLetter = 8;  ///< of a value: distance, and room for each letter

struct Row {
    std::size_t experiment = 0;
    std::string label;
    double value = 0;
    bool asked = false;   ///< the question is about it
    bool chosen = false;  ///< the reader chose it
};

std::vector<Row> rowsOf(const Lesson& lesson, const LessonQuestion& question, std::span<const KnownExperiment> known,
                        std::optional<double> guess, const LessonReader& reader) {
    std::vector<Row> rows;
    if (question.isRatio()) {
        const auto ratio = measuredAnswer(question, known);
        if (ratio && std::isfinite(*ratio))
            rows.push_back({0,
                            lesson.experiments[question.experiments[0]].name + " ÷ " +
                                lesson.experiments[question.experiments[1]].name,
                            *ratio, true, false});
        return rows;
    }
    const auto isChosen = [&](std::size_t experiment) {
        return guess && question.hasExperimentsAsChoices() &&
               question.experiments[static_cast<std::size_t>(*guess)] == experiment;
    };
    for (std::size_t index = 0; index < lesson.experiments.size(); ++index) {
        const auto value = figureValue(*question.figure, FigureOrigin::Measured, known[index]);
        if (!value || !std::isfinite(*value)) continue;
        const bool asked = std::ranges::find(question.experiments, index) != question.experiments.end();
        const bool tellable =
            !question.hasExperimentsAsChoices() && !keptBack(lesson.questions, reader, *question.figure, index);
        if (asked || tellable) rows.push_back({index, lesson.experiments[index].name, *value, asked, isChosen(index)});
    }
    return std::ranges::any_of(rows, &Row::asked) ? rows : std::vector<Row>();
}

/// What the guess covers of the axis; a slider's is one value.
struct Span {
    double from = 0, to = 0;
};

Span spanOf(const LessonQuestion& question, double guess) {
    if (question.kind == QuestionKind::Slider) return {guess, guess};
    const auto index = static_cast<std::size_t>(guess);
    return {index == 0 ? 0 : question.choices[index - 1].upTo, question.choices[index].upTo};
}

/// Draws rows, of which there are some, and the guess below or behind them.
class GuessDrawing {
public:
    using Anchor = SvgSheet::Anchor;
    GuessDrawing(const LessonQuestion& question, const std::vector<Row>& rows, std::optional<double> guess,
                 const PictureInk& ink, const Tell& tell)
        : question_(question), rows_(rows), guess_(guess), ink_(ink), tell_(tell),
          onAxis_(guess && !question.hasExperimentsAsChoices()),
          room_(width - labels - values - (question.hasExperimentsAsChoices() ? mark : 0)), most_(mostOf()),
          bottom_(top + rowHeight * static_cast<int>(rows.size())) {}

    LessonPicture made() {
        std::string words;
        if (onAxis_ && question_.kind == QuestionKind::Ranges) range();
        for (std::size_t index = 0; index < rows_.size(); ++index) {
            row(rows_[index], top + rowHeight * static_cast<int>(index));
            words += (index == 0 ? "" : ", ") + rows_[index].label + " " + question_.valueText(rows_[index].value);
        }
        if (onAxis_) guessBelow();
        if (guess_) words = tell_(say("{}; guessed {}", words, question_.guessText(*guess_)));
        LessonPicture picture = std::move(sheet_).finish(bottom_ + (onAxis_ ? foot : top));
        picture.words = std::move(words);
        return picture;
    }

private:
    /// The value at the end of the axis.
    double mostOf() const {
        double most = question_.kind == QuestionKind::Slider ? question_.to : 0;
        for (const Row& row : rows_) most = std::max(most, row.value);
        for (const QuestionChoice& choice : question_.choices)
            if (std::isfinite(choice.upTo)) most = std::max(most, choice.upTo * 1.15);
        return most > 0 ? most : 1;
    }
    double x(double value) const { return labels + room_ * std::clamp(value / most_, 0.0, 1.0); }

    /// Where a value is written: behind its bar, and behind the line of a guess that would cross it.
    double behind(double value, const std::string& written) const {
        const double at = x(value) + besideBar;
        if (!onAxis_ || question_.kind != QuestionKind::Slider) return at;
        const double line = x(*guess_), end = at + valueLetter * static_cast<double>(written.size());
        return line > at - besideBar && line < end ? line + besideBar : at;
    }

    /// The range that was guessed, behind the rows.
    void range() {
        const Span span = spanOf(question_, *guess_);
        sheet_.rect(x(span.from), top - 3, std::max(2.0, x(span.to) - x(span.from)), bottom_ - top + 6, ink_.guess,
                    " fill-opacity=\"0.22\"");
    }

    void row(const Row& row, int y) {
        const std::string& letters = row.asked ? ink_.text : ink_.dim;
        sheet_.write(labels - 8, y + 16, Anchor::End, letters, row.label);
        sheet_.rect(labels, y + (rowHeight - barHeight) / 2, std::max(1.0, x(row.value) - labels), barHeight,
                    row.asked ? ink_.bar : ink_.other, " rx=\"2\"");
        const std::string value = question_.valueText(row.value);
        sheet_.write(behind(row.value, value), y + 16, Anchor::Start, letters, value);
        if (row.chosen) sheet_.write(width - 2, y + 16, Anchor::End, ink_.guess, tell_(say("your guess")));
    }

    void guessBelow() {
        const Span span = spanOf(question_, *guess_);
        const bool slider = question_.kind == QuestionKind::Slider;
        const double middle = (x(span.from) + x(span.to)) / 2;
        if (slider)
            sheet_.line(middle, top - 3, middle, bottom_ + 3, ink_.guess,
                        " stroke-width=\"2\" stroke-dasharray=\"4 3\"");
        const std::string text = tell_(slider ? say("your guess {}", question_.guessText(*guess_)) : say("your guess"));
        const Anchor anchor = middle > width - 110 ? Anchor::End : middle < 110 ? Anchor::Start : Anchor::Middle;
        sheet_.write(middle, bottom_ + 18, anchor, ink_.guess, text);
    }

    const LessonQuestion& question_;
    const std::vector<Row>& rows_;
    const std::optional<double> guess_;
    const PictureInk& ink_;
    const Tell& tell_;
    const bool onAxis_;  ///< the guess is a value, or a range of them
    const double room_;  ///< pixels of the axis
    const double most_;
    const int bottom_;
    SvgSheet sheet_{ink_, width, fontSize};
};

}  // namespace

std::optional<LessonPicture> guessPicture(const Lesson& lesson, const LessonQuestion& question,
                                          std::span<const KnownExperiment> known, const LessonReader& reader,
                                          const PictureInk& ink, const Tell& tell) {
    const auto found = reader.guesses.find(question.name);
    const auto guess = found == reader.guesses.end() ? std::nullopt : std::optional(found->second);
    const std::vector<Row> rows = rowsOf(lesson, question, known, guess, reader);
    if (rows.empty()) return std::nullopt;
    return GuessDrawing(question, rows, guess, ink, tell).made();
}

}  // namespace shardlab::launch
