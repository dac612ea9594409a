// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check.h"
#include "engine/layout/json_text.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/suggest.h"
#include "engine/launch/lesson/lesson.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace shardlab::launch {
namespace {

using nlohmann::json;

constexpr std::string_view fence = "```", opening = "{{", closing = "}}";
constexpr std::size_t mostExperiments = 16;  ///< each is planned as its lesson opens

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool isName(std::string_view text) {
    return !text.empty() && text.size() <= 40 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
}

/// What an error quotes of a line.
std::string excerpt(std::string_view text) { return std::string(text.substr(0, 80)); }

/// The first faults; a layout that is none of ours may have hundreds.
std::string someFaults(std::vector<Fault> faults) {
    constexpr std::size_t most = 8;
    const std::size_t more = faults.size() > most ? faults.size() - most : 0;
    faults.resize(faults.size() - more);
    return toText(faults) + (more > 0 ? fmt::format("\nand {} more", more) : "");
}

/// A figure as it stands in the text; its experiment may come below it.
struct FigureToken {
    std::size_t piece = 0;
    int line = 0;
    std::string text;  ///< between the braces
};

class LessonParser {
public:
    LessonParser(std::string_view text, std::string_view name) : text_(text) { lesson_.name = name; }

    Result<Lesson> parse() {
        const Status read = readLines();
        if (!read) return fail(read.error());
        for (const FigureToken& token : tokens_) {
            auto place = resolve(token);
            if (!place) return fail(place.error());
            lesson_.pieces[token.piece] = *place;
        }
        return std::move(lesson_);
    }

private:
    std::string where(int line) const { return lesson_.name + ", line " + std::to_string(line); }

    /// The next line with its line feed; false at the end.
    bool next(std::string_view& line) {
        if (at_ >= text_.size()) return false;
        const std::size_t end = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
        line = text_.substr(at_, end - at_);
        at_ = end;
        ++line_;
        return true;
    }

    Status readLines() {
        std::string_view line;
        if (!next(line) || !line.starts_with("# ") || trimmed(line.substr(2, line.find('\n') - 2)).empty())
            return fail({"a lesson has no title", where(1), "its first line is another", "# Title"});
        lesson_.title = trimmed(line.substr(2, line.find('\n') - 2));
        plain(line);
        while (next(line)) {
            Status read;
            if (line.starts_with("```experiment")) read = readExperiment(withoutEnd(line));
            else if (line.starts_with(fence)) read = readFence(line);
            else read = readText(line);
            if (!read) return read;
        }
        return {};
    }

    static std::string_view withoutEnd(std::string_view line) { return line.substr(0, line.find('\n')); }

    void plain(std::string_view text) {
        if (lesson_.pieces.empty() || !std::holds_alternative<std::string>(lesson_.pieces.back()))
            lesson_.pieces.emplace_back(std::string());
        std::get<std::string>(lesson_.pieces.back()) += text;
    }

    Status readText(std::string_view line) {
        for (std::size_t open = line.find(opening); open != std::string_view::npos; open = line.find(opening)) {
            const std::size_t close = line.find(closing, open);
            if (close == std::string_view::npos)
                return fail({"a figure has no end", where(line_), excerpt(withoutEnd(line.substr(open))),
                             "{{EXPERIMENT.FIGURE}} on one line"});
            plain(line.substr(0, open));
            tokens_.push_back(
                {lesson_.pieces.size(), line_, std::string(trimmed(line.substr(open + 2, close - open - 2)))});
            lesson_.pieces.emplace_back(LessonFigurePlace{});
            line.remove_prefix(close + closing.size());
        }
        plain(line);
        return {};
    }

    /// The lines up to the closing fence.
    Result<std::string> readBlock() {
        const int begin = line_;
        std::string block;
        for (std::string_view line; next(line);) {
            if (line.starts_with(fence) && trimmed(withoutEnd(line)) == fence) return block;
            block += line;
        }
        return fail(
            {"a block has no end", where(begin), "the lesson ends within it", "a line of ``` after its last line"});
    }

    Status readFence(std::string_view line) {
        auto block = readBlock();
        if (!block) return fail(block.error());
        plain(std::string(line) + *block + "```\n");
        return {};
    }

    Status readExperiment(std::string_view line) {
        const int begin = line_;
        auto experiment = readHead(line);
        if (!experiment) return fail(experiment.error());
        auto block = readBlock();
        if (!block) return fail(block.error());
        experiment->json = std::move(*block);
        const Status read = readLayout(*experiment, begin);
        if (!read) return read;
        lesson_.pieces.emplace_back(LessonExperimentPlace{lesson_.experiments.size()});
        lesson_.experiments.push_back(std::move(*experiment));
        return {};
    }

