// SPDX-License-Identifier: GPL-3.0-or-later
// Links of a lesson's text to what the desktop shows: [micro](show:/batch/micro).
#pragma once

#include "ui/core/lesson_session.h"

#include <QLabel>

namespace shardlab::ui {

inline void followShowLink(LessonSession& lessons, const QString& link) {
    if (link.startsWith(QStringLiteral("show:"))) lessons.requestShow(link.mid(5));
}

/// A label for Markdown of a lesson, whose links are followed.
inline void prepareMarkdown(QLabel& label, LessonSession& lessons) {
    label.setTextFormat(Qt::MarkdownText);
    label.setWordWrap(true);
    label.setTextInteractionFlags(Qt::TextBrowserInteraction);
    label.setOpenExternalLinks(false);
    QObject::connect(&label, &QLabel::linkActivated, &lessons,
                     [&lessons](const QString& link) { followShowLink(lessons, link); });
}

}  // namespace shardlab::ui
