// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/what_if_picture.h"

#include "engine/base/units.h"
#include "engine/layout/mesh/alike.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace shardlab::launch {
namespace {

using Anchor = SvgSheet::Anchor;

constexpr int sheetWidth = 520, sheetLetters = 13, smallLetters = 11;
constexpr double plotLeft = 92, plotRight = 506;
constexpr std::string_view dashedMore = " stroke-width=\"2\" stroke-dasharray=\"4 3\"";
constexpr std::size_t mostPictureRows = 16;  ///< of more sorts of ranks the first ones are drawn

/// The parts of a step that a picture tells apart: compute is one.
struct StepPart {
    Sentence name;
    double seconds = 0, atStart = 0;
    std::string PictureInk::*ink = nullptr;
};

std::vector<StepPart> partsOf(const WhatIfAnswer& answer) {
    const Waterfall &now = *answer.fall, &start = *answer.startFall;
    std::vector<StepPart> parts{{say("compute"), 0, 0, &PictureInk::forward}};
    for (const WaterfallPart part :
         {WaterfallPart::Peak, WaterfallPart::Shape, WaterfallPart::Passes, WaterfallPart::Kernels}) {
        parts.front().seconds += now[part];
        parts.front().atStart += start[part];
    }
    for (const auto& [part, ink] : {std::pair{WaterfallPart::Recompute, &PictureInk::weightGrad},
                                    {WaterfallPart::Communication, &PictureInk::comm},
                                    {WaterfallPart::Bubble, &PictureInk::idle},
                                    {WaterfallPart::Optimizer, &PictureInk::optimizer},
                                    {WaterfallPart::Rest, &PictureInk::other}})
        parts.push_back({termOf(name(part)), now[part], start[part], ink});
    const double whole = std::max(now.stepSeconds, start.stepSeconds);
    std::erase_if(parts, [&](const StepPart& part) { return std::max(part.seconds, part.atStart) < 1e-6 * whole; });
    return parts;
}

/// The least of a few round numbers that is not below it, so that an axis stays while a slider moves a little.
double roundAbove(double most, bool bytes) {
    if (!(most > 0) || !std::isfinite(most)) return 1;
    const double unit = bytes ? std::pow(1024, std::floor(std::log2(most) / 10)) : 1;
    const double scaled = most / unit, power = std::pow(10, std::floor(std::log10(scaled)));
    for (const double round : {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0})
        if (scaled <= round * power * (1 + 1e-9)) return round * power * unit;
    return 10 * power * unit;
}

std::string ranksWords(const std::vector<int>& ranks, const Tell& tell) {
    return tell(ranks.size() == 1 ? say("rank {}", ranks.front()) : say("ranks {}", rankList(ranks)));
}

/// The letters of `text` that fit, with dots behind them where they are not all.
std::string fitted(std::string text, double width) {
    if (widthOf(text, sheetLetters) <= width) return text;
    while (!text.empty() && widthOf(text + "…", sheetLetters) > width) {
        while (text.size() > 1 && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
        text.pop_back();
    }
    return text + "…";
}

class Drawing {
public:
    Drawing(const LessonWhatIf& whatIf, const WhatIfAnswer& answer, const PictureInk& ink, const Tell& tell)
        : whatIf_(whatIf), answer_(answer), ink_(ink), tell_(tell), sheet_(ink, sheetWidth, sheetLetters) {}

    LessonPicture made() {
        switch (whatIf_.drawing) {
        case WhatIfDrawing::Timeline: timeline(); break;
        case WhatIfDrawing::Memory: memory(); break;
        case WhatIfDrawing::Step: step(); break;
        case WhatIfDrawing::Curve: curve(); break;
        }
        LessonPicture picture = std::move(sheet_).finish(static_cast<int>(std::ceil(y_)));
        for (const std::vector<std::string>& row : whatIfTable(whatIf_, answer_, tell_)) {
            if (!picture.words.empty()) picture.words += "; ";
            for (std::size_t cell = 0; cell < row.size(); ++cell) picture.words += (cell ? ", " : "") + row[cell];
        }
        return picture;
    }

private:
    double x(double value) const { return plotLeft + (plotRight - plotLeft) * std::clamp(value / end_, 0.0, 1.0); }
    std::string axisText(double value) const {
        return bytes_ ? formatBytes(std::llround(value)) : formatSeconds(value);
    }

    void label(const std::string& text, double middle) {
        sheet_.write(plotLeft - 8, middle + 4.5, Anchor::End, ink_.dim, fitted(text, plotLeft - 10));
    }

    /// Below what was drawn, a scale from 0 to end_.
    void axis() {
        for (const double share : {0.0, 0.5, 1.0}) {
            const double at = x(share * end_);
            sheet_.line(at, y_ + 1, at, y_ + 5, ink_.dim);
            sheet_.write(at, y_ + 17,
                         share == 0   ? Anchor::Start
                         : share == 1 ? Anchor::End
                                      : Anchor::Middle,
                         ink_.dim, share == 0 ? "0" : axisText(share * end_), smallLetters);
        }
        y_ += 24;
    }

    struct Entry {
        std::string colour, text;
        std::string more = {};
        bool dashes = false;  ///< of a line in the picture
    };
    void legend(const std::vector<Entry>& entries) {
        constexpr double box = 11, gap = 14, lineHeight = 18;
        double at = plotLeft;
        y_ += 4;
        for (const Entry& entry : entries) {
            const double width = box + 5 + widthOf(entry.text, smallLetters + 1);
            if (at > plotLeft && at + width > plotRight) {
                at = plotLeft;
                y_ += lineHeight;
            }
            if (entry.dashes) sheet_.line(at + box / 2, y_ - 2, at + box / 2, y_ + box + 2, entry.colour, dashedMore);
            else sheet_.rect(at, y_, box, box, entry.colour, entry.more);
            sheet_.write(at + box + 5, y_ + 10, Anchor::Start, ink_.text, entry.text, smallLetters + 1);
            at += width + gap;
        }
        y_ += lineHeight;
    }

    std::size_t rowsShown() const { return std::min(answer_.rows.size(), mostPictureRows); }
    void tellOfMore() {
        if (answer_.rows.size() <= mostPictureRows) return;
        sheet_.write(plotLeft, y_ + 12, Anchor::Start, ink_.dim,
                     tell_(say("the first {} of {} sorts of ranks", mostPictureRows, answer_.rows.size())),
                     smallLetters);
        y_ += 16;
    }

    void timeline();
    void bars(const std::vector<const Event*>& events, double top, double height, bool numbers);
    void memory();
    void step();
    void curve();

    const LessonWhatIf& whatIf_;
    const WhatIfAnswer& answer_;
    const PictureInk& ink_;
    const Tell& tell_;
    SvgSheet sheet_;
    double y_ = 6;    ///< where the next thing is drawn
    double end_ = 1;  ///< the value at the right end of the plot
    bool bytes_ = false;
    double secondsOfTick_ = 0;  ///< seconds of the devices in a nanosecond of the run's clock
};

/// Black or white, whichever reads better on a colour "#rrggbb".
std::string_view readableOn(const std::string& colour) {
    const auto part = [&](std::size_t at) { return std::stoi(colour.substr(at, 2), nullptr, 16); };
    return 0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5) > 130 ? "#000000" : "#ffffff";
}

bool isShown(const Event& event) {
    if (event.end <= event.begin || event.kind == EventKind::Wait || event.kind == EventKind::Step) return false;
    return !isReceive(actionOf(event.kind)) && event.lane != Lane::Host;
}

constexpr std::string_view againMore = " fill-opacity=\"0.4\"";  ///< of what is computed again

void Drawing::bars(const std::vector<const Event*>& events, double top, double height, bool numbers) {
    // One path for each colour: a step may have thousands of bars.
    std::map<std::pair<std::string, bool>, std::string> paths;
    std::string words;
    for (const Event* event : events) {
        const double left = x(static_cast<double>(event->begin) * secondsOfTick_);
        const double full = x(static_cast<double>(event->end) * secondsOfTick_) - left;
        const double width = std::max(0.4, full > 4 ? full - 0.8 : full);
        const bool again = event->kind == EventKind::Recompute;
        paths[{ink_.of(event->kind), again}] +=
            fmt::format("M{:.2f} {:.1f}h{:.2f}v{:.1f}h-{:.2f}z", left, top, width, height, width);
        if (!numbers || event->action == 0 || again) continue;
        const std::string number = std::to_string(actionFromId(event->action).microbatch);
        if (width < widthOf(number, smallLetters) + 2 || event->kind == EventKind::Optimizer) continue;
        words +=
            fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"{}\" "
                        "font-size=\"{}\">{}</text>\n",
                        left + width / 2, top + height / 2 + 4, readableOn(ink_.of(event->kind)), smallLetters, number);
    }
    for (const auto& [look, path] : paths)
        sheet_.add(fmt::format("<path fill=\"{}\"{} d=\"{}\"/>\n", look.first, look.second ? againMore : "", path));
    sheet_.add(words);
}

