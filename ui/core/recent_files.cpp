// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/recent_files.h"

#include <QSettings>

namespace shardlab::ui {
namespace {

constexpr int kept = 60;
constexpr auto key = "files/recent";

QString absoluteText(const std::filesystem::path& file) {
    return QString::fromStdString(std::filesystem::absolute(file).lexically_normal().string());
}

}  // namespace

RecentFiles::RecentFiles(QObject* parent) : QObject(parent), files_(QSettings().value(key).toStringList()) {}

void RecentFiles::add(const std::filesystem::path& file) {
    const QString path = absoluteText(file);
    files_.removeAll(path);
    files_.prepend(path);
    files_ = files_.mid(0, kept);
    store();
}

void RecentFiles::remove(const std::filesystem::path& file) {
    files_.removeAll(absoluteText(file));
    store();
}

void RecentFiles::clear() {
    files_.clear();
    store();
}

void RecentFiles::store() {
    QSettings().setValue(key, files_);
    Q_EMIT changed();
}

}  // namespace shardlab::ui
