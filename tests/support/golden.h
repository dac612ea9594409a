// SPDX-License-Identifier: Apache-2.0
// Outputs that are kept as files, named from tests/, and reviewed when they change: SHARDLAB_REGENERATE=1 writes them
// anew.
#pragma once

#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <string>

namespace shardlab::test {

inline std::string readGolden(const QString& name) {
    QFile file(QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/") + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// Empty where `actual` is what the file holds, else what differs.
inline QString differenceFromGolden(const QString& name, const std::string& actual) {
    if (qEnvironmentVariableIntValue("SHARDLAB_REGENERATE") == 1) {
        QFile file(QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/") + name);
        if (!file.open(QIODevice::WriteOnly)) return "cannot write " + file.fileName();
        file.write(actual.data(), static_cast<qint64>(actual.size()));
        return {};
    }
    const QStringList expected = QString::fromStdString(readGolden(name)).split('\n');
    const QStringList lines = QString::fromStdString(actual).split('\n');
    for (qsizetype i = 0; i < std::max(expected.size(), lines.size()); ++i) {
        const QString was = i < expected.size() ? expected[i] : "(nothing)",
                      is = i < lines.size() ? lines[i] : "(nothing)";
        if (was != is)
            return QString("%1, line %2:\n  was %3\n  is  %4\nIf this is meant: SHARDLAB_REGENERATE=1")
                .arg(name)
                .arg(i + 1)
                .arg(was, is);
    }
    return {};
}

}  // namespace shardlab::test