void Drawing::timeline() {
    constexpr double rowHeight = 24, computeHeight = 16, commHeight = 4;
    const Plan& plan = answer_.planned->plan;
    const std::vector<Event>& events = plan.simulation.events;
    secondsOfTick_ = 1e-9 / plan.costs.stretch;
    end_ = roundAbove(plan.stepSeconds, false);
    std::map<EventKind, bool> seen;
    bool communicates = false;
    for (std::size_t index = 0; index < rowsShown(); ++index) {
        const WhatIfRow& row = answer_.rows[index];
        label(ranksWords(row.ranks, tell_), y_ + computeHeight / 2);
        sheet_.rect(plotLeft, y_, x(plan.stepSeconds) - plotLeft, computeHeight, ink_.idle);
        std::vector<const Event*> compute, beside;
        for (const Event& event : events) {
            if (event.rank != row.ranks.front() || !isShown(event)) continue;
            const bool inside = event.lane == Lane::Compute;
            (inside ? compute : beside).push_back(&event);
            if (inside && (&ink_.of(event.kind) != &ink_.comm)) seen[event.kind] = true;
            else communicates = true;
        }
        bars(compute, y_, computeHeight, true);
        bars(beside, y_ + computeHeight + 1, commHeight, false);
        y_ += rowHeight;
    }
    axis();
    tellOfMore();
    std::vector<Entry> entries;
    for (const auto& [kind, there] : seen)
        entries.push_back({ink_.of(kind), tell_(termOf(name(kind))),
                           kind == EventKind::Recompute ? std::string(againMore) : std::string()});
    if (communicates) entries.push_back({ink_.comm, tell_(say("communication"))});
    entries.push_back({ink_.idle, tell_(say("bubble"))});
    legend(entries);
}

