// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/stored_lists.h"

#include <QSettings>

namespace shardlab::ui {

StoredLists readLists(const char* key) {
    StoredLists lists;
    const QVariantMap stored = QSettings().value(QLatin1String(key)).toMap();
    for (auto entry = stored.begin(); entry != stored.end(); ++entry)
        lists.insert(entry.key(), entry.value().toStringList());
    return lists;
}

void writeLists(const char* key, const StoredLists& lists) {
    QVariantMap stored;
    for (auto entry = lists.begin(); entry != lists.end(); ++entry) stored.insert(entry.key(), entry.value());
    QSettings().setValue(QLatin1String(key), stored);
}

}  // namespace shardlab::ui
