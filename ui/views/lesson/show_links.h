// SPDX-License-Identifier: GPL-3.0-or-later
// Links of a lesson's text to what the desktop shows: [micro](show:/batch/micro).
#pragma once

#include "ui/core/lesson_session.h"

#include <QLabel>

namespace shardlab::ui {

inline void followShowLink(LessonSession& lessons, const QString& link) {
    if (link.startsWith(QStringLiteral("show:"))) lessons.requestShow(link.mid(5));
}

inline bool hasLinks(const QString& markdown) { return markdown.contains(QStringLiteral("](")); }

/// Tab stops where there is a link to follow, and nowhere else.
inline void showMarkdown(QLabel& label, const QString& markdown) {
    label.setText(markdown);
    label.setTextInteractionFlags(hasLinks(markdown) ? Qt::TextBrowserInteraction : Qt::TextSelectableByMouse);
}

/// A label for Markdown of a lesson, whose links are followed.
inline void prepareMarkdown(QLabel& label, LessonSession& lessons) {
    label.setTextFormat(Qt::MarkdownText);
    label.setWordWrap(true);
    label.setOpenExternalLinks(false);
    QObject::connect(&label, &QLabel::linkActivated, &lessons,
                     [&lessons](const QString& link) { followShowLink(lessons, link); });
    showMarkdown(label, label.text());
}

}  // namespace shardlab::ui
