// SPDX-License-Identifier: GPL-3.0-or-later
// F1: the manual's pages, their list beside the page that is read.
#pragma once

#include "engine/base/pages.h"

#include <QDialog>

#include <vector>

class QListWidget;

namespace shardlab::ui {

class MarkdownPage;
class ThemeSource;

class ManualWindow : public QDialog {
    Q_OBJECT
public:
    /// Shows the first of the manual's pages, or why there are none.
    ManualWindow(ThemeSource& theme, QWidget* parent);

    QListWidget& topics() const { return *topics_; }
    MarkdownPage& page() const { return *page_; }

private:
    void showTopic(int topic);
    /// The page that a link of another page names by its file, "50-hosts.md"; other links are not followed.
    void follow(const QString& target);

    ThemeSource& theme_;
    std::vector<Page> pages_;
    QListWidget* topics_;
    MarkdownPage* page_;
};

}  // namespace shardlab::ui