void Drawing::memory() {
    constexpr double rowHeight = 22, barHeight = 15;
    const Plan& plan = answer_.planned->plan;
    bytes_ = true;
    std::int64_t most = 1;
    for (const WhatIfRow& row : answer_.rows) most = std::max(most, total(row.memory));
    const std::int64_t usable = plan.device.usableBytes();
    const bool limited = plan.device.known() && usable <= 6 * most;
    // Behind the longest bar its sum is written.
    end_ = roundAbove(static_cast<double>(limited ? std::max(most, usable) : most) * 1.2, true);
    const double from = y_;
    for (std::size_t index = 0; index < rowsShown(); ++index) {
        const WhatIfRow& row = answer_.rows[index];
        label(ranksWords(row.ranks, tell_), y_ + barHeight / 2);
        double begin = 0;
        for (int part = 0; part < memoryCategoryCount; ++part) {
            const auto bytes = static_cast<double>(row.memory[static_cast<std::size_t>(part)]);
            if (bytes <= 0) continue;
            sheet_.rect(x(begin), y_, x(begin + bytes) - x(begin), barHeight,
                        ink_.of(static_cast<MemoryCategory>(part)));
            begin += bytes;
        }
        const bool over = limited && begin > static_cast<double>(usable);
        sheet_.write(x(begin) + 5, y_ + barHeight - 3, Anchor::Start, over ? ink_.bad : ink_.text,
                     formatBytes(total(row.memory)));
        y_ += rowHeight;
    }
    if (limited)
        sheet_.line(x(static_cast<double>(usable)), from - 3, x(static_cast<double>(usable)), y_ - 2, ink_.text,
                    dashedMore);
    axis();
    tellOfMore();
    std::vector<Entry> entries;
    for (int part = 0; part < memoryCategoryCount; ++part)
        if (std::ranges::any_of(answer_.rows,
                                [&](const WhatIfRow& row) { return row.memory[static_cast<std::size_t>(part)] > 0; }))
            entries.push_back(
                {ink_.of(static_cast<MemoryCategory>(part)), tell_(termOf(name(static_cast<MemoryCategory>(part))))});
    if (limited)
        entries.push_back({ink_.text, tell_(say("what a device has room for: {}", formatBytes(usable))), {}, true});
    legend(entries);
}

