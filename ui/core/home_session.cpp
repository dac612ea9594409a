// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/home_session.h"

#include "ui/core/lesson_session.h"
#include "ui/core/recent_files.h"
#include "ui/core/text.h"

#include <QRegularExpression>

namespace shardlab::ui {
namespace {

constexpr auto tagsKey = "home/tags";
constexpr auto ranKey = "home/ran";

}  // namespace

HomeSession::HomeSession(const Document& document, RecentFiles& recent, const LessonSession& lessons, QObject* parent)
    : QObject(parent), document_(document), recent_(recent), lessons_(lessons), tags_(readLists(tagsKey)),
      ran_(readLists(ranKey)) {
    connect(&lessons, &LessonSession::changed, this, &HomeSession::noteProgress);
}

void HomeSession::setTags(const QString& file, const QString& words) {
    static const QRegularExpression gaps(QStringLiteral("[,;#\\s]+"));
    QStringList tags = words.toLower().split(gaps, Qt::SkipEmptyParts);
    tags.removeDuplicates();
    if (tags_.value(file) == tags) return;
    if (tags.isEmpty()) tags_.remove(file);
    else tags_.insert(file, tags);
    writeLists(tagsKey, tags_);
    Q_EMIT tagsChanged();
}

void HomeSession::noteProgress() {
    const Lesson* lesson = lessons_.lesson();
    if (!lesson) return;
    QStringList& ran = ran_[text(lesson->name)];
    bool more = false;
    for (std::size_t index = 0; index < lesson->experiments.size(); ++index) {
        const QString name = text(lesson->experiments[index].name);
        if (lessons_.state(index) != LessonSession::State::Ran || ran.contains(name)) continue;
        ran.append(name);
        more = true;
    }
    if (!more) return;
    writeLists(ranKey, ran_);
    Q_EMIT progressChanged();
}

}  // namespace shardlab::ui
