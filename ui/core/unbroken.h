// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRegularExpression>
#include <QString>

namespace shardlab::ui {

/// The text, whose figures stay on one line with their units: "57.6 %", "17.6 MiB", "3 ×".
inline QString unbroken(QString text) {
    static const QRegularExpression space(
        QStringLiteral("(?<=\\d) (?=(?:%|×|[nmµ]?s|min|h|d|[KMGTPE]i?B|[kMGT]?B(?:/s)?|[kMGT])(?!\\w))"));
    return text.replace(space, QString(QChar::Nbsp));
}

}  // namespace shardlab::ui
