// SPDX-License-Identifier: Apache-2.0
// What a refusal calls legal, read as a person would read it and put into the layout.
#pragma once

#include "engine/layout/fault.h"
#include "engine/layout/layout_file.h"
#include "tests/layout/refusals/legal_phrases.h"

#include <QRegularExpression>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace shardlab::test {

/// One of the things that are called legal, and the layouts that follow it: both ends of a range, each word of a list.
struct LegalChoice {
    QString text;
    std::vector<Layout> layouts;  ///< empty: the text was not understood
};

/// The ends of "2 to 4", the words of "a, b or c", the number of "at most 3"; empty where the text is none of these.
inline QStringList valuesOf(const QString& text) {
    static const QRegularExpression range(QStringLiteral(R"(^(-?[\d.e+-]+) to (-?[\d.e+-]+)$)")),
        bound(QStringLiteral(R"(^(?:at least |at most |of at least |of |)(-?[\d.e+-]+)(?: or more)?$)")),
        above(QStringLiteral(R"(^(?:above|more than) (-?[\d.e+-]+)$)")),
        multiple(QStringLiteral(R"(^that is a multiple of (\d+)$)")),
        word(QStringLiteral(R"(^(?:[\w.-]+|\d+ × \d+|\[[^\]]*\]|"[^"]*")$)"));
    if (const auto found = range.match(text); found.hasMatch()) return {found.captured(1), found.captured(2)};
    for (const QRegularExpression& one : {bound, multiple})
        if (const auto found = one.match(text); found.hasMatch()) return {found.captured(1)};
    if (const auto found = above.match(text); found.hasMatch())
        return {QString::number(found.captured(1).toDouble() + 1)};
    QStringList words;
    for (const QString& each : text.split(QRegularExpression(QStringLiteral(R"(, (?![^\[]*\])| or )"))))
        if (word.match(each).hasMatch()) words += each;
        else return {};
    return words;
}

inline std::optional<Layout> withField(const Layout& layout, const QString& pointer, const QString& value) {
    const auto parsed = setField(layout, (pointer + QLatin1Char('=') + value).toStdString());
    if (!parsed || !parsed->faults.empty()) return {};
    return parsed->layout;
}

/// Every value of `text` in the field at `pointer`; empty where the text holds no values.
inline std::vector<Layout> withValues(const Layout& layout, const QString& pointer, const QString& text) {
    std::vector<Layout> layouts;
    for (const QString& value : valuesOf(text)) {
        if (pointer == QStringLiteral("/memory/recompute_parts")) {
            Layout changed = layout;
            changed.memory.recomputeParts = {};
            changed.memory.recomputeParts.set(*kindOf<RecomputePart>(value.toStdString()), true);
            layouts.push_back(std::move(changed));
            continue;
        }
        const std::optional<Layout> changed = withField(layout, pointer, value);
        if (!changed) return {};
        layouts.push_back(*changed);
    }
    return layouts;
}

/// "parallel.exchange allreduce or server", "a model.capacity above 0".
inline std::vector<Layout> withNamedField(const Layout& layout, const QString& text) {
    static const QRegularExpression named(QStringLiteral(R"(^(?:an? )?([a-z]+(?:\.[a-z_]+)+) (.+)$)"));
    const auto found = named.match(text);
    if (!found.hasMatch()) return {};
    return withValues(layout, QLatin1Char('/') + found.captured(1).replace(QLatin1Char('.'), QLatin1Char('/')),
                      found.captured(2));
}

/// What a refusal counts: a pattern whose group holds values, and what each of them comes to.
struct LegalCount {
    QRegularExpression pattern;
    void (*apply)(Layout&, const QString&);
};
inline const std::vector<LegalCount>& legalCounts() {
    const auto microbatches = [](Layout& l, const QString& value) {
        l.batch.global = value.toInt() * l.parallel.data * l.batch.micro;
    };
    static const std::vector<LegalCount> counts{
        {QRegularExpression(QStringLiteral("^(?:at most )?(.+?) microbatches(?: or more| a step)?$")), microbatches},
        {QRegularExpression(QStringLiteral("^at most (.+) = microbatches × stages$")),
         [](Layout& l, const QString& value) {
             l.batch.global = value.toInt() / l.parallel.pipeline * l.parallel.data * l.batch.micro;
         }},
        {QRegularExpression(QStringLiteral("^global (.+)$")),
         [](Layout& l, const QString& value) { l.batch.global = value.toInt(); }},
        {QRegularExpression(QStringLiteral("^micro (.+)$")),
         [](Layout& l, const QString& value) { l.batch.micro = value.toInt(); }},
        {QRegularExpression(QStringLiteral("^pipeline (?:× chunks )?(at most \\d+|[\\d, or]+)$")),
         [](Layout& l, const QString& value) {
             l.parallel.pipeline = value.toInt();
             l.schedule.chunks = 1;
         }},
        {QRegularExpression(QStringLiteral("^data × pipeline (.+)$")),
         [](Layout& l, const QString& value) {
             l.parallel.data = value.section(QLatin1Char(' '), 0, 0).toInt();
             l.parallel.pipeline = value.section(QLatin1Char(' '), -1).toInt();
         }},
        {QRegularExpression(QStringLiteral(R"(^(?:one host with )?(\d+) devices(?: in cluster\.hosts)?$)")),
         [](Layout& l, const QString& value) {
             l.cluster.hosts = {{"localhost", value.toInt()}};
         }},
        {QRegularExpression(QStringLiteral("^rank (.+)$")),
         [](Layout& l, const QString& value) { l.run.faults = {"kill " + value.toStdString() + " after 1"}; }},
        {QRegularExpression(QStringLiteral("^after (.+)$")),
         [](Layout& l, const QString& value) { l.run.faults = {"kill 1 after " + value.toStdString()}; }},
    };
    return counts;
}

/// "8 or 10 microbatches", "micro 1, 3 or 9", "data × pipeline 8 × 1 or 4 × 2", "4 devices in cluster.hosts".
inline std::vector<Layout> withCounts(const Layout& layout, const QString& text) {
    std::vector<Layout> layouts;
    for (const LegalCount& count : legalCounts())
        if (const auto found = count.pattern.match(text); found.hasMatch() && layouts.empty())
            for (const QString& value : valuesOf(found.captured(1))) count.apply(layouts.emplace_back(layout), value);
    return layouts;
}

/// One of the alternatives. Remarks behind it ("0 for no cap", "1, with …", "2 splits …") may go on to name fields.
inline std::vector<Layout> withChoice(const Layout& layout, const Fault& fault, const QString& text) {
    const QString pointer = QString::fromStdString(fault.pointer);
    if (const auto phrase = legalPhrases().find(text); phrase != legalPhrases().end()) {
        Layout changed = layout;
        phrase->second(changed);
        return {changed};
    }
    static const QRegularExpression example(QStringLiteral(R"(^.*, for instance (\[.*\])$)")),
        without(QStringLiteral("^a list without (.+)$")),
        remark(QStringLiteral(R"(^(.+?)(?: for .+|: .+|, as all else|, which .+|, whose .+|, heads of .+| splits? .+)"
                              R"(| \(did you mean .+\)| \(.+\) or more)$)")),
        together(QStringLiteral("^(.+?),? with (.+)$"));
    if (const auto found = without.match(text); found.hasMatch()) {
        Layout changed = layout;
        changed.memory.recomputeParts.set(*kindOf<RecomputePart>(found.captured(1).toStdString()), false);
        return {changed};
    }
    if (const auto found = example.match(text); found.hasMatch()) return withValues(layout, pointer, found.captured(1));
    for (std::vector<Layout> layouts :
         {withCounts(layout, text), withNamedField(layout, text), withValues(layout, pointer, text)})
        if (!layouts.empty()) return layouts;
    if (const auto found = together.match(text); found.hasMatch()) {
        std::vector<Layout> all;
        for (const Layout& first : withChoice(layout, fault, found.captured(1)))
            for (const Layout& both : withChoice(first, fault, found.captured(2))) all.push_back(both);
        if (!all.empty()) return all;
    }
    if (const auto found = remark.match(text); found.hasMatch()) return withChoice(layout, fault, found.captured(1));
    return {};
}

/// All alternatives of the fault's legal part.
inline std::vector<LegalChoice> legalChoices(const Layout& layout, const Fault& fault) {
    std::vector<LegalChoice> choices;
    const QString legal = QString::fromStdString(fault.legal.english());
    static const QRegularExpression between(QStringLiteral("; or |; so with |, or |; "));
    for (const QString& text : legal.split(between)) choices.push_back({text, withChoice(layout, fault, text)});
    return choices;
}

}  // namespace shardlab::test
