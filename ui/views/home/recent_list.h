// SPDX-License-Identifier: GPL-3.0-or-later
// Runs and layouts opened lately, newest first: what each is, what is different from the one before it, its tags; and a
// field to find one.
#pragma once

#include "ui/views/home/recent_facts.h"

#include <QHash>
#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;

namespace shardlab::ui {

class HomeSession;
class ThemeSource;

class RecentList : public QWidget {
    Q_OBJECT
public:
    RecentList(HomeSession& home, ThemeSource& theme, QWidget* parent);
    /// Reads the files, and again whenever there are others.
    void begin();
    QLineEdit& search() const { return *search_; }
    QListWidget& rows() const { return *rows_; }
    QLineEdit& tags() const { return *tags_; }
    /// The file of a row; empty: there is none.
    QString fileOf(int row) const;
    /// A line for each row: "name\tin words".
    QString asTable() const;

Q_SIGNALS:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void read();
    void take(std::vector<RecentFacts> facts);
    void fill();
    void showTags();
    QStringList linesOf(const RecentFacts& facts, const RecentFacts* before) const;

    HomeSession& home_;
    QLineEdit* search_;
    QListWidget* rows_;
    QLineEdit* tags_;
    QHash<QString, RecentFacts> known_;  ///< by file
    QString newest_;                     ///< the file that was opened last
    bool reading_ = false;
    bool again_ = false;  ///< there were other files while these were being read
};

}  // namespace shardlab::ui
