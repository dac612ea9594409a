// SPDX-License-Identifier: Apache-2.0
// The Python whose libraries ours are compared with; tests are skipped with a word where it lacks them or has older
// ones.
#pragma once

#include "tests/support/wings.h"

#include <QProcess>
#include <QString>
#include <QStringList>

#include <string>

namespace shardlab::test {

/// What SHARDLAB_TORCH_PYTHON names, else python3.
inline QString referencePython() { return qEnvironmentVariable("SHARDLAB_TORCH_PYTHON", QStringLiteral("python3")); }

/// A module of PyTorch since 2.5.
constexpr const char* currentTorch = "torch.distributed.pipelining";

/// Empty where the module can be imported; else the reason of a QSKIP.
inline QString whyWithout(const char* module) {
    QProcess process;
    process.start(referencePython(), {QStringLiteral("-c"), QStringLiteral("import %1").arg(module)});
    if (process.waitForFinished(patience) && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0)
        return {};
    return QStringLiteral("no module %1 for python3 (or SHARDLAB_TORCH_PYTHON)").arg(module);
}

/// What python3 prints when it runs a script of the suite with this input; ends the program where it fails.
inline std::string pythonPrints(const QStringList& arguments, const std::string& input) {
    QProcess process;
    process.start(QStringLiteral("python3"), arguments);
    process.write(input.data(), static_cast<qint64>(input.size()));
    process.closeWriteChannel();
    if (!process.waitForFinished(patience) || process.exitCode() != 0)
        qFatal("python3: %s", process.readAllStandardError().constData());
    return process.readAllStandardOutput().toStdString();
}

}  // namespace shardlab::test
