// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/lesson_text.h"

#include "engine/launch/lesson/lesson_pace.h"
#include "engine/predict/search/change_words.h"

#include <algorithm>
#include <array>

namespace shardlab::launch {
namespace {

constexpr std::string_view linkMiddle = "](show:";

/// The figure as this reader may see it.
std::string shownFigure(const Lesson& lesson, const LessonFigurePlace& place, std::span<const KnownExperiment> known,
                        const LessonReader* reader, const Tell& tell) {
    Sentence text = figureText(*place.figure, place.origin, known[place.experiment]);
    if (!reader) return tell(text);
    if (keptBack(lesson.questions, *reader, *place.figure, place.experiment)) return "?";
    for (const LessonQuestion& question : lesson.questions) {
        if (question.figure != place.figure || !question.isAbout(place.experiment)) continue;
        const auto guess = reader->guesses.find(question.name);
        const bool ofThis = question.kind == QuestionKind::Slider && !question.isRatio();
        if (ofThis && guess != reader->guesses.end() && place.origin == FigureOrigin::Measured &&
            known[place.experiment].measured)
            text = say("{} (guessed {})", text, question.guessText(guess->second));
    }
    return tell(text);
}

/// Finds the next link to something that the desktop shows; false where there is none.
struct ShowLink {
    std::size_t begin = 0, middle = 0, end = 0;  ///< of "[", of "](show:" and of ")"
};
bool findShowLink(std::string_view text, ShowLink& link) {
    link.middle = text.find(linkMiddle);
    if (link.middle == std::string_view::npos) return false;
    link.begin = text.rfind('[', link.middle);
    link.end = text.find(')', link.middle);
    return link.begin != std::string_view::npos && link.end != std::string_view::npos;
}

std::string_view nextLine(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    return line;
}

bool isBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

std::vector<LessonBlock> lessonBlocks(const Lesson& lesson, std::span<const KnownExperiment> known,
                                      const LessonReader* reader, const Tell& tell) {
    std::vector<LessonBlock> blocks;
    std::string text;
    const auto close = [&] {
        if (!isBlank(text)) blocks.push_back({LessonBlock::Kind::Text, 0, text});
        text.clear();
    };
    const auto put = [&](LessonBlock::Kind kind, std::size_t index) {
        close();
        blocks.push_back({kind, index, {}});
    };
    for (const LessonPiece& piece : lesson.pieces) {
        if (const auto* plain = std::get_if<std::string>(&piece)) text += *plain;
        else if (const auto* figure = std::get_if<LessonFigurePlace>(&piece))
            text += shownFigure(lesson, *figure, known, reader, tell);
        else if (const auto* question = std::get_if<LessonQuestionPlace>(&piece))
            put(LessonBlock::Kind::Question, question->question);
        else if (const auto* step = std::get_if<LessonStepPlace>(&piece)) put(LessonBlock::Kind::Step, step->step);
        else if (const auto* whatIf = std::get_if<LessonWhatIfPlace>(&piece))
            put(LessonBlock::Kind::WhatIf, whatIf->whatIf);
        else {
            const std::size_t experiment = std::get<LessonExperimentPlace>(piece).experiment;
            put(LessonBlock::Kind::Experiment, experiment);
            // Once, before anything runs.
            if (const Sentence remark = paceRemark(lesson); experiment == 0 && !remark.empty())
                text += "\n*" + tell(remark) + "*\n";
        }
    }
    close();
    return blocks;
}

std::string lessonText(const Lesson& lesson, std::span<const KnownExperiment> known,
                       const std::function<std::string(const LessonBlock&)>& other, const LessonReader* reader) {
    std::string text;
    for (const LessonBlock& block : lessonBlocks(lesson, known, reader))
        text += block.kind == LessonBlock::Kind::Text ? block.text : other(block);
    return text;
}

LessonReader allPassed(const Lesson& lesson, LessonReader reader) {
    for (const LessonQuestion& question : lesson.questions) reader.passed.insert(question.name);
    return reader;
}

bool keptBack(const Lesson& lesson, const LessonReader& reader, const LessonWhatIf& whatIf) {
    return whatIf.in && std::ranges::any_of(lesson.questions, [&](const LessonQuestion& question) {
               return question.isAbout(*whatIf.in) && reader.isOpen(question);
           });
}

std::vector<std::string> ideas(std::string_view markdown) {
    enum class Part { Heading, Paragraph, Code, Table };
    std::vector<std::string> found;
    bool open = false;       // a heading waits for what it is about
    bool afterCode = false;  // a formula, in the middle of a sentence where what stands before it ends with a comma
    bool comma = false;
    while (!isBlank(markdown)) {
        std::string part;
        bool fenced = false;
        while (!markdown.empty()) {
            const std::string_view line = nextLine(markdown);
            if (isBlank(line) && !fenced) {
                if (part.empty()) continue;
                break;
            }
            if (line.starts_with("```")) fenced = !fenced;
            part += line;
        }
        if (part.empty()) break;
        const Part kind = part.starts_with("#")                                 ? Part::Heading
                          : part.starts_with("|")                               ? Part::Table
                          : part.starts_with("    ") || part.starts_with("```") ? Part::Code
                                                                                : Part::Paragraph;
        const bool list = part.starts_with("- ") || part.starts_with("* ") || part.starts_with("1. ");
        if (!part.ends_with('\n')) part += '\n';
        const bool goesOn = afterCode && kind == Part::Paragraph && (comma || (part[0] >= 'a' && part[0] <= 'z'));
        if (!found.empty() && (open || kind == Part::Code || list || goesOn)) found.back() += "\n" + part;
        else found.push_back(part);
        open = kind == Part::Heading;
        afterCode = kind == Part::Code;
        if (!afterCode) comma = part.ends_with(",\n") || part.ends_with("，\n");
    }
    return found;
}

std::string withoutShowLinks(std::string_view markdown) {
    std::string text;
    for (ShowLink link; findShowLink(markdown, link); markdown.remove_prefix(link.end + 1)) {
        text += markdown.substr(0, link.begin);
        text += markdown.substr(link.begin + 1, link.middle - link.begin - 1);
    }
    text += markdown;
    return text;
}

std::vector<std::string> showLinks(std::string_view markdown) {
    std::vector<std::string> targets;
    for (ShowLink link; findShowLink(markdown, link); markdown.remove_prefix(link.end + 1)) {
        const std::size_t begin = link.middle + linkMiddle.size();
        targets.emplace_back(markdown.substr(begin, link.end - begin));
    }
    return targets;
}

Sentence differenceWords(const Lesson& lesson, const LessonExperiment& experiment) {
    const Layout& layout = experiment.layout;
    if (experiment.like.empty()) {
        const auto counted = [](int count, const Sentence& one, const Sentence& more) {
            return count == 1 ? one : more;
        };
        const int layers = layout.model.layers, ranks = rankCount(layout), all = microbatches(layout);
        return say("{} of {}, {} wide; {}; {} of {}", Sentence(wordOf(layout.model.kind)),
                   counted(layers, say("1 layer"), say("{} layers", layers)), layout.model.hidden,
                   counted(ranks, say("1 rank"), say("{} ranks", ranks)),
                   counted(all, say("1 microbatch"), say("{} microbatches", all)),
                   counted(layout.batch.micro, say("1 sample"), say("{} samples", layout.batch.micro)));
    }
    const auto other = std::ranges::find(lesson.experiments, experiment.like, &LessonExperiment::name);
    std::vector<FieldChange> changes = changesBetween(other->layout, layout);
    // Names follow the experiments, one host gives as many devices as there are ranks, and one pace is all
    // experiments'.
    constexpr std::array following{"/name", "/cluster/pace", "/cluster/pace/step_seconds"};
    const bool oneHost = other->layout.cluster.hosts.size() == 1 && layout.cluster.hosts.size() == 1;
    std::erase_if(changes, [&](const FieldChange& change) {
        return std::ranges::find(following, change.pointer) != following.end() ||
               (oneHost && change.pointer == "/cluster/hosts");
    });
    return say("like {}, but {}", experiment.like, changes.empty() ? say("run again") : changeWords(changes));
}

}  // namespace shardlab::launch
