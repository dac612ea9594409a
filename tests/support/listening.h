// SPDX-License-Identifier: Apache-2.0
// `shardlab listen` as a person starts it, and the environment that it prints for the programs that are to send.
#pragma once

#include "tests/support/command.h"

#include <QRegularExpression>

#include <csignal>
#include <memory>
#include <utility>

namespace shardlab::test {

class Listening {
public:
    ~Listening() { stop(); }

    /// Whether it listens; what it said instead is in said(). `further`: arguments of `listen` after those for the
    /// file. `port`: any that is free, unless it is said.
    bool begin(const QString& file, const QStringList& further = {}, const QString& port = "0") {
        process_.setReadChannel(QProcess::StandardError);
        process_.start(program(), QStringList{"listen", port, "--output", file} + further);
        waitForWords(process_, said_, "PYTHONPATH");
        const auto match =
            QRegularExpression("(SHARDLAB_ADDRESS=\\S+) (SHARDLAB_TOKEN_FILE=\\S+)").match(QString::fromUtf8(said_));
        environment_ = {match.captured(1), match.captured(2)};
        return match.hasMatch();
    }

    /// SHARDLAB_ADDRESS and SHARDLAB_TOKEN_FILE.
    const QStringList& environment() const { return environment_; }
    /// All that it has written on standard error so far.
    const QByteArray& said() { return said_ += process_.readAllStandardError(); }
    /// Waits until it has said `words`.
    bool says(const QByteArray& words) { return waitForWords(process_, said_, words); }
    /// Waits for its end, by itself; its exit status, −1 where it does not end.
    int end() {
        if (process_.state() != QProcess::NotRunning && !process_.waitForFinished(patience)) return -1;
        said();
        return process_.exitStatus() == QProcess::NormalExit ? process_.exitCode() : -1;
    }
    /// Ctrl+C, or another signal, and the end.
    int stop(int signal = SIGINT) {
        if (process_.state() == QProcess::NotRunning) return 0;
        ::kill(static_cast<pid_t>(process_.processId()), signal);
        return end();
    }

private:
    QProcess process_;
    QByteArray said_;
    QStringList environment_;
};

/// A program of the test with an environment of its own besides the test's.
inline std::unique_ptr<QProcess> started(const QString& program, const QStringList& arguments,
                                         const QStringList& environment) {
    auto process = std::make_unique<QProcess>();
    process->setEnvironment(QProcess::systemEnvironment() + environment);
    process->start(program, arguments);
    return process;
}

}  // namespace shardlab::test
