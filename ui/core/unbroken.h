// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRegularExpression>
#include <QString>

namespace shardlab::ui {

/// The text, whose figures stay on one line with their units, "57.6 %", "17.6 MiB", "3 ×", and with what they are the
/// value of, "m = 32".
inline QString unbroken(QString text) {
    static const QRegularExpression space(
        QStringLiteral("(?<=\\d) (?=(?:%|×|[nmµ]?s|min|h|d|[KMGTPE]i?B|[kMGT]?B(?:/s)?|[kMGT])(?!\\w))"));
    static const QRegularExpression equals(QStringLiteral("(?<=\\b\\w) = (?=\\d)"));
    const QString nbsp(QChar::Nbsp);
    return text.replace(space, nbsp).replace(equals, nbsp + QLatin1Char('=') + nbsp);
}

}  // namespace shardlab::ui
