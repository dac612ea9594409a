// SPDX-License-Identifier: GPL-3.0-or-later
// A workbench with fake jobs, settings and runs in a folder of its own.
#pragma once

#include "fake_job.h"

#include "ui/core/workbench.h"
#include "tests/support/wings.h"

#include <QCoreApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>

namespace shardlab::test {

/// Settings of the tests: never those of the person who runs them.
class PrivateSettings {
public:
    PrivateSettings() {
        QStandardPaths::setTestModeEnabled(true);
        qputenv("XDG_CONFIG_HOME", folder.filePath("configuration").toUtf8());
        QCoreApplication::setOrganizationName(QStringLiteral("ShardlabTest"));
        QCoreApplication::setApplicationName(QStringLiteral("test"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder.path());
    }
    QTemporaryDir folder;
};

struct Desk {
    PrivateSettings settings;
    std::shared_ptr<FakeJobs> jobs = std::make_shared<FakeJobs>();
    Workbench workbench{startFake(jobs), std::filesystem::path(settings.folder.path().toStdString()) / "runs"};

    Document& document() { return workbench.document(); }
    std::filesystem::path path(const char* name) const {
        return std::filesystem::path(settings.folder.path().toStdString()) / name;
    }
};

}  // namespace shardlab::test
