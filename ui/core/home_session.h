// SPDX-License-Identifier: GPL-3.0-or-later
// What the home page asks for, which the window does, and what it remembers in the settings: the tags of files, and how
// far each lesson was worked through.
#pragma once

#include "engine/layout/layout.h"
#include "ui/core/stored_lists.h"

#include <QMap>
#include <QObject>
#include <QStringList>

namespace shardlab::ui {

class Document;
class LessonSession;
class RecentFiles;

class HomeSession : public QObject {
    Q_OBJECT
public:
    HomeSession(const Document& document, RecentFiles& recent, const LessonSession& lessons, QObject* parent = nullptr);

    const Document& document() const { return document_; }
    RecentFiles& recent() const { return recent_; }
    QStringList tags(const QString& file) const { return tags_.value(file); }
    /// Words between commas or spaces, each kept once, in small letters; none: the file has no tags any more.
    void setTags(const QString& file, const QString& words);
    /// The experiments of a lesson that have run to their end, in this session or an earlier one.
    QStringList ran(const QString& lesson) const { return ran_.value(lesson); }

    /// Says which lessons there are: their names, each with its title.
    void tellLessons(const QMap<QString, QString>& titles) { Q_EMIT lessonsKnown(titles); }
    void askForLayout(const Layout& layout) { Q_EMIT layoutWanted(layout); }
    void askForPlan(const Layout& layout) { Q_EMIT planWanted(layout); }
    void askWhichCluster() { Q_EMIT clusterWanted(); }
    void askForFile(const QString& file) { Q_EMIT fileWanted(file); }
    void askForLesson(const QString& name) { Q_EMIT lessonWanted(name); }

Q_SIGNALS:
    /// To begin with, as a new document.
    void layoutWanted(const shardlab::layout::Layout& layout);
    /// To begin with, and to search the best layout for its model, cluster and batch.
    void planWanted(const shardlab::layout::Layout& layout);
    /// To be asked of the layout in Design.
    void clusterWanted();
    void fileWanted(const QString& file);
    void lessonWanted(const QString& name);
    void lessonsKnown(const QMap<QString, QString>& titles);  ///< by name
    void tagsChanged();
    void progressChanged();  ///< ran()

private:
    void noteProgress();

    const Document& document_;
    RecentFiles& recent_;
    const LessonSession& lessons_;
    StoredLists tags_;  ///< by absolute path
    StoredLists ran_;   ///< by lesson
};

}  // namespace shardlab::ui
