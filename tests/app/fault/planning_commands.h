// SPDX-License-Identifier: Apache-2.0
// What the program is asked while its calls fail.
#pragma once

#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

namespace shardlab::test {

/// The rows of a test that asks for a plan or a schedule; the layout that they name is written to the folder.
inline void askedWhilePlanning(const QTemporaryDir& folder) {
    QTest::addColumn<QStringList>("arguments");
    const QString layout = writeFile(folder.filePath("small.layout.json"), smallLayout(4, "1"));
    QTest::newRow("plan") << QStringList{"plan", layout, "--json"};
    QTest::newRow("plan of a preset") << QStringList{"plan", "default", "--json"};
    QTest::newRow("schedule") << QStringList{"schedule", layout, "--format", "csv"};
    QTest::newRow("a faulty layout") << QStringList{"plan", layout, "--set", "/model/heads=7"};
}

}  // namespace shardlab::test
