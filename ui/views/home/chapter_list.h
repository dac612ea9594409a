// SPDX-License-Identifier: GPL-3.0-or-later
// The lessons by chapter, and how many of the experiments of each have been run.
#pragma once

#include "engine/launch/lesson/chapters.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <vector>

class QListWidget;

namespace shardlab::ui {

class HomeSession;
class ThemeSource;

class ChapterList : public QWidget {
    Q_OBJECT
public:
    ChapterList(HomeSession& home, ThemeSource& theme, QWidget* parent);
    /// Reads the lessons, on another thread.
    void begin();
    QListWidget& rows() const { return *rows_; }
    /// The lesson of a row, by name; empty: a heading.
    QString lessonOf(int row) const;
    QString asTable() const;

Q_SIGNALS:
    void changed();

private:
    struct Entry {
        QString name, title;
        QStringList experiments;
    };
    struct Chapter {
        QString title;
        std::vector<Entry> lessons;
    };
    /// What the files of the lessons say; `trouble`: why they say nothing.
    struct Contents {
        std::vector<Chapter> chapters;
        QString trouble;
    };
    static Contents read();
    void fill();

    HomeSession& home_;
    QListWidget* rows_;
    Contents contents_;
};

}  // namespace shardlab::ui
