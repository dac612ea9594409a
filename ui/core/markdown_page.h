// SPDX-License-Identifier: GPL-3.0-or-later
// Markdown in the colours of the theme: a lesson's text, a page of the manual.
#pragma once

#include <QTextBrowser>

namespace shardlab::ui {

struct Theme;

/// The words that are looked for.
QStringList wordsOf(const QString& query);
/// True where the text has every word somewhere, whatever the case.
bool hasWords(const QString& text, const QStringList& words);
/// The paragraphs of Markdown, cells of its tables and lines of its code as they are read, without its signs.
QStringList paragraphsOf(const QString& markdown);

class MarkdownPage : public QTextBrowser {
    Q_OBJECT
public:
    explicit MarkdownPage(QWidget* parent);

    /// Room around the text, in pixels.
    void setRoom(int room) { room_ = room; }
    /// Stays at the same place of the text.
    void setText(const QString& markdown, const Theme& theme);
    /// Brings the paragraph into sight that is number `hit` (from 0) of those with all of the words, and marks them in
    /// it until other text comes.
    void mark(const QStringList& words, int hit, const Theme& theme);

protected:
    QMimeData* createMimeDataFromSelection() const override;

private:
    int room_ = 14;

Q_SIGNALS:
    /// The link "#3" was followed.
    void numberFollowed(int number);
    /// Any other link was followed: what it names, "50-hosts.md" say.
    void pageFollowed(const QString& target);
};

}  // namespace shardlab::ui
