// SPDX-License-Identifier: GPL-3.0-or-later
// Which words of a Chinese text are none that Chinese texts of the field write in Latin letters.
#pragma once

#include "tests/support/wings.h"

#include "engine/layout/devices.h"
#include "engine/layout/fields.h"
#include "engine/layout/registries.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/stacks.h"
#include "ui/core/words.h"

#include <QRegularExpression>
#include <QSet>
#include <QStringList>

namespace shardlab::test {

/// What Chinese texts of the field write in Latin letters: terms, units, formats, and names of files and models.
inline const QStringList terms{
    "ZeRO",  "HSDP",        "rank",     "token",  "dropout", "all",       "reduce",    "gather",    "scatter",  "to",
    "GPU",   "CUDA",        "logit",    "ReLU",   "RMSNorm", "sigmoid",   "GELU",      "LayerNorm", "sink",     "JSON",
    "Lines", "UTF",         "bin",      "vocab",  "merges",  "txt",       "beta",      "epsilon",   "cap",      "GPT",
    "OSS",   "Llama",       "Qwen",     "MoE",    "Mixtral", "DeepSeek",  "Starcoder", "Arcee",     "StableLM", "Dots",
    "Adam",  "Shardlab",    "shardlab", "mpirun", "micro",   "resources", "devices",   "true",      "false",    "null",
    "rope",  "transformer", "GiB",      "TiB",    "MiB",     "KiB",       "ms",        "min",       "profile",  "AdamW",
    "nan",   "inf",         "vm",       "max",    "kill",    "hang",      "slow"};

/// Words of those terms, and of the names that layouts, devices and stacks have.
inline QSet<QString> knownWords(const Layout& layout) {
    static const QRegularExpression word(QStringLiteral("[A-Za-z]+"));
    QSet<QString> known;
    for (const QString& each : terms) known += each.toLower();
    const auto add = [&](std::string_view text) {
        for (auto each = word.globalMatch(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
             each.hasNext();)
            known += each.next().captured().toLower();
    };
    for (const Field& field : fields()) {
        add(field.pointer);
        if (const auto* words = std::get_if<WordField>(&field.access))
            for (const std::string_view each : words->words) add(each);
        if (const auto* words = std::get_if<WordSetField>(&field.access))
            for (const std::string_view each : words->words) add(each);
        for (const RegistryEntry& entry : registryOf(field, scheduleMethods())) {
            add(entry.name);
            if (const SoftwareStack* stack = findStack(entry.name)) add(wordOf(stack->attention));
            const DevicePreset* device = findDevice(entry.name);
            if (const Architecture* its = device ? findArchitecture(device->architecture) : nullptr) add(its->title);
        }
    }
    for (const ScheduleMethod& method : scheduleMethods()) add(term(method.title).toStdString());
    add(layout.name);
    return known;
}

/// What is told of a text with words that are none of those. Quoted is what somebody wrote, and a device or a stack
/// has its own title.
inline QString foreignWords(const QString& text, const QSet<QString>& known) {
    static const QRegularExpression quoted(QStringLiteral("\"[^\"]*\"|“[^”]*”|'[^']*'")),
        word(QStringLiteral("[A-Za-z]{2,}"));
    // Actions, "2B0"; arguments of other programs, "--num-layers", where a colon follows with their value; their
    // fields, "head_dim"; and names of files.
    static const QRegularExpression code(QStringLiteral(
        "\\b\\d+[A-Z][A-Z_]*\\d*\\b|--[a-z0-9-]+(?: \\w+(?=：))?|\\w+(?:\\.\\w+)+|\\w+_\\w+|/?[\\w.]*/[\\w./-]+"));
    QString rest = text;
    rest.remove(code);
    for (const std::string_view pointer : {"/cluster/pace/device", "/cluster/pace/stack"})
        for (const RegistryEntry& entry : registryOf(*findField(pointer), scheduleMethods()))
            rest.remove(QString::fromStdString(std::string(entry.title)));
    QStringList foreign;
    for (auto each = word.globalMatch(rest.remove(quoted)); each.hasNext();)
        if (const QString one = each.next().captured(); !known.contains(one.toLower())) foreign += one;
    return foreign.isEmpty() ? QString() : QStringLiteral("%1 in: %2\n").arg(foreign.join(QLatin1Char(' ')), text);
}

/// Where an English text counts one as many, "1 ranks": behind a 1 stands a plural, and no verb.
inline QString wrongPlurals(const QString& english) {
    static const QRegularExpression many(
        QStringLiteral("(?<![\\w.,:/–-])1 "
                       "(?!(?:is|has|was|does|less|takes|holds|needs|runs|waits|keeps|sends|computes)\\b)[a-z]+s\\b"));
    const QRegularExpressionMatch match = many.match(english);
    return match.hasMatch() ? QStringLiteral("%1 in: %2\n").arg(match.captured(), english) : QString();
}

/// What is wrong with a sentence, in Chinese or in English.
inline QString wrongWords(const Sentence& sentence, const QSet<QString>& known) {
    return foreignWords(told(sentence), known) + wrongPlurals(QString::fromStdString(sentence.english()));
}

}  // namespace shardlab::test
