// SPDX-License-Identifier: GPL-3.0-or-later
// What is told of a file that was opened lately: its layout, when it was written, how its run ended.
#pragma once

#include "engine/layout/layout.h"

#include <QDateTime>
#include <QString>

#include <optional>

namespace shardlab::ui {

struct RecentFacts {
    QString file;  ///< absolute
    bool run = false;
    QDateTime written;
    std::optional<Layout> layout;  ///< none: it cannot be read, or another program recorded it
    QString outcome;               ///< of a run: "finished"
    QString trouble;               ///< why nothing is known of it
};

/// Reads the file; called on any thread.
RecentFacts readRecent(const QString& file);
/// "1f1b, data 2 × pipeline 2, llama of 4 layers".
QString layoutInWords(const Layout& layout);
/// What `later` has else than `earlier`, the name left out: "Pipeline 4 instead of 2, Micro 1 instead of 4 and 3 more";
/// empty where they are alike.
QString differenceInWords(const Layout& earlier, const Layout& later);

}  // namespace shardlab::ui
