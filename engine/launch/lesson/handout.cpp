// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/handout.h"

#include "engine/base/catalogue.h"
#include "engine/base/language.h"
#include "engine/launch/lesson/guess_picture.h"
#include "engine/launch/lesson/lesson_text.h"
#include "engine/launch/lesson/markdown_html.h"
#include "engine/launch/lesson/what_if_picture.h"

#include <fmt/format.h>

namespace shardlab::launch {
namespace {

/// Plain rules: a printer, a browser and the desktop's own reader know them all.
constexpr std::string_view style = R"(
@page { size: A4; margin: 18mm; }
body { font-family: sans-serif; font-size: 11pt; line-height: 140%; color: #1a1a1a; max-width: 46em; margin: 2em auto; }
h1 { font-size: 20pt; } h2 { font-size: 14pt; margin-top: 1.2em; }
table { border-collapse: collapse; margin: 0.8em 0; }
th, td { border: 1px solid #999999; padding: 3px 8px; text-align: left; }
th { color: #555555; font-weight: normal; }
pre { font-family: monospace; margin-left: 2em; } code { font-family: monospace; }
.task { border-left: 3px solid #0072b2; padding-left: 10px; margin: 1em 0; page-break-inside: avoid; }
.small { color: #555555; font-size: 9.5pt; }
)";

std::string asAddress(std::string_view svg) {
    std::string address = "data:image/svg+xml;charset=utf-8,";
    for (const char letter : svg) {
        const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                           (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
        address += plain ? std::string(1, letter) : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    }
    return address;
}

const std::string gap = "______________";

std::string task(const std::string& inner) { return "<div class=\"task\">\n" + inner + "</div>\n"; }

class Writer {
public:
    Writer(const Lesson& lesson, std::span<const KnownExperiment> known, const LessonReader& reader,
           const Catalogue& words)
        : lesson_(lesson), known_(known), reader_(reader), words_(words) {}

    std::string block(const LessonBlock& block) const {
        switch (block.kind) {
        case LessonBlock::Kind::Text: break;
        case LessonBlock::Kind::Experiment: return experiment(lesson_.experiments[block.index], known_[block.index]);
        case LessonBlock::Kind::Question: return question(lesson_.questions[block.index]);
        case LessonBlock::Kind::Step: return step(lesson_.steps[block.index]);
        case LessonBlock::Kind::WhatIf: return whatIf(lesson_.whatIfs[block.index]);
        }
        return htmlOf(withoutShowLinks(block.text));
    }

private:
    std::string experiment(const LessonExperiment& experiment, const KnownExperiment& known) const {
        const std::string name = told(say("Experiment {}", experiment.name));
        return task(fmt::format("<p><b>{}</b>{}{}<br><span class=\"small\">{}{}</span></p>\n", name,
                                experiment.title.empty() ? "" : ": ", inlineHtml(experiment.title),
                                escapedMarkup(told(differenceWords(lesson_, experiment))),
                                known.measured ? "" : " · " + told(say("not run"))));
    }

    std::string question(const LessonQuestion& question) const {
        std::string html =
            "<p><b>" + told(say("Guess.")) + "</b> " + inlineHtml(withoutShowLinks(question.text)) + "</p>\n";
        const auto found = reader_.guesses.find(question.name);
        const auto guess = found == reader_.guesses.end() ? std::nullopt : std::optional(found->second);
        for (std::size_t index = 0; index < question.choices.size(); ++index)
            html += fmt::format("<p>{} {}</p>\n", guess && *guess == static_cast<double>(index) ? "☒" : "☐",
                                inlineHtml(question.choices[index].text));
        if (question.kind == QuestionKind::Slider)
            html += fmt::format("<p>{}</p>\n",
                                told(say("Between {} and {}: {}", question.valueText(question.from),
                                         question.valueText(question.to), guess ? question.guessText(*guess) : gap)));
        const auto answer = measuredAnswer(question, known_);
        if (!answer) return task(html + "<p class=\"small\">" + told(say("Measured: {}", gap)) + "</p>\n");
        if (guess) html += "<p>" + escapedMarkup(told(verdict(question, *guess, *answer))) + "</p>\n";
        if (const auto picture = guessPicture(lesson_, question, known_, reader_, {})) html += image(*picture);
        return task(html + htmlOf(withoutShowLinks(revealText(question, known_))));
    }

    std::string step(const LessonStep& step) const {
        const bool done = reader_.done.contains(step.name);
        std::string html = fmt::format(
            "<p>{} {}{}</p>\n", done ? "☒" : "☐",
            step.in ? told(say("In Design, with {}:", lesson_.experiments[*step.in].name)) + " " : std::string(),
            inlineHtml(withoutShowLinks(step.text)));
        if (!step.then.empty() && done) html += "<p>" + inlineHtml(withoutShowLinks(step.then)) + "</p>\n";
        return task(html);
    }

    /// Where its sliders start.
    std::string whatIf(const LessonWhatIf& whatIf) const {
        const Tell tell = [this](const Sentence& sentence) { return words_.told(sentence); };
        const WhatIfAnswer answer = WhatIfPlanner(whatIf).answer(whatIf.start());
        return task("<p><b>" + told(say("What if?")) + "</b> " + inlineHtml(withoutShowLinks(whatIf.text)) +
                    "</p>\n<p class=\"small\">" + escapedMarkup(told(positionWords(whatIf, answer.position))) +
                    "</p>\n" + image(whatIfPicture(whatIf, answer, {}, tell)) +
                    htmlOf(withoutShowLinks(whatIfText(whatIf, answer, tell))) +
                    htmlOf(whatIfTableText(whatIf, answer, tell)));
    }

    static std::string image(const LessonPicture& picture) {
        return fmt::format("<p><img src=\"{}\" width=\"{}\" height=\"{}\" alt=\"{}\"></p>\n", asAddress(picture.svg),
                           picture.width, picture.height, escapedMarkup(picture.words));
    }

    std::string told(const Sentence& sentence) const { return words_.told(sentence); }

    const Lesson& lesson_;
    std::span<const KnownExperiment> known_;
    const LessonReader& reader_;
    const Catalogue& words_;
};

}  // namespace

std::string handout(const Lesson& lesson, std::span<const KnownExperiment> known, const LessonReader& reader) {
    // On paper nobody is asked before reading on.
    const LessonReader shown = allPassed(lesson, reader);
    const Catalogue words = Catalogue::of(language());
    std::string html =
        fmt::format("<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
                    language() == languages.front() ? "en" : "zh-CN", escapedMarkup(lesson.title), style);
    const Writer writer(lesson, known, reader, words);
    for (const LessonBlock& block : lessonBlocks(lesson, known, &shown)) html += writer.block(block);
    html += fmt::format(
        "<p class=\"small\">{}</p>\n</body>\n</html>\n",
        words.told(say("Shardlab {}. Figures without a word beside them were measured by runs of this lesson's "
                       "experiments.",
                       SHARDLAB_VERSION)));
    return html;
}

}  // namespace shardlab::launch
