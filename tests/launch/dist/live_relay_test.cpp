// SPDX-License-Identifier: Apache-2.0
// Ranks of several nodes, each node with a relay of its own: all that they say arrives, and who dies is named.
#include "tests/support/listening.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>
#include <vector>

using namespace shardlab::test;

namespace {

const QString liveFolder = QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/live");
const QString senderScript = QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/launch/dist/live/sender.py");

}  // namespace

class LiveRelayTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<Listening> listener_;
    QString file_, python_;

    /// A relay as it stands on a node, which runs `script` in a shell; $PYTHON is the test's.
    std::unique_ptr<QProcess> node(const QString& script, const QString& token = {}) {
        const QStringList& there = listener_->environment();
        const QString address = there[0].section('=', 1);
        return started(python_,
                       {"-m", "shardlab.relay", address, "--token-file",
                        token.isEmpty() ? there[1].section('=', 1) : token, "--", "sh", "-c", script},
                       {"PYTHONPATH=" + liveFolder, "PYTHONDONTWRITEBYTECODE=1", "PYTHON=" + python_,
                        "SENDER=" + senderScript, "WORLD_SIZE=4"});
    }

    /// "rank step" of each forward in a run file, ascending.
    static QStringList forwards(const QString& file) {
        const QByteArray rows =
            run({"query", file, "--csv",
                 "SELECT rank || ' ' || step FROM events WHERE kind = 'forward' ORDER BY rank, step"})
                .out.replace("\r\n", "\n");
        return QString::fromUtf8(rows).split('\n', Qt::SkipEmptyParts).mid(1);
    }
    static bool bothAreIn(const QString& file) {
        const QStringList known = forwards(file);
        return std::ranges::all_of(QStringList{"0 ", "1 "}, [&](const QString& rank) {
            return std::ranges::any_of(known, [&](const QString& each) { return each.startsWith(rank); });
        });
    }

