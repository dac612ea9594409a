// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson's text in the colours of the theme.
#pragma once

#include <QTextBrowser>

namespace shardlab {

struct Theme;

class LessonPage : public QTextBrowser {
    Q_OBJECT
public:
    explicit LessonPage(QWidget* parent);

    /// Stays at the same place of the text.
    void setText(const QString& markdown, const Theme& theme);

Q_SIGNALS:
    /// The link "#3" was followed.
    void numberFollowed(int number);
};

}  // namespace shardlab