    /// Reads the head "```experiment NAME like OTHER: title".
    Result<LessonExperiment> readHead(std::string_view line) {
        LessonExperiment experiment;
        std::string_view head = line.substr(std::string_view("```experiment").size());
        if (const std::size_t colon = head.find(':'); colon != std::string_view::npos) {
            experiment.title = trimmed(head.substr(colon + 1));
            head = head.substr(0, colon);
        }
        std::vector<std::string_view> words;
        for (head = trimmed(head); !head.empty();) {
            const std::size_t end = std::min(head.find_first_of(" \t"), head.size());
            words.push_back(head.substr(0, end));
            head = trimmed(head.substr(end));
        }
        const bool like = words.size() == 3 && words[1] == "like";
        if ((words.size() != 1 && !like) || !isName(words[0]))
            return fail({"an experiment has no name", where(line_), excerpt(line),
                         "```experiment NAME, ```experiment NAME like OTHER, and : what it shows; a name is of a–z, "
                         "0–9, - and _"});
        experiment.name = words[0];
        if (find(experiment.name))
            return fail({"two experiments have one name", where(line_), experiment.name, "each name once"});
        if (lesson_.experiments.size() == mostExperiments)
            return fail(
                {"a lesson has too many experiments", where(line_), {}, std::to_string(mostExperiments) + " at most"});
        if (!like) return experiment;
        experiment.like = words[2];
        if (!find(experiment.like)) return fail(unknown("there is no such experiment above", line_, experiment.like));
        return experiment;
    }

    Status readLayout(LessonExperiment& experiment, int begin) {
        // Line feeds before it: the parser then names lines of the lesson.
        auto own = parseJsonText(std::string(static_cast<std::size_t>(begin), '\n') + experiment.json);
        if (!own) {
            Error error = own.error();
            error.where = lesson_.name + ", " + error.where;
            return fail(std::move(error));
        }
        json whole = experiment.like.empty() ? json::object() : json_.at(experiment.like);
        if (!own->root.is_object())
            return fail({"a layout is no JSON object", where(begin), {}, "{\"schedule\": {\"kind\": \"gpipe\"}}"});
        whole.merge_patch(own->root);
        auto parsed = parseLayout(whole.dump());
        if (!parsed) return fail(parsed.error());
        experiment.layout = std::move(parsed->layout);
        const bool namesHosts =
            whole.contains("cluster") && whole["cluster"].is_object() && whole["cluster"].contains("hosts");
        if (!namesHosts) experiment.layout.cluster.hosts = {HostSpec{.devices = rankCount(experiment.layout)}};
        std::vector<Fault> faults = std::move(own->duplicates);
        faults.insert(faults.end(), parsed->faults.begin(), parsed->faults.end());
        if (faults.empty()) faults = check(experiment.layout, scheduleMethods());
        if (!faults.empty())
            return fail({"the layout of experiment " + experiment.name + " is not legal",
                         where(begin),
                         someFaults(std::move(faults)),
                         {}});
        if (!whole.contains("name")) experiment.layout.name = lesson_.name + " " + experiment.name;
        json_[experiment.name] = std::move(whole);
        return {};
    }

    std::optional<std::size_t> find(std::string_view name) const {
        const auto found = std::ranges::find(lesson_.experiments, name, &LessonExperiment::name);
        if (found == lesson_.experiments.end()) return std::nullopt;
        return static_cast<std::size_t>(found - lesson_.experiments.begin());
    }

    Error unknown(const char* what, int line, const std::string& name) const {
        std::vector<std::string_view> names;
        for (const LessonExperiment& experiment : lesson_.experiments) names.push_back(experiment.name);
        return {what, where(line), excerpt(name), names.empty() ? "There is none" : legalWords(name, names)};
    }

    Result<LessonFigurePlace> resolve(const FigureToken& token) const {
        const std::size_t dot = token.text.find('.');
        if (dot == std::string::npos)
            return fail({"this is no figure", where(token.line), excerpt(token.text),
                         "{{EXPERIMENT.FIGURE}}, {{EXPERIMENT.FIGURE.predicted}}"});
        const std::string experiment = token.text.substr(0, dot);
        const std::string_view rest = std::string_view(token.text).substr(dot + 1);
        const std::string_view figureName = rest.substr(0, rest.find('.'));
        LessonFigurePlace place;
        const auto index = find(experiment);
        if (!index) return fail(unknown("a figure is of no experiment of this lesson", token.line, experiment));
        place.experiment = *index;
        place.figure = findLessonFigure(figureName);
        if (!place.figure) {
            std::vector<std::string_view> names;
            for (const LessonFigure& figure : lessonFigures()) names.push_back(figure.name);
            return fail(
                {"there is no such figure", where(token.line), excerpt(figureName), legalWords(figureName, names)});
        }
        place.origin = place.figure->plain();
        if (figureName.size() == rest.size()) return place;
        return withOrigin(place, rest.substr(figureName.size() + 1), token);
    }

    Result<LessonFigurePlace> withOrigin(LessonFigurePlace place, std::string_view origin,
                                         const FigureToken& token) const {
        std::vector<std::string_view> names;
        for (const FigureOrigin one : {FigureOrigin::Predicted, FigureOrigin::Theory}) {
            if (!place.figure->has(one)) continue;
            names.push_back(launch::name(one));
            if (origin != launch::name(one)) continue;
            place.origin = one;
            return place;
        }
        const std::string legal =
            names.empty() ? "the figure alone, without a word after it" : legalWords(origin, names);
        return fail({"a figure has no such form", where(token.line), excerpt(token.text), legal});
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 0;
    Lesson lesson_;
    std::map<std::string, json> json_;  ///< each experiment's, whole
    std::vector<FigureToken> tokens_;
};

}  // namespace

Result<Lesson> parseLesson(std::string_view markdown, std::string_view name) {
    return LessonParser(markdown, name).parse();
}

}  // namespace shardlab::launch
