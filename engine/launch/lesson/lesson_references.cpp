// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/lesson_references.h"

#include "engine/base/parse_text.h"
#include "engine/layout/suggest.h"

#include <algorithm>

namespace shardlab::launch {
namespace {

constexpr std::string_view opening = "{{", closing = "}}";

}  // namespace

bool isName(std::string_view text) {
    return !text.empty() && text.size() <= 40 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
}

std::string excerpt(std::string_view text) { return std::string(text.substr(0, 80)); }

std::optional<std::size_t> LessonReferences::find(std::string_view experiment) const {
    const auto found = std::ranges::find(lesson_.experiments, experiment, &LessonExperiment::name);
    if (found == lesson_.experiments.end()) return std::nullopt;
    return static_cast<std::size_t>(found - lesson_.experiments.begin());
}

Error LessonReferences::unknown(const Sentence& what, int line, const std::string& experiment) const {
    std::vector<std::string_view> names;
    for (const LessonExperiment& each : lesson_.experiments) names.push_back(each.name);
    return {what, where(line), excerpt(experiment),
            names.empty() ? say("There is none") : legalWords(experiment, names)};
}

Result<const LessonFigure*> LessonReferences::figureNamed(std::string_view name, int line) const {
    if (const LessonFigure* found = findLessonFigure(name)) return found;
    std::vector<std::string_view> names;
    for (const LessonFigure& figure : lessonFigures()) names.push_back(figure.name);
    return fail({say("there is no such figure"), where(line), excerpt(name), legalWords(name, names)});
}

Result<LessonFigurePlace> LessonReferences::figure(const FigureToken& token) const {
    const std::size_t dot = token.text.find('.');
    if (dot == std::string::npos)
        return fail({say("this is no figure"), where(token.line), excerpt(token.text),
                     "{{EXPERIMENT.FIGURE}}, {{EXPERIMENT.FIGURE.predicted}}"});
    const std::string experiment = token.text.substr(0, dot);
    const std::string_view rest = std::string_view(token.text).substr(dot + 1);
    const std::string_view figureName = rest.substr(0, rest.find('.'));
    const auto index = find(experiment);
    if (!index) return fail(unknown(say("a figure is of no experiment of this lesson"), token.line, experiment));
    const auto figure = figureNamed(figureName, token.line);
    if (!figure) return fail(figure.error());
    const LessonFigurePlace place{*index, (*figure)->plain(), *figure};
    if (figureName.size() == rest.size()) return place;
    return withOrigin(place, rest.substr(figureName.size() + 1), token);
}

Result<WhatIfFigure> LessonReferences::predicted(std::string_view text, int line) const {
    constexpr std::string_view inTheory = ".theory";
    const bool theory = text.ends_with(inTheory);
    const auto named = figureNamed(theory ? text.substr(0, text.size() - inTheory.size()) : text, line);
    if (!named) return fail(named.error());
    const WhatIfFigure place{*named, theory ? FigureOrigin::Theory : FigureOrigin::Predicted};
    if (place.figure->has(place.origin)) return place;
    return fail({say("no plan tells this figure"), where(line), excerpt(text),
                 say("a figure that is predicted: shardlab learn --figures lists them")});
}

Result<LessonFigurePlace> LessonReferences::withOrigin(LessonFigurePlace place, std::string_view origin,
                                                       const FigureToken& token) const {
    std::vector<std::string_view> names;
    for (const FigureOrigin one : {FigureOrigin::Predicted, FigureOrigin::Theory}) {
        if (!place.figure->has(one)) continue;
        names.push_back(launch::name(one));
        if (origin != launch::name(one)) continue;
        place.origin = one;
        return place;
    }
    const Sentence legal = names.empty() ? say("the figure alone, without a word after it") : legalWords(origin, names);
    return fail({say("a figure has no such form"), where(token.line), excerpt(token.text), legal});
}

Status LessonReferences::scan(std::string_view line, int number, const std::function<void(std::string_view)>& plain,
                              const std::function<void(FigureToken)>& token) const {
    for (std::size_t open = line.find(opening); open != std::string_view::npos; open = line.find(opening)) {
        const std::size_t close = line.find(closing, open);
        if (close == std::string_view::npos)
            return fail({say("a figure has no end"), where(number),
                         excerpt(line.substr(open, line.find('\n', open) - open)),
                         say("{} on one line", "{{EXPERIMENT.FIGURE}}")});
        plain(line.substr(0, open));
        token({number, std::string(trimmed(line.substr(open + 2, close - open - 2)))});
        line.remove_prefix(close + closing.size());
    }
    plain(line);
    return {};
}

}  // namespace shardlab::launch
