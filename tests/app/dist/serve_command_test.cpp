// SPDX-License-Identifier: Apache-2.0
// shardlab run --serve and shardlab watch with real ranks: whoever joins late has all of it, whoever reads nothing
// holds up nobody, and what was refused is counted where people look.
#include "engine/base/tcp_socket.h"
#include "engine/launch/serve/live_frames.h"
#include "engine/launch/tls/tls_pass.h"
#include "engine/trace/record/frame_link.h"
#include "engine/trace/run_file/row_fields.h"
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace shardlab;
using namespace shardlab::test;

class ServeCommandTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

    /// A run of two ranks that has begun to serve; `said` what it said until then.
    std::unique_ptr<QProcess> serve(const QString& file, int steps, QByteArray& said) {
        auto process = std::make_unique<QProcess>();
        process->setReadChannel(QProcess::StandardError);
        const QString layout = writeFile(folder_.filePath("small.layout.json"), smallLayout(steps, "0.25"));
        process->start(program(), {"run", layout, "--out", file, "--serve", "0"});
        waitForWords(*process, said, "watch it:");
        return process;
    }
    static TcpAddress addressIn(const QByteArray& said) {
        const auto match = QRegularExpression("served at (127\\.0\\.0\\.1:\\d+), token (tls[0-9a-f]{96})")
                               .match(QString::fromUtf8(said));
        const auto address = parseTcpAddress(match.captured(1).toStdString());
        return address ? *address : TcpAddress{};
    }
    static QByteArray figures(const QString& file) {
        const Answer answer =
            test::run({"query", file, "--csv",
                       "SELECT rank, lane, kind, count(*), sum(begin_ns), sum(end_ns), sum(bytes), source FROM events "
                       "GROUP BY source, rank, lane, kind ORDER BY source, rank, lane, kind"});
        return answer.status == 0 ? answer.out : answer.error;
    }

private Q_SLOTS:
    void whoeverJoinsLateHasAllOfIt() {
        const QString file = folder_.filePath("run.shardlab");
        QByteArray said;
        const auto run = serve(file, 60, said);
        QVERIFY2(said.contains("watch it:"), said.constData());
        const TcpAddress address = addressIn(said);
        QVERIFY2(address.port != 0, said.constData());
        const QString token = file + ".token";
        QVERIFY(QFileInfo::exists(token));
        QCOMPARE(QFileInfo(token).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());

        // One that never reads, and one that guesses.
        const auto pass = readPass(addressToken(said));
        QVERIFY(pass);
        std::vector<FrameLink> strangers;
        for (const std::string& secret : {pass->secret, std::string("guess")}) {
            auto socket = connectTcp(address, std::chrono::seconds(5), WakeUp());
            QVERIFY(socket);
            FrameLink& link = strangers.emplace_back(std::move(*socket), pass->security->transport());
            link.send(LiveFrame::Greeting, encode(Greeting{liveProtocol, CallerRole::Viewer, 1, "test", secret}));
            if (secret == pass->secret) link.send(LiveFrame::From, encode(RunPosition{}));
            QVERIFY(QTest::qWaitFor([&] { return !link.flush() || !link.receive() || link.queued() == 0; }));
            QCOMPARE(link.queued(), std::size_t{0});
        }
        waitForSteps(*run, said);
        QProcess watch;
        const QString copy = folder_.filePath("copy.shardlab");
        watch.start(program(),
                    {"watch", QString::fromStdString(address.text()), "--token-file", token, "--output", copy});
        QVERIFY(watch.waitForFinished(patience));
        QVERIFY(run->waitForFinished(patience));
        said += run->readAllStandardError();
        const QByteArray watched = watch.readAllStandardError();
        QVERIFY2(watch.exitCode() == 0, watched.constData());
        QVERIFY2(run->exitCode() == 0, said.constData());
        QVERIFY2(watch.readAllStandardOutput().contains("finished"), watched.constData());
        const QByteArray original = figures(file);
        QVERIFY2(original.count('\n') > 10, original.constData());
        QCOMPARE(figures(copy), original);
        QVERIFY2(said.contains("served: 2 viewers"), said.constData());
        QVERIFY2(said.contains("1 wrong token"), said.constData());
        QVERIFY(test::run({"query", file, "SELECT text FROM log WHERE text LIKE 'served:%'"})
                    .out.contains("1 wrong token"));
        QVERIFY(!QFileInfo::exists(token));  // with the run its token ends
        for (const QString& each : {file, copy})
            for (const char* suffix : {"-wal", "-shm"})
                QVERIFY2(!QFileInfo::exists(each + suffix), qPrintable(each + suffix));
        QVERIFY(test::run({"info", copy}).out.contains("finished"));
    }

    /// Ctrl+C ends the watching and leaves a file that says so; the run goes on.
    void whoeverLeavesKeepsWhatArrived() {
        const QString file = folder_.filePath("long.shardlab");
        QByteArray said;
        const auto run = serve(file, 400, said);
        QVERIFY2(said.contains("watch it:"), said.constData());
        QProcess watch;
        watch.setReadChannel(QProcess::StandardError);
        const QString copy = folder_.filePath("part.shardlab");
        watch.start(program(), {"watch", QString::fromStdString(addressIn(said).text()), "--token-file",
                                file + ".token", "--output", copy});
        QByteArray watched;
        waitForSteps(watch, watched);
        ::kill(static_cast<pid_t>(watch.processId()), SIGINT);
        QVERIFY(watch.waitForFinished(patience));
        QCOMPARE(watch.exitCode(), 0);
        const Answer info = test::run({"info", copy});
        QVERIFY2(info.out.contains("watching ended before the run did"), info.out.constData());
        QCOMPARE(run->state(), QProcess::Running);
        ::kill(static_cast<pid_t>(run->processId()), SIGINT);
        QVERIFY(run->waitForFinished(patience));
        QCOMPARE(run->exitCode(), 0);
    }

    void whatIsWrongIsSaid() {
        const QString token = writeFile(folder_.filePath("token"), "guess\n");
        const Answer nobody = test::run({"watch", "127.0.0.1:1", "--token-file", token});
        QCOMPARE(nobody.status, 1);
        QVERIFY2(nobody.error.contains("refused"), nobody.error.constData());
        QCOMPARE(test::run({"watch", "node:port", "--token-file", token}).status, 1);
        QCOMPARE(test::run({"watch", "7000", "--token-file", folder_.filePath("none")}).status, 1);
        QCOMPARE(test::run({"watch", "7000"}).status, 2);
        const QString layout = writeFile(folder_.filePath("other.layout.json"), smallLayout(1));
        const Answer address =
            test::run({"run", layout, "--out", folder_.filePath("no.shardlab"), "--serve", "192.0.2.1:0"});
        QCOMPARE(address.status, 1);
        QVERIFY2(address.error.contains("An address of this machine"), address.error.constData());
        QVERIFY(!QFileInfo::exists(folder_.filePath("no.shardlab")));
    }

private:
    static std::string addressToken(const QByteArray& said) {
        return QRegularExpression("token (tls[0-9a-f]{96})").match(QString::fromUtf8(said)).captured(1).toStdString();
    }
};

QTEST_GUILESS_MAIN(ServeCommandTest)
#include "serve_command_test.moc"
