// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts and runs opened or saved lately, newest first; kept in the settings.
#pragma once

#include <QObject>
#include <QStringList>

#include <filesystem>

namespace shardlab::ui {

class RecentFiles : public QObject {
    Q_OBJECT
public:
    explicit RecentFiles(QObject* parent = nullptr);
    const QStringList& files() const { return files_; }  ///< absolute paths
    void add(const std::filesystem::path& file);
    void remove(const std::filesystem::path& file);
    void clear();

Q_SIGNALS:
    void changed();

private:
    void store();
    QStringList files_;
};

}  // namespace shardlab::ui
