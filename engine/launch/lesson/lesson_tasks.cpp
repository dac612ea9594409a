// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/lesson_tasks.h"

#include "engine/base/parse_text.h"
#include "engine/layout/fields.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <array>
#include <limits>

namespace shardlab::launch {
namespace {

/// "key: value"; lines that begin with two spaces go on with the value above them.
struct Entry {
    int line = 0;
    std::string key, value;
};

constexpr std::string_view upTo = "choice up to ";

/// The key without what it says itself: "choice up to 30 %" is a choice.
std::string_view kindOf(const Entry& entry) {
    return entry.key.starts_with(upTo) ? std::string_view("choice") : std::string_view(entry.key);
}

class TaskReader {
public:
    TaskReader(const LessonReferences& references, const LessonTask& task) : references_(references), task_(task) {}

    Result<LessonQuestion> question() {
        LessonQuestion question;
        if (const Status head = readHead("question", question.name, question.text); !head) return fail(head.error());
        if (!rest_.empty()) return fail(badHead("question"));
        if (const Status body = readBody({"figure", "slider", "choice", "least", "most", "show", "reveal"}); !body)
            return fail(body.error());
        if (const Status asked = readAsked(question); !asked) return fail(asked.error());
        if (const Entry* show = find("show")) {
            question.show = show->value;
            if (!std::ranges::all_of(question.show, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; }))
                return fail({say("this is no view"), references_.where(show->line), excerpt(show->value),
                             say("the id of a view: timeline")});
        }
        const Entry* reveal = find("reveal");
        if (!reveal)
            return fail(lacks(say("a question has no reveal"), say("{}: what is said once it is measured", "reveal")));
        Status resolved;
        const Status scanned = references_.scan(
            reveal->value, reveal->line,
            [&](std::string_view text) {
                if (!text.empty()) question.reveal.emplace_back(std::string(text));
            },
            [&](const FigureToken& token) {
                const auto place = references_.figure(token);
                if (place) question.reveal.emplace_back(*place);
                else if (resolved) resolved = fail(place.error());
            });
        if (!scanned) return fail(scanned.error());
        if (!resolved) return fail(resolved.error());
        return question;
    }

    Result<LessonStep> step() {
        LessonStep step;
        if (const Status head = readHead("step", step.name, step.text); !head) return fail(head.error());
        if (!rest_.empty()) {
            if (!rest_.starts_with("in ")) return fail(badHead("step"));
            const std::string name(trimmed(std::string_view(rest_).substr(3)));
            step.in = references_.find(name);
            if (!step.in)
                return fail(references_.unknown(say("a step is in no experiment of this lesson"), task_.line, name));
            step.layoutName = references_.experiment(*step.in).layout.name;
        }
        if (const Status body = readBody({"when", "then"}); !body) return fail(body.error());
        for (const Entry& entry : entries_) {
            if (entry.key != "when") continue;
            auto condition = readWhen(entry);
            if (!condition) return fail(condition.error());
            step.conditions.push_back(std::move(*condition));
        }
        if (step.conditions.empty())
            return fail(lacks(say("nothing tells when a step is done"), "when: /batch/micro = 1"));
        if (const Entry* then = find("then")) step.then = then->value;
        return step;
    }

