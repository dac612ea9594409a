// SPDX-License-Identifier: Apache-2.0
// Runs the command line program as a person would.
#pragma once

#include "tests/support/patience.h"
#include "tests/support/places.h"
#include "tests/support/processes.h"
#include "tests/support/wings.h"

#include <QElapsedTimer>
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
    if (!process.waitForFinished(patience)) {
        process.kill();
        process.waitForFinished();
        return {-1, process.readAllStandardOutput(), process.readAllStandardError()};
    }
    const bool normal = process.exitStatus() == QProcess::NormalExit;
    return {normal ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

/// Until the process has said `words` on the channel that is read; what it says is added to `said`. False: it ended
/// without them, or `patience` is over, and `said` then tells besides what the machine was doing.
inline bool waitForWords(QProcess& process, QByteArray& said, const QByteArray& words) {
    QElapsedTimer waited;
    waited.start();
    for (bool runs = true; runs && !said.contains(words); said += process.readAll()) {
        runs = process.state() != QProcess::NotRunning;
        if (waited.elapsed() > patience) return said += QByteArray::fromStdString(machineState()), false;
        process.waitForReadyRead(100);
    }
    return said.contains(words);
}

/// Until `run`, whose standard error is read from here on, tells of steps. What another one has told, in `said`, is no
/// word of this one.
inline bool waitForSteps(QProcess& process, QByteArray& said) {
    process.setReadChannel(QProcess::StandardError);
    QByteArray more;
    const bool tells = waitForWords(process, more, " steps  loss ");
    said += more;
    return tells;
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
