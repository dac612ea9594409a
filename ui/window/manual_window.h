// SPDX-License-Identifier: GPL-3.0-or-later
// F1: the manual's pages, their list beside the page that is read, and a search through all of them.
#pragma once

#include "engine/base/pages.h"

#include <QDialog>
#include <QStringList>

#include <vector>

class QLineEdit;
class QListWidget;

namespace shardlab::ui {

class MarkdownPage;
class ThemeSource;

class ManualWindow : public QDialog {
    Q_OBJECT
public:
    /// Shows the first of the manual's pages, or why there are none.
    ManualWindow(ThemeSource& theme, QWidget* parent);

    QLineEdit& query() const { return *query_; }
    QListWidget& topics() const { return *topics_; }
    /// What is found, in place of the topics while something is looked for: below each page's title its lines.
    QListWidget& hits() const { return *hits_; }
    MarkdownPage& page() const { return *page_; }

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void build();
    void showTopic(int topic);
    /// The page that a link of another page names by its file, "50-hosts.md"; other links are not followed.
    void follow(const QString& target);
    void find();
    /// Opens the page of the current hit at its line, and marks the words there.
    void goToHit();

    ThemeSource& theme_;
    std::vector<Page> pages_;
    std::vector<QStringList> paragraphs_;  ///< of each page, as they are read; made when something is looked for
    QLineEdit* query_;
    QListWidget *topics_, *hits_;
    MarkdownPage* page_;
};

}  // namespace shardlab::ui
