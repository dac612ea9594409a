// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/lesson_question.h"

#include "engine/base/parse_text.h"
#include "engine/base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace shardlab::launch {
namespace {

/// A guess this near, as a share of the slider, is called right.
constexpr double nearEnough = 0.03;

struct Unit {
    std::string_view name;
    double worth;
};
constexpr std::array shares{Unit{"%", 0.01}};
constexpr std::array seconds{Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"µs", 1e-6}, Unit{"us", 1e-6}};
constexpr std::array plain{Unit{"", 1}};

std::optional<double> readNumber(std::string_view text, std::span<const Unit> units) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc()) return std::nullopt;
    const std::string_view name = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    const auto unit = std::ranges::find(units, name, &Unit::name);
    if (unit == units.end() || !std::isfinite(number)) return std::nullopt;
    return number * unit->worth;
}

std::string numbered(const LessonQuestion& question) {
    return question.choices.size() == 2 ? "1 or 2" : fmt::format("1 to {}", question.choices.size());
}

/// "12.9 points", "1.2 ms", as a distance between two values.
Sentence distanceText(const LessonQuestion& question, double distance) {
    if (question.figure->unit == FigureUnit::Share && !question.isRatio()) return say("{:.1f} points", distance * 100);
    return question.valueText(distance);
}

}  // namespace

bool LessonQuestion::isAbout(std::size_t experiment) const {
    if (isRatio()) return experiments.front() == experiment;
    return std::ranges::find(experiments, experiment) != experiments.end();
}

bool keptBack(std::span<const LessonQuestion> questions, const LessonReader& reader, const LessonFigure& figure,
              std::size_t experiment) {
    return std::ranges::any_of(questions, [&](const LessonQuestion& question) {
        return question.figure == &figure && question.isAbout(experiment) && reader.isOpen(question);
    });
}

std::string LessonQuestion::valueText(double value) const {
    if (isRatio()) return std::isfinite(value) ? fmt::format("{:.2f} ×", value) : "not a number";
    return figure->text(value);
}

std::string LessonQuestion::guessText(double guess) const {
    if (kind == QuestionKind::Slider) return valueText(guess);
    return choices[static_cast<std::size_t>(guess)].text;
}

std::optional<double> measuredAnswer(const LessonQuestion& question, std::span<const KnownExperiment> known) {
    std::vector<double> values;
    for (const std::size_t experiment : question.experiments) {
        const auto value = figureValue(*question.figure, FigureOrigin::Measured, known[experiment]);
        if (!value || std::isnan(*value)) return std::nullopt;
        values.push_back(*value);
    }
    if (question.hasExperimentsAsChoices()) {
        const auto found =
            question.kind == QuestionKind::Least ? std::ranges::min_element(values) : std::ranges::max_element(values);
        return static_cast<double>(found - values.begin());
    }
    if (!question.isRatio()) return values.front();
    if (values.back() == 0) return std::nullopt;
    return values.front() / values.back();
}

std::size_t rightChoice(const LessonQuestion& question, double answer) {
    if (question.hasExperimentsAsChoices()) return static_cast<std::size_t>(answer);
    const auto found =
        std::ranges::find_if(question.choices, [&](const QuestionChoice& choice) { return answer <= choice.upTo; });
    return static_cast<std::size_t>(std::min(found, question.choices.end() - 1) - question.choices.begin());
}

std::vector<std::size_t> unmeasured(const LessonQuestion& question, std::span<const KnownExperiment> known) {
    std::vector<std::size_t> missing;
    for (const std::size_t experiment : question.experiments)
        if (!known[experiment].measured && std::ranges::find(missing, experiment) == missing.end())
            missing.push_back(experiment);
    return missing;
}

Sentence verdict(const LessonQuestion& question, double guess, double answer) {
    if (question.kind == QuestionKind::Slider) {
        const double off = guess - answer;
        const std::string guessed = question.guessText(guess), measured = question.valueText(answer);
        const Sentence distance = distanceText(question, std::abs(off));
        if (std::abs(off) <= nearEnough * (question.to - question.from))
            return say("You guessed {}, measured: {}. That is near enough.", guessed, measured);
        return off < 0 ? say("You guessed {}, measured: {}. That is {} too low.", guessed, measured, distance)
                       : say("You guessed {}, measured: {}. That is {} too high.", guessed, measured, distance);
    }
    const std::size_t right = rightChoice(question, answer);
    const std::string& choice = question.choices[right].text;
    const Sentence said = static_cast<std::size_t>(guess) == right
                              ? say("You guessed right: {}.", choice)
                              : say("You guessed: {}. The run says: {}.", question.guessText(guess), choice);
    return question.hasExperimentsAsChoices() ? said : say("{} Measured: {}.", said, question.valueText(answer));
}

std::string revealText(const LessonQuestion& question, std::span<const KnownExperiment> known) {
    std::string text;
    for (const auto& piece : question.reveal) {
        if (const auto* words = std::get_if<std::string>(&piece)) {
            text += *words;
        } else {
            const auto& place = std::get<LessonFigurePlace>(piece);
            text += figureText(*place.figure, place.origin, known[place.experiment]).english();
        }
    }
    return text;
}

std::optional<double> readValue(const LessonQuestion& question, std::string_view text) {
    text = trimmed(text);
    if (question.isRatio()) return readNumber(text, plain);
    switch (question.figure->unit) {
    case FigureUnit::Share: return readNumber(text, shares);
    case FigureUnit::Seconds: return readNumber(text, seconds);
    case FigureUnit::Size: {
        const auto bytes = readBytes(text);
        return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
    }
    case FigureUnit::Count:
    case FigureUnit::Parameters:
    case FigureUnit::Loss:
    case FigureUnit::Mean: break;
    }
    return readNumber(text, plain);
}

std::string valueExample(const LessonQuestion& question) {
    if (question.isRatio()) return "0.5";
    switch (question.figure->unit) {
    case FigureUnit::Share: return "30 %";
    case FigureUnit::Seconds: return "1.5 ms";
    case FigureUnit::Size: return "1.5 MiB";
    case FigureUnit::Count:
    case FigureUnit::Parameters:
    case FigureUnit::Loss:
    case FigureUnit::Mean: break;
    }
    return "12";
}

Result<double> readGuess(const LessonQuestion& question, std::string_view text) {
    text = trimmed(text);
    const Error wrong{say("this is no guess"), std::string(text.substr(0, 80)), {}, {}};
    if (question.kind == QuestionKind::Slider) {
        auto value = readValue(question, text);
        // A bare number is meant in percent where shares are asked for.
        if (!value && question.figure->unit == FigureUnit::Share) value = readValue(question, std::string(text) + "%");
        if (value && isGuess(question, *value)) return *value;
        Error error = wrong;
        error.legal = say("{} to {}", question.valueText(question.from), question.valueText(question.to));
        return fail(std::move(error));
    }
    if (const auto number = parseNumber<std::size_t>(text);
        number && *number >= 1 && *number <= question.choices.size())
        return static_cast<double>(*number - 1);
    Error error = wrong;
    error.legal = numbered(question);
    return fail(std::move(error));
}

bool isGuess(const LessonQuestion& question, double guess) {
    if (question.kind == QuestionKind::Slider) return guess >= question.from && guess <= question.to;
    return guess >= 0 && guess < static_cast<double>(question.choices.size()) && guess == std::floor(guess);
}

}  // namespace shardlab::launch