private Q_SLOTS:
    void init() {
        python_ = QStandardPaths::findExecutable("python3");
        if (python_.isEmpty()) QSKIP("no python3");
        folder_ = std::make_unique<QTemporaryDir>();
        file_ = folder_->filePath("live.shardlab");
        listener_ = std::make_unique<Listening>();
        QVERIFY2(listener_->begin(file_), listener_->said().constData());
    }
    void cleanup() { listener_.reset(); }

    void ranksOfTwoNodesAreOneRun() {
        std::vector<std::unique_ptr<QProcess>> nodes;
        for (int first : {0, 2})
            nodes.push_back(
                node(QStringLiteral("RANK=%1 $PYTHON $SENDER 5 & one=$!; RANK=%2 $PYTHON $SENDER 5 && wait $one")
                         .arg(first)
                         .arg(first + 1)));
        for (const auto& each : nodes) {
            QVERIFY(each->waitForFinished(patience));
            const QByteArray said = each->readAllStandardError();
            QVERIFY2(each->exitCode() == 0 && said.isEmpty(), said.constData());
        }
        QVERIFY2(listener_->end() == 0, listener_->said().constData());
        const QByteArray counts =
            run({"query", file_, "--csv",
                 "SELECT rank, count(*) AS n FROM events WHERE kind = 'forward' GROUP BY rank ORDER BY rank"})
                .out.replace("\r\n", "\n");
        QCOMPARE(counts, QByteArray("rank,n\n0,20\n1,20\n2,20\n3,20\n"));
        QVERIFY(run({"info", file_}).out.contains("finished"));
    }

    /// One rank of a node is killed: it is named, and its neighbours are not.
    void whoDiesBehindARelayIsNamed() {
        const QString dies = "import os, shardlab; shardlab.connect(rank=1, world=2)\n"
                             "with shardlab.step():\n"
                             "    with shardlab.span('F', stage=0, microbatch=7): pass\n"
                             "while shardlab.record.sender.first < 1: pass\n"
                             "os.kill(os.getpid(), 9)";
        const auto both =
            node(QStringLiteral("RANK=0 WORLD_SIZE=2 $PYTHON $SENDER 5 & $PYTHON -c \"%1\"; wait").arg(dies));
        QVERIFY(both->waitForFinished(patience));
        QVERIFY2(listener_->end() != 0, listener_->said().constData());
        const QByteArray said = run({"info", file_}).out;
        QVERIFY2(said.contains("the connection of rank 1 was lost after 0F7 of step 0"), said.constData());
    }

    void aListenerComesBack_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("stopped") << SIGINT;
        QTest::newRow("killed") << SIGKILL;
    }
    /// Another listener at the same place, which has another token in the same file and knows nothing of the first one:
    /// relay and ranks go on, and what the first one was told is in its file.
    void aListenerComesBack() {
        QFETCH(const int, signal);
        const QString token = folder_->filePath("shared.token"), enough = folder_->filePath("enough");
        const QString second = folder_->filePath("second.shardlab");
        listener_ = std::make_unique<Listening>();
        QVERIFY2(listener_->begin(folder_->filePath("first.shardlab"), {"--token-file", token}),
                 listener_->said().constData());
        const QString port = listener_->environment()[0].section(':', -1);
        const auto both =
            node(QStringLiteral("export WORLD_SIZE=2; RANK=0 $PYTHON $SENDER %1 & one=$!; RANK=1 $PYTHON $SENDER %1 "
                                "&& wait $one")
                     .arg(enough));
        QTRY_VERIFY_WITH_TIMEOUT(bothAreIn(folder_->filePath("first.shardlab")), 60000);
        listener_->stop(signal);
        listener_ = std::make_unique<Listening>();
        QVERIFY2(listener_->begin(second, {"--token-file", token}, port), listener_->said().constData());
        QTRY_VERIFY_WITH_TIMEOUT(bothAreIn(second), 60000);
        QVERIFY(QFile(enough).open(QIODevice::WriteOnly));
        QVERIFY(both->waitForFinished(patience));
        const QByteArray said = both->readAllStandardError();
        QVERIFY2(both->exitCode() == 0 && said.isEmpty(), said.constData());
        QVERIFY2(listener_->end() == 0, listener_->said().constData());

        const QByteArray middles = run({"query", second, "--csv",
                                        "SELECT count(*) FROM log WHERE text LIKE 'another listener has the first % "
                                        "events: this run begins in the middle'"})
                                       .out.replace("\r\n", "\n");
        QVERIFY2(middles.endsWith("\n2\n"), middles.constData());
        QVERIFY(run({"info", second}).out.contains("finished"));
        const QStringList before = forwards(folder_->filePath("first.shardlab")), after = forwards(second);
        for (const QString& rank : {QStringLiteral("0 "), QStringLiteral("1 ")}) {
            const QStringList ofRank = after.filter(QRegularExpression("^" + rank));
            const int begun = ofRank.front().section(' ', 1).toInt(), last = ofRank.back().section(' ', 1).toInt();
            for (int step = begun + 1; step <= last; ++step) QCOMPARE(after.count(rank + QString::number(step)), 4);
            if (signal == SIGKILL) continue;  // it may not have written what it was told last
            // Nothing is lost. What the first listener took without having said so yet, be it many steps, is told
            // again.
            for (int step = 0; step <= begun; ++step) {
                const QString each = rank + QString::number(step);
                const auto told = before.count(each) + after.count(each);
                QVERIFY2(step < begun ? told == 4 : told >= 4, qPrintable(QString("%1: %2").arg(each).arg(told)));
            }
        }
        QCOMPARE(run({"query", second, "--csv", "SELECT count(*) FROM events WHERE kind = 'dropped'"})
                     .out.replace("\r\n", "\n")
                     .split('\n')
                     .value(1),
                 QByteArray("0"));
    }

    /// What the relay cannot do is no concern of the command: it runs, and its status is the relay's.
    void theCommandRunsAllTheSame() {
        const QString wrong = folder_->filePath("wrong.token");
        QFile right(listener_->environment()[1].section('=', 1)), file(wrong);
        QVERIFY(right.open(QIODevice::ReadOnly) && file.open(QIODevice::WriteOnly));
        // The token names the listener's certificate, and has another secret.
        const QByteArray token = right.readAll().trimmed();
        file.write(token.chopped(32) + QByteArray(32, token.endsWith('0') ? '1' : '0') + '\n');
        file.close();
        const auto refused = node("exit 7", wrong);
        QVERIFY(refused->waitForFinished(patience));
        QCOMPARE(refused->exitCode(), 7);
        QVERIFY(refused->readAllStandardError().contains("wrong token"));
        const auto nowhere =
            started(python_, {"-m", "shardlab.relay", "127.0.0.1:1", "--token-file", wrong, "--", "true"},
                    {"PYTHONPATH=" + liveFolder, "PYTHONDONTWRITEBYTECODE=1"});
        QVERIFY(nowhere->waitForFinished(patience));
        QCOMPARE(nowhere->exitCode(), 0);
        const auto missing = started(python_, {"-m", "shardlab.relay", "nowhere", "--", "true"},
                                     {"PYTHONPATH=" + liveFolder, "PYTHONDONTWRITEBYTECODE=1"});
        QVERIFY(missing->waitForFinished(patience));
        QCOMPARE(missing->exitCode(), 2);
        QVERIFY(missing->readAllStandardError().contains("HOST:PORT is wanted"));
    }
};

QTEST_GUILESS_MAIN(LiveRelayTest)
#include "live_relay_test.moc"
