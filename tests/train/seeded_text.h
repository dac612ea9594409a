// SPDX-License-Identifier: Apache-2.0
// A text to train on that is made of a seed, for comparisons of experts: a token that stands between two of them may go
// either way where sums round otherwise, so that what differs is tried again with other seeds.
#pragma once

#include "engine/layout/data/text_generator.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cstdint>
#include <fstream>
#include <string>

namespace shardlab::test {

class SeededText {
public:
    SeededText() { draw(); }
    std::int64_t seed() const { return seed_; }
    std::string path() const { return folder_.filePath(QStringLiteral("text.txt")).toStdString(); }

    /// What `compare` tells that differs, asked again with up to two other seeds; nothing where one of them had
    /// nothing.
    template <class Compare>
    QString difference(Compare compare) {
        constexpr int attempts = 3;
        QString wrong;
        for (int i = 0; i < attempts; ++i) {
            if (i > 0) draw();
            wrong = compare();
            if (wrong.isEmpty()) break;
            qInfo("seed %lld: %s", static_cast<long long>(seed_), qPrintable(wrong));
        }
        return wrong;
    }

private:
    void draw() {
        seed_ = freshSeed();
        std::ofstream(path()) << generateText(seed_, 20'000);
    }

    QTemporaryDir folder_;
    std::int64_t seed_ = 0;
};

}  // namespace shardlab::test