    Result<LessonWhatIf> whatIf(const LayoutReader& readLayout) {
        LessonWhatIf whatIf;
        if (const Status head = readHead("what-if", whatIf.name, whatIf.text); !head) return fail(head.error());
        if (!rest_.empty()) {
            if (!rest_.starts_with("in ")) return fail(badHead("what-if"));
            const std::string name(trimmed(std::string_view(rest_).substr(3)));
            whatIf.in = references_.find(name);
            if (!whatIf.in)
                return fail(references_.unknown(say("a what-if is of no experiment of this lesson"), task_.line, name));
        }
        if (const Status body = readBody({"layout", "slider", "draw", "figure", "formula", "say"}); !body)
            return fail(body.error());
        const Entry* json = find("layout");
        auto layout = readLayout(whatIf.in, json ? json->value : "{}", json ? json->line : task_.line);
        if (!layout) return fail(layout.error());
        whatIf.layout = std::move(layout->layout);
        whatIf.namesHosts = layout->namesHosts;
        if (!whatIf.layout.cluster.pace)
            return fail(lacks(say("a what-if models no devices, so that everybody would see other numbers"),
                              R"(layout: {"cluster": {"pace": {"device": "h100-sxm"}}})"));
        for (const Entry& entry : entries_) {
            if (entry.key != "slider") continue;
            auto slider = readWhatIfSlider(whatIf.layout, entry);
            if (!slider) return fail(slider.error());
            whatIf.sliders.push_back(std::move(*slider));
        }
        if (whatIf.sliders.empty() || whatIf.sliders.size() > 2)
            return fail(lacks(say("a what-if has one slider or two"), "slider: /parallel/pipeline 1, 2, 4, 8"));
        if (const Status shown = readShown(whatIf); !shown) return fail(shown.error());
        return whatIf;
    }

private:
    Status readShown(LessonWhatIf& whatIf) const {
        const Entry* draw = find("draw");
        constexpr std::array<std::string_view, 4> drawings{"timeline", "memory", "step", "curve"};
        const auto drawing = draw ? std::ranges::find(drawings, draw->value) : drawings.end();
        if (drawing == drawings.end())
            return fail({say("a what-if draws nothing"), references_.where(draw ? draw->line : task_.line),
                         excerpt(draw ? draw->value : ""), say("{}: timeline, memory, step or curve", "draw")});
        whatIf.drawing = static_cast<WhatIfDrawing>(drawing - drawings.begin());
        if (const Entry* figure = find("figure")) {
            auto named = references_.predicted(figure->value, figure->line);
            if (!named) return fail(named.error());
            whatIf.figure = named->figure;
        } else if (whatIf.drawing == WhatIfDrawing::Curve) {
            return fail(lacks(say("a curve has no figure"), "figure: bubble"));
        }
        if (const Entry* formula = find("formula")) {
            auto read = LessonFormula::of(formula->value);
            if (!read) {
                Error error = read.error();
                error.where = references_.where(formula->line);
                return fail(std::move(error));
            }
            whatIf.formula = std::move(*read);
        }
        const Entry* said = find("say");
        if (!said) return {};
        Status resolved;
        const Status scanned = references_.scan(
            said->value, said->line,
            [&](std::string_view text) {
                if (!text.empty()) whatIf.said.emplace_back(std::string(text));
            },
            [&](const FigureToken& token) {
                const auto place = references_.predicted(token.text, token.line);
                if (place) whatIf.said.emplace_back(WhatIfFigure{place->figure, place->origin});
                else if (resolved) resolved = fail(place.error());
            });
        return scanned ? resolved : scanned;
    }

    /// "/batch/global 8 to 64 by 8", "/parallel/zero 0, 1, 2, 3", "/memory/recompute"
    Result<WhatIfSlider> readWhatIfSlider(const Layout& layout, const Entry& entry) const {
        constexpr std::size_t mostPlaces = 64;
        const std::string_view text = entry.value;
        const std::size_t space = std::min(text.find(' '), text.size());
        const auto refused = [&](const Sentence& what, const Sentence& legal) {
            return fail({what, references_.where(entry.line), excerpt(entry.value), legal});
        };
        WhatIfSlider slider;
        slider.field = findField(text.substr(0, space));
        if (!slider.field || !isPresent(*slider.field, layout))
            return refused(say("there is no such field of a layout"), say("shardlab help layout-fields lists them"));
        const auto values = valuesOf(*slider.field, trimmed(text.substr(space)));
        if (values.size() < 2 || values.size() > mostPlaces)
            return refused(say("a slider has no places"),
                           say("{}, {} or {}, {} at most", "1, 2, 4, 8", "1 to 8", "8 to 64 by 8", mostPlaces));
        const auto at = [&](const std::string& value) {
            return setField(layout, std::string(slider.field->pointer) + "=" + value);
        };
        std::size_t own = 0;
        for (const std::string& value : values) {
            const auto set = at(value);
            if (!set || !set->faults.empty())
                return refused(say("the field cannot have this value"),
                               set ? sentenceOf(set->faults.front()) : set.error().what);
            if (set->layout != layout) continue;
            slider.start = static_cast<std::size_t>(&value - values.data());
            ++own;
        }
        if (own != 1)
            return refused(say("a slider starts from the layout's own value, which is not among its places"),
                           say("a place for it, once"));
        slider.values = values;
        return slider;
    }