void Drawing::step() {
    constexpr double rowHeight = 28, barHeight = 20;
    const std::vector<StepPart> parts = partsOf(answer_);
    end_ = roundAbove(std::max(answer_.fall->stepSeconds, answer_.startFall->stepSeconds) * 1.15, false);
    for (const bool now : {true, false}) {
        label(tell_(now ? say("now") : say("at first")), y_ + barHeight / 2);
        double begin = 0;
        for (const StepPart& part : parts) {
            const double seconds = std::max(0.0, now ? part.seconds : part.atStart);
            sheet_.rect(x(begin), y_, x(begin + seconds) - x(begin), barHeight, ink_.*part.ink,
                        now ? "" : " fill-opacity=\"0.45\"");
            begin += seconds;
        }
        sheet_.write(x(begin) + 5, y_ + barHeight - 5, Anchor::Start, now ? ink_.text : ink_.dim,
                     formatSeconds(now ? answer_.fall->stepSeconds : answer_.startFall->stepSeconds));
        y_ += rowHeight;
    }
    axis();
    std::vector<Entry> entries;
    for (const StepPart& part : parts)
        entries.push_back({ink_.*part.ink, tell_(part.name) + " " + formatSeconds(part.seconds)});
    legend(entries);
}

void Drawing::curve() {
    constexpr double plotHeight = 150, pointSize = 2.6;
    const std::size_t count = answer_.curve.size();
    double most = 0;
    for (const auto* values : {&answer_.curve, &answer_.theory})
        for (const auto& value : *values)
            if (value && std::isfinite(*value)) most = std::max(most, *value);
    const LessonFigure& figure = *whatIf_.figure;
    const double top = roundAbove(most, figure.unit == FigureUnit::Size);
    const double up = y_ + 4, down = up + plotHeight;
    const auto across = [&](std::size_t place) {
        return plotLeft + 12 +
               (plotRight - plotLeft - 24) * static_cast<double>(place) / std::max<double>(1, count - 1.0);
    };
    const auto height = [&](double value) { return down - plotHeight * std::clamp(value / top, 0.0, 1.0); };
    for (const double share : {0.0, 0.5, 1.0}) {
        sheet_.line(plotLeft, height(share * top), plotRight, height(share * top), ink_.other,
                    " stroke-opacity=\"0.6\"");
        sheet_.write(plotLeft - 8, height(share * top) + 4, Anchor::End, ink_.dim,
                     share == 0 ? "0" : figure.text(share * top), smallLetters);
    }
    const auto draw = [&](const std::vector<std::optional<double>>& values, const std::string& colour,
                          std::string_view more) {
        std::string path;
        bool open = false;
        for (std::size_t place = 0; place < count; ++place) {
            const bool there = values[place] && std::isfinite(*values[place]);
            if (there) path += fmt::format("{}{:.1f} {:.1f}", open ? "L" : "M", across(place), height(*values[place]));
            open = there || open;  // a position that is not legal is passed over
        }
        if (!path.empty())
            sheet_.add(
                fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{} d=\"{}\"/>\n", colour, more, path));
    };
    const bool theory = std::ranges::any_of(answer_.theory, [](const auto& value) { return value.has_value(); });
    if (theory) draw(answer_.theory, ink_.dim, " stroke-dasharray=\"4 3\"");
    draw(answer_.curve, ink_.bar, "");
    const WhatIfSlider& slider = whatIf_.sliders.front();
    double written = 0;  // the right end of the last number below the plot
    for (std::size_t place = 0; place < count; ++place) {
        if (answer_.curve[place])
            sheet_.add(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", across(place),
                                   height(*answer_.curve[place]), pointSize, ink_.bar));
        const std::string value = tell_(sliderShort(slider, place));
        const double half = widthOf(value, smallLetters) / 2;
        if (across(place) - half < written + 6) continue;
        sheet_.write(across(place), down + 16, Anchor::Middle, ink_.dim, value, smallLetters);
        written = across(place) + half;
    }
    const std::size_t here = answer_.position.front();
    if (const auto value = answer_.curve[here]) {
        sheet_.line(across(here), down, across(here), height(*value), ink_.guess,
                    " stroke-width=\"1.5\" stroke-dasharray=\"4 3\"");
        sheet_.add(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", across(here),
                               height(*value), 2 * pointSize, ink_.guess));
        const std::string text = figure.text(*value);
        // On the side where the curve goes down or ends.
        const std::size_t next = std::min(here + 1, count - 1);
        const bool rises = answer_.curve[next] && *answer_.curve[next] > *value;
        const double wide = widthOf(text, sheetLetters) + 10;
        const bool left = across(here) + wide > plotRight || (rises && across(here) - wide > plotLeft);
        sheet_.write(across(here) + (left ? -10 : 10), std::max(up + 12, height(*value) - 6),
                     left ? Anchor::End : Anchor::Start, ink_.text, text);
    }
    y_ = down + 22;
    std::vector<Entry> entries{{ink_.bar, tell_(termOf(figure.meaning))}};
    if (theory) entries.push_back({ink_.dim, tell_(say("in theory"))});
    legend(entries);
}

}  // namespace

