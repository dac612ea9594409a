// SPDX-License-Identifier: Apache-2.0
// Runs the command line program as a person would.
#pragma once

#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace shardlab::test {

inline QString program() { return QStringLiteral(SHARDLAB_BIN_DIR "/shardlab"); }

struct Answer {
    int status = -1;  ///< exit status; -1 where it crashed or did not end
    QByteArray out;
    QByteArray error;
    QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

inline Answer run(const QStringList& arguments, const QString& folder = {}, const QStringList& environment = {}) {
    QProcess process;
    if (!folder.isEmpty()) process.setWorkingDirectory(folder);
    if (!environment.isEmpty()) process.setEnvironment(environment);
    process.start(program(), arguments);
    if (!process.waitForFinished(240000)) {
        process.kill();
        process.waitForFinished();
        return {-1, process.readAllStandardOutput(), process.readAllStandardError()};
    }
    const bool normal = process.exitStatus() == QProcess::NormalExit;
    return {normal ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

/// Until `run` tells of steps; what it has said so far is added to `said`. False: it ended, or took longer than 90 s.
inline bool waitForSteps(QProcess& process, QByteArray& said) {
    process.setReadChannel(QProcess::StandardError);
    for (int i = 0; i < 900 && (process.state() != QProcess::NotRunning || i == 0); ++i) {
        process.waitForReadyRead(100);
        said += process.readAllStandardError();
        if (said.contains(" steps  loss ")) return true;
    }
    return false;
}

inline QString writeFile(const QString& path, const QByteArray& content) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) return {};
    return path;
}

/// Two pipeline stages of a very small gpt.
inline QByteArray smallLayout(int steps, const QByteArray& pace = {}) {
    return R"({"name": "small", "model": {"kind": "gpt", "layers": 2, "hidden": 32, "heads": 2, "sequence": 16},
 "cluster": {"hosts": [{"name": "localhost", "devices": 2}])" +
           (pace.isEmpty() ? QByteArray() : ", \"pace\": {\"device\": \"h100-sxm\", \"step_seconds\": " + pace + "}") +
           R"(}, "parallel": {"data": 1, "pipeline": 2}, "batch": {"global": 8, "micro": 2},
 "run": {"steps": )" +
           QByteArray::number(steps) + ", \"seed\": 7, \"validate_every\": 0}}";
}

}  // namespace shardlab::test