    static std::vector<std::string> valuesOf(const Field& field, std::string_view text) {
        std::vector<std::string> values;
        if (text.empty()) {
            if (const auto* word = std::get_if<WordField>(&field.access))
                for (const std::string_view each : word->words) values.emplace_back(each);
            else if (std::holds_alternative<BooleanField>(field.access)) values = {"false", "true"};
            else if (field.limits.most - field.limits.least < 64)
                return wholeNumbers(field.limits.least, field.limits.most, 1);
            return values;
        }
        const std::vector<std::string_view> words = wordsIn(text);
        const bool range = words.size() >= 3 && words[1] == "to";
        if (range) {
            const auto from = parseNumber<int>(words[0]), to = parseNumber<int>(words[2]);
            const auto by = words.size() == 5 && words[3] == "by" ? parseNumber<int>(words[4])
                                                                  : std::optional(words.size() == 3 ? 1 : 0);
            return from && to && by ? wholeNumbers(*from, *to, *by) : values;
        }
        for (const std::string_view part : splitWords(text)) values.emplace_back(trimmed(part));
        return values;
    }

    /// Some more than a slider may have are as good as all.
    static std::vector<std::string> wholeNumbers(double from, double to, int by) {
        std::vector<std::string> values;
        for (double value = from; by > 0 && value <= to && values.size() < 100; value += by)
            values.push_back(std::to_string(static_cast<std::int64_t>(value)));
        return values;
    }

    Error badHead(const std::string& kind) const {
        if (kind == "what-if")
            return {say("a what-if has no name or no text"), references_.where(task_.line), excerpt(task_.head),
                    say("{}, or {}; a name is of a–z, 0–9, - and _", "```what-if NAME: text",
                        "```what-if NAME in EXPERIMENT: text")};
        const bool step = kind == "step";
        return {step ? say("a step has no name or no text") : say("a question has no name or no text"),
                references_.where(task_.line), excerpt(task_.head),
                step ? say("{}, or {}; a name is of a–z, 0–9, - and _", "```step NAME: text",
                           "```step NAME in EXPERIMENT: text")
                     : say("{}; a name is of a–z, 0–9, - and _", "```question NAME: text")};
    }
    Error lacks(const Sentence& what, const Sentence& legal) const {
        return {what, references_.where(task_.line), {}, legal};
    }

    /// Reads "NAME …: text"; what stands between name and colon stays in rest_.
    Status readHead(const std::string& kind, std::string& name, std::string& text) {
        const std::string_view head = task_.head;
        const std::size_t colon = head.find(':');
        if (colon == std::string_view::npos) return fail(badHead(kind));
        const std::string_view before = trimmed(head.substr(0, colon));
        const std::size_t end = std::min(before.find(' '), before.size());
        name = before.substr(0, end);
        rest_ = trimmed(before.substr(end));
        text = trimmed(head.substr(colon + 1));
        if (!isName(name) || text.empty()) return fail(badHead(kind));
        return {};
    }

    Status readBody(const std::vector<std::string_view>& keys) {
        int line = task_.line;
        for (std::string_view body = task_.body; !body.empty();) {
            const std::size_t end = std::min(body.find('\n'), body.size() - 1) + 1;
            const std::string_view text = body.substr(0, end);
            body.remove_prefix(end);
            ++line;
            if (trimmed(text.substr(0, text.find('\n'))).empty()) continue;
            const Status read = text.starts_with("  ") && !entries_.empty() ? goOn(text) : addEntry(text, line, keys);
            if (!read) return read;
        }
        return {};
    }

