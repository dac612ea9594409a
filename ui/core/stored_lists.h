// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of words by name that are kept in the settings between starts: tags by file, progress by lesson.
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>

namespace shardlab::ui {

using StoredLists = QHash<QString, QStringList>;

StoredLists readLists(const char* key);
void writeLists(const char* key, const StoredLists& lists);

}  // namespace shardlab::ui
