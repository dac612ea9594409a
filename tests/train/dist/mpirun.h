// SPDX-License-Identifier: Apache-2.0
// Programs of the tests under mpirun, as the launcher starts ranks on one oversubscribed host.
#pragma once

#include "tests/support/wings.h"

#include <QProcess>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QStringList>

namespace shardlab::test {

struct Finished {
    int status = -1;  ///< of mpirun; -1 where it did not end in time
    QString output;
    QString errors;
};

inline bool haveMpirun() { return !QStandardPaths::findExecutable("mpirun").isEmpty(); }

inline Finished mpirun(int ranks, const QString& program, const QStringList& arguments, int timeoutSeconds = 120) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("OMPI_ALLOW_RUN_AS_ROOT", "1");
    environment.insert("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    environment.insert("OMP_NUM_THREADS", "1");
    QProcess process;
    process.setProcessEnvironment(environment);
    const QStringList options{
        "--oversubscribe", "--bind-to", "none",      "--mca", "mpi_yield_when_idle", "1", "--mca", "pml", "ob1",
        "--mca",           "btl",       "self,vader"};
    process.start("mpirun", QStringList{"-n", QString::number(ranks)} + options + QStringList{program} + arguments);
    Finished finished;
    const bool ended = process.waitForFinished(timeoutSeconds * 1000);
    if (!ended) {
        process.terminate();
        process.waitForFinished(5000);
    } else if (process.exitStatus() == QProcess::NormalExit) {
        finished.status = process.exitCode();
    }
    finished.output = QString::fromUtf8(process.readAllStandardOutput());
    finished.errors = QString::fromUtf8(process.readAllStandardError());
    return finished;
}

}  // namespace shardlab::test