    Status goOn(std::string_view text) {
        std::string& value = entries_.back().value;
        if (!value.empty()) value += ' ';
        value += trimmed(text.substr(0, text.find('\n')));
        return {};
    }

    Status addEntry(std::string_view text, int line, const std::vector<std::string_view>& keys) {
        text = trimmed(text.substr(0, text.find('\n')));
        const std::size_t colon = text.find(':');
        Entry entry{line, std::string(trimmed(text.substr(0, colon))), {}};
        const std::string_view kind = kindOf(entry);
        if (colon == std::string_view::npos || std::ranges::find(keys, kind) == keys.end())
            return fail(
                {say("this says nothing of a question, a step or a what-if"), references_.where(line), excerpt(text),
                 say("{}, each with a colon; a line that goes on begins with two spaces", legalWords(kind, keys))});
        if (kind != "choice" && kind != "when" && kind != "slider" && find(kind))
            return fail({say("this stands twice"), references_.where(line), excerpt(text), say("each once")});
        entry.value = trimmed(text.substr(colon + 1));
        entries_.push_back(std::move(entry));
        return {};
    }

    const Entry* find(std::string_view kind) const {
        const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return kindOf(entry) == kind; });
        return found == entries_.end() ? nullptr : &*found;
    }

    Status readAsked(LessonQuestion& question) const {
        const bool figure = find("figure"), slider = find("slider"), choice = find("choice");
        const bool least = find("least"), most = find("most");
        if (figure && slider != choice && !least && !most) {
            if (const Status read = readFigure(question, *find("figure")); !read) return read;
            return slider ? readSlider(question, *find("slider")) : readChoices(question);
        }
        if (!figure && !slider && !choice && least != most)
            return readExperiments(question, least ? QuestionKind::Least : QuestionKind::Most,
                                   *find(least ? "least" : "most"));
        return fail(lacks(say("nothing, or more than one thing, is to be guessed"),
                          say("{0} with {1}, {0} with choices, {2}, or {3}", "figure", "slider", "least", "most")));
    }

    /// An answer is measured, and not typed in.
    Status takeFigure(LessonQuestion& question, const LessonFigure* figure, int line) const {
        question.figure = figure;
        if (figure->has(FigureOrigin::Measured)) return {};
        return fail({say("no run measures this figure"), references_.where(line), std::string(figure->name),
                     say("one that shardlab learn --figures calls measured")});
    }

    Status readFigure(LessonQuestion& question, const Entry& entry) const {
        const std::size_t over = entry.value.find('/');
        std::vector<std::string_view> parts{std::string_view(entry.value).substr(0, over)};
        if (over != std::string::npos) parts.push_back(std::string_view(entry.value).substr(over + 1));
        for (const std::string_view part : parts) {
            const auto place = references_.figure({entry.line, std::string(trimmed(part))});
            if (!place) return fail(place.error());
            if (question.figure && question.figure != place->figure)
                return fail({say("two figures that are divided are of one kind"), references_.where(entry.line),
                             excerpt(entry.value), say("the same figure of two experiments")});
            if (const Status taken = takeFigure(question, place->figure, entry.line); !taken) return taken;
            if (place->origin != FigureOrigin::Measured)
                return fail({say("a question asks for what is measured"), references_.where(entry.line),
                             excerpt(entry.value), say("{} alone", "EXPERIMENT.FIGURE")});
            question.experiments.push_back(place->experiment);
        }
        return {};
    }

    Status readSlider(LessonQuestion& question, const Entry& entry) const {
        question.kind = QuestionKind::Slider;
        constexpr std::string_view between = " to ";
        const std::string_view text = entry.value;
        const std::size_t to = std::min(text.find(between), text.size());
        const auto least = readValue(question, text.substr(0, to));
        const auto most = readValue(question, text.substr(std::min(to + between.size(), text.size())));
        if (!least || !most || *least >= *most)
            return fail({say("a slider has no range"), references_.where(entry.line), excerpt(entry.value),
                         say("two values in the figure's unit, the smaller first: 0 to {}", valueExample(question))});
        question.from = *least;
        question.to = *most;
        return {};
    }

    Status readChoices(LessonQuestion& question) const {
        question.kind = QuestionKind::Ranges;
        constexpr double unbounded = std::numeric_limits<double>::infinity();
        for (const Entry& entry : entries_) {
            if (kindOf(entry) != "choice") continue;
            QuestionChoice choice{entry.value, unbounded};
            if (entry.key.starts_with(upTo)) {
                const auto bound = readValue(question, std::string_view(entry.key).substr(upTo.size()));
                if (!bound)
                    return fail({say("a choice has no bound"), references_.where(entry.line), excerpt(entry.key),
                                 say("a value in the figure's unit: {} {}", "choice up to", valueExample(question))});
                choice.upTo = *bound;
            }
            if (choice.text.empty())
                return fail({say("a choice says nothing"), references_.where(entry.line), excerpt(entry.key),
                             say("{} {}: what a reader chooses", "choice up to", valueExample(question))});
            if (!question.choices.empty() && choice.upTo <= question.choices.back().upTo)
                return fail({say("a choice covers nothing"), references_.where(entry.line), excerpt(entry.key),
                             say("bounds that grow, and no bound in the last choice alone")});
            question.choices.push_back(std::move(choice));
        }
        if (question.choices.size() < 2 || question.choices.back().upTo < unbounded)
            return fail(lacks(say("choices do not cover every value"),
                              say("two of them or more, and no bound in the last choice: {}", "choice: more")));
        return {};
    }

    Status readExperiments(LessonQuestion& question, QuestionKind kind, const Entry& entry) const {
        question.kind = kind;
        const std::size_t of = entry.value.find(" of ");
        const auto figure = references_.figureNamed(trimmed(std::string_view(entry.value).substr(0, of)), entry.line);
        if (!figure) return fail(figure.error());
        if (const Status taken = takeFigure(question, *figure, entry.line); !taken) return taken;
        const std::string_view all =
            of == std::string::npos ? std::string_view() : std::string_view(entry.value).substr(of + 4);
        for (const std::string_view word : splitWords(all)) {
            const std::string name(trimmed(word));
            const auto index = references_.find(name);
            if (!index)
                return fail(
                    references_.unknown(say("a question is of no experiment of this lesson"), entry.line, name));
            if (std::ranges::find(question.experiments, *index) != question.experiments.end())
                return fail({say("an experiment stands twice"), references_.where(entry.line), name, say("each once")});
            const std::string& title = references_.experiment(*index).title;
            question.experiments.push_back(*index);
            question.choices.push_back({title.empty() ? name : name + " (" + title + ")", 0});
        }
        if (question.experiments.size() < 2)
            return fail({say("there is nothing to choose from"), references_.where(entry.line), excerpt(entry.value),
                         say("{}: bubble of two experiments or more, with commas between them", entry.key)});
        return {};
    }

    Result<StepCondition> readWhen(const Entry& entry) const {
        if (entry.value.starts_with("ran ")) {
            const std::string name(trimmed(std::string_view(entry.value).substr(4)));
            const auto index = references_.find(name);
            if (!index)
                return fail(
                    references_.unknown(say("a step waits for no experiment of this lesson"), entry.line, name));
            return RanCondition{*index};
        }
        auto condition = readCondition(entry.value);
        if (condition) return condition;
        Error error = condition.error();
        error.where = references_.where(entry.line);
        return fail(std::move(error));
    }

    const LessonReferences& references_;
    const LessonTask& task_;
    std::string rest_;
    std::vector<Entry> entries_;
};

}  // namespace

Result<LessonQuestion> readQuestion(const LessonReferences& references, const LessonTask& task) {
    return TaskReader(references, task).question();
}

Result<LessonStep> readStep(const LessonReferences& references, const LessonTask& task) {
    return TaskReader(references, task).step();
}

Result<LessonWhatIf> readWhatIf(const LessonReferences& references, const LessonTask& task,
                                const LayoutReader& readLayout) {
    return TaskReader(references, task).whatIf(readLayout);
}

}  // namespace shardlab::launch