LessonPicture whatIfPicture(const LessonWhatIf& whatIf, const WhatIfAnswer& answer, const PictureInk& ink,
                            const Tell& tell) {
    return Drawing(whatIf, answer, ink, tell).made();
}

std::vector<std::vector<std::string>> whatIfTable(const LessonWhatIf& whatIf, const WhatIfAnswer& answer,
                                                  const Tell& tell) {
    std::vector<std::vector<std::string>> table;
    switch (whatIf.drawing) {
    case WhatIfDrawing::Timeline:
        table.push_back({tell(say("ranks")), tell(say("computing")), tell(say("idle")), tell(say("bubble"))});
        for (const WhatIfRow& row : answer.rows)
            table.push_back({rankList(row.ranks), formatSeconds(row.busySeconds), formatSeconds(row.idleSeconds),
                             formatPercent(row.idleSeconds / (row.busySeconds + row.idleSeconds))});
        break;
    case WhatIfDrawing::Memory: {
        std::vector<std::string> head{tell(say("ranks"))};
        for (int part = 0; part < memoryCategoryCount; ++part)
            head.push_back(tell(termOf(name(static_cast<MemoryCategory>(part)))));
        head.push_back(tell(say("all together")));
        table.push_back(std::move(head));
        for (const WhatIfRow& row : answer.rows) {
            std::vector<std::string> cells{rankList(row.ranks)};
            for (const std::int64_t bytes : row.memory) cells.push_back(formatBytes(bytes));
            cells.push_back(formatBytes(total(row.memory)));
            table.push_back(std::move(cells));
        }
        break;
    }
    case WhatIfDrawing::Step: {
        table.push_back({tell(say("part of the step")), tell(say("now")), tell(say("at first"))});
        for (const StepPart& part : partsOf(answer))
            table.push_back({tell(part.name), formatSeconds(part.seconds), formatSeconds(part.atStart)});
        table.push_back({tell(say("the whole step")), formatSeconds(answer.fall->stepSeconds),
                         formatSeconds(answer.startFall->stepSeconds)});
        break;
    }
    case WhatIfDrawing::Curve: {
        const WhatIfSlider& slider = whatIf.sliders.front();
        const bool theory = std::ranges::any_of(answer.theory, [](const auto& value) { return value.has_value(); });
        table.push_back({tell(sliderLabel(slider)), tell(say("predicted"))});
        if (theory) table.front().push_back(tell(say("in theory")));
        const auto cell = [&](const std::optional<double>& value) {
            return value ? whatIf.figure->text(*value) : std::string("–");
        };
        for (std::size_t place = 0; place < answer.curve.size(); ++place) {
            table.push_back({tell(sliderValue(slider, place)), cell(answer.curve[place])});
            if (theory) table.back().push_back(cell(answer.theory[place]));
        }
        break;
    }
    }
    return table;
}

