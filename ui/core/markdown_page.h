// SPDX-License-Identifier: GPL-3.0-or-later
// Markdown in the colours of the theme: a lesson's text, a page of the manual.
#pragma once

#include <QTextBrowser>

namespace shardlab::ui {

struct Theme;

class MarkdownPage : public QTextBrowser {
    Q_OBJECT
public:
    explicit MarkdownPage(QWidget* parent);

    /// Stays at the same place of the text.
    void setText(const QString& markdown, const Theme& theme);

Q_SIGNALS:
    /// The link "#3" was followed.
    void numberFollowed(int number);
    /// Any other link was followed: what it names, "50-hosts.md" say.
    void pageFollowed(const QString& target);
};

}  // namespace shardlab::ui
