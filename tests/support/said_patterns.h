// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/wings.h"

#include <QFile>
#include <QRegularExpression>
#include <QString>

#include <filesystem>
#include <set>
#include <string>

namespace shardlab::test {

/// The patterns of the engine's sentences in C++ text: the literals right behind say( and phrase(, in one piece.
inline std::set<std::string> saidPatterns(const QString& source) {
    static const QRegularExpression said(QStringLiteral(R"~(\b(?:say|phrase)\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+))~")),
        piece(QStringLiteral(R"~("((?:[^"\\]|\\.)*)")~"));
    std::set<std::string> patterns;
    for (auto each = said.globalMatch(source); each.hasNext();) {
        QString pattern;
        for (auto part = piece.globalMatch(each.next().captured(1)); part.hasNext();)
            pattern += part.next().captured(1);
        patterns.insert(pattern.replace(QStringLiteral("\\\""), QStringLiteral("\"")).toStdString());
    }
    return patterns;
}

/// The text of a source; empty where it cannot be read.
inline QString sourceText(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

}  // namespace shardlab::test