std::string whatIfTableText(const LessonWhatIf& whatIf, const WhatIfAnswer& answer, const Tell& tell) {
    std::string text;
    for (const std::vector<std::string>& row : whatIfTable(whatIf, answer, tell)) {
        const bool head = text.empty();
        text += "|";
        for (const std::string& cell : row) text += " " + cell + " |";
        text += "\n";
        if (!head) continue;
        text += "|";
        for (std::size_t cell = 0; cell < row.size(); ++cell) text += "---|";
        text += "\n";
    }
    return text;
}

std::string whatIfText(const LessonWhatIf& whatIf, const WhatIfAnswer& answer, const Tell& tell) {
    std::string text;
    const PlannedRun& run = *answer.planned;
    if (whatIf.formula) {
        const LessonFormula& formula = *whatIf.formula;
        const double value = formula.value(run);
        const LessonFigure count{.name = {}, .meaning = {}, .unit = FigureUnit::Count};
        const std::string result = std::isfinite(value) ? (whatIf.figure ? *whatIf.figure : count).text(value) : "–";
        text += "    " + formula.text() + " = " + formula.withNumbers(run) + " = " + result + "\n\n";
    }
    for (const auto& piece : whatIf.said) {
        if (const auto* plain = std::get_if<std::string>(&piece)) {
            text += *plain;
            continue;
        }
        const auto& place = std::get<WhatIfFigure>(piece);
        const auto value =
            place.origin == FigureOrigin::Theory ? place.figure->theory(run) : place.figure->predicted(run);
        text += value ? place.figure->text(*value) : tell("–");
    }
    if (!whatIf.said.empty()) text += "\n";
    return text;
}

Sentence positionWords(const LessonWhatIf& whatIf, const WhatIfPosition& position) {
    Sentence words;
    for (std::size_t index = 0; index < position.size(); ++index) {
        const Sentence one =
            say("{} {}", sliderLabel(whatIf.sliders[index]), sliderValue(whatIf.sliders[index], position[index]));
        words = words.empty() ? one : say("{}, {}", words, one);
    }
    return words;
}

Sentence refusalWords(const LessonWhatIf& whatIf, const WhatIfAnswer& answer) {
    const Fault& fault = answer.faults.front();
    const Sentence what = fault.why.empty() ? fault.what : say("{}: {}", fault.what, fault.why);
    return say("{}. Nearest legal: {}.", what, positionWords(whatIf, answer.nearest));
}

}  // namespace shardlab::launch
