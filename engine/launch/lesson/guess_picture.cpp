// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/guess_picture.h"

#include "engine/launch/lesson/markdown_html.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardlab::launch {
namespace {

constexpr int width = 520, labels = 128, values = 84, rowHeight = 24, barHeight = 14, top = 6, foot = 24, fontSize = 13,
              mark = 74;  ///< "your guess" behind a value

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

}  // namespace

std::optional<GuessPicture> guessPicture(const Lesson& lesson, const LessonQuestion& question,
                                         std::span<const KnownExperiment> known, const LessonReader& reader,
                                         const PictureInk& ink, const Tell& tell) {
    const auto found = reader.guesses.find(question.name);
    const auto guess = found == reader.guesses.end() ? std::nullopt : std::optional(found->second);
    const std::vector<Row> rows = rowsOf(lesson, question, known, guess, reader);
    if (rows.empty()) return std::nullopt;
    double most = question.kind == QuestionKind::Slider ? question.to : 0;
    for (const Row& row : rows) most = std::max(most, row.value);
    for (const QuestionChoice& choice : question.choices)
        if (std::isfinite(choice.upTo)) most = std::max(most, choice.upTo * 1.15);
    if (!(most > 0)) most = 1;
    const double room = width - labels - values - (question.hasExperimentsAsChoices() ? mark : 0);
    const auto x = [&](double value) { return labels + room * std::clamp(value / most, 0.0, 1.0); };
    const bool onAxis = guess && !question.hasExperimentsAsChoices();
    const int bottom = top + rowHeight * static_cast<int>(rows.size());
    GuessPicture picture{{}, width, bottom + (onAxis ? foot : top), {}};

    std::string& svg = picture.svg;
    svg = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                      "font-family=\"{2}\" font-size=\"{3}\">\n",
                      width, picture.height, escapedMarkup(ink.font), fontSize);
    const auto write = [&](double at, int y, const char* anchor, const std::string& colour, const std::string& text) {
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", at, y, anchor,
                           colour, escapedMarkup(text));
    };
    if (onAxis && question.kind == QuestionKind::Ranges) {
        const Span span = spanOf(question, *guess);
        svg +=
            fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\" "
                        "fill-opacity=\"0.22\"/>\n",
                        x(span.from), top - 3, std::max(2.0, x(span.to) - x(span.from)), bottom - top + 6, ink.guess);
    }
    for (std::size_t index = 0; index < rows.size(); ++index) {
        const Row& row = rows[index];
        const int y = top + rowHeight * static_cast<int>(index);
        const std::string value = question.valueText(row.value);
        const std::string& letters = row.asked ? ink.text : ink.dim;
        write(labels - 8, y + 16, "end", letters, row.label);
        svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\" fill=\"{}\"/>\n", labels,
                           y + (rowHeight - barHeight) / 2, std::max(1.0, x(row.value) - labels), barHeight,
                           row.asked ? ink.bar : ink.other);
        write(x(row.value) + 6, y + 16, "start", letters, value);
        if (row.chosen) write(width - 2, y + 16, "end", ink.guess, tell(say("your guess")));
        picture.words += (index == 0 ? "" : ", ") + row.label + " " + value;
    }
    if (onAxis) {
        const Span span = spanOf(question, *guess);
        const bool slider = question.kind == QuestionKind::Slider;
        const double middle = (x(span.from) + x(span.to)) / 2;
        if (slider)
            svg += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"{3}\" "
                               "stroke-width=\"2\" stroke-dasharray=\"4 3\"/>\n",
                               middle, top - 3, bottom + 3, ink.guess);
        const std::string text = tell(slider ? say("your guess {}", question.guessText(*guess)) : say("your guess"));
        const char* anchor = middle > width - 110 ? "end" : middle < 110 ? "start" : "middle";
        write(middle, bottom + 18, anchor, ink.guess, text);
    }
    if (guess) picture.words = tell(say("{}; guessed {}", picture.words, question.guessText(*guess)));
    svg += "</svg>\n";
    return picture;
}

}  // namespace shardlab::launch
