// SPDX-License-Identifier: Apache-2.0
// Programs in C and Python, one of them a training script with torch, on the timeline: what they sent is in the run.
#include "tests/support/listening.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace shardlab::test;

namespace {

const QString live = QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/live");
const QString programs = QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/launch/dist/live");
constexpr int steps = 5;

QString torchPython() { return qEnvironmentVariable("SHARDLAB_TORCH_PYTHON", QStringLiteral("python3")); }

/// "0|forward|20\n…": how many of each kind each rank has.
QByteArray kinds(const QString& file) {
    return run({"query", file, "--csv",
                "SELECT rank, kind, count(*) AS n FROM events GROUP BY rank, kind ORDER BY rank, kind"})
        .out;
}

}  // namespace

class LiveProgramsTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<Listening> listener_;
    QStringList environment_;
    QString file_;

    std::unique_ptr<QProcess> start(const QString& program, const QStringList& arguments,
                                    const QStringList& further = {}) {
        return started(program, arguments, environment_ + further);
    }

    /// The program in C, compiled; empty without a compiler.
    QString senderInC() {
        const QString compiler = QStandardPaths::findExecutable("cc"), sender = folder_->filePath("sender");
        if (compiler.isEmpty()) return {};
        const auto made = start(compiler, {"-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", "-I", live,
                                           programs + "/sender.c", "-o", sender});
        if (!made->waitForFinished(patience) || made->exitCode() != 0)
            qFatal("%s", made->readAllStandardError().constData());
        return sender;
    }

    /// Two ranks of the same program, to their end.
    void runTwo(const QString& program, const std::function<QStringList(int)>& arguments) {
        std::vector<std::unique_ptr<QProcess>> ranks;
        for (int rank = 0; rank < 2; ++rank)
            ranks.push_back(
                start(program, arguments(rank), {QStringLiteral("RANK=%1").arg(rank), QStringLiteral("WORLD_SIZE=2")}));
        for (const auto& rank : ranks) {
            QVERIFY(rank->waitForFinished(patience));
            const QByteArray said = rank->readAllStandardError();
            QVERIFY2(rank->exitCode() == 0 && said.isEmpty(), said.constData());
        }
        QVERIFY2(listener_->end() == 0, listener_->said().constData());
    }

    /// What both programs do.
    void twoStagesAreRecorded() const {
        QByteArray expected = "rank,kind,n\n";
        for (int rank = 0; rank < 2; ++rank) {
            const auto line = [&](const char* kind, int count) {
                expected += QStringLiteral("%1,%2,%3\n").arg(rank).arg(kind).arg(count).toUtf8();
            };
            line("backward", 4 * steps);
            line("collective", steps);
            line("forward", 4 * steps);
            if (rank == 1) line("loss", steps);
            line("mark", 1);
            line("optimizer", steps);
            line("step", steps);
        }
        const QByteArray got = kinds(file_).replace("\r\n", "\n");
        QCOMPARE(got, expected);
        const Answer named =
            run({"query", file_, "--csv",
                 "SELECT DISTINCT name FROM events WHERE kind = 'collective' OR kind = 'mark' ORDER BY name"});
        QVERIFY2(named.out.contains("all_reduce") && named.out.contains("done"), named.out.constData());
        const Answer actions =
            run({"query", file_, "--csv", "SELECT DISTINCT action FROM events WHERE kind = 'forward' ORDER BY action"});
        for (const char* action : {"0F0", "0F3", "1F0", "1F3"})
            QVERIFY2(actions.out.contains(action), actions.out.constData());
        const Answer orders = run({"query", file_, "--csv",
                                   "SELECT count(*) FROM events WHERE step < 0 AND kind != 'mark' OR begin_ns < 0 OR "
                                   "bytes NOT IN (0, 4096)"});
        QVERIFY2(orders.out.contains("\n0"), orders.out.constData());
        QVERIFY(run({"info", file_}).out.contains("finished"));
    }

    /// Anew, with further arguments.
    void listen(const QStringList& further = {}) {
        listener_ = std::make_unique<Listening>();
        QVERIFY2(listener_->begin(file_, further), listener_->said().constData());
        environment_ = listener_->environment() + QStringList{"PYTHONPATH=" + live, "PYTHONDONTWRITEBYTECODE=1"};
    }

private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        file_ = folder_->filePath("live.shardlab");
        listen();
    }
    void cleanup() { listener_.reset(); }

    void aProgramInC() {
        const QString sender = senderInC();
        if (sender.isEmpty()) QSKIP("no C compiler");
        // It speaks no TLS, and so does not show a token that asks for it.
        const auto refused = start(sender, {"0", "1", "1"});
        QVERIFY(refused->waitForFinished(patience));
        QCOMPARE(refused->exitCode(), 2);
        listen({"--no-tls"});
        runTwo(sender, [](int rank) { return QStringList{QString::number(rank), "2", QString::number(steps)}; });
        twoStagesAreRecorded();
    }

    /// Another listener at the same place has another token in the same file: the program reads it there and goes on.
    void aProgramInCReadsItsTokenAgain() {
        const QString sender = senderInC();
        if (sender.isEmpty()) QSKIP("no C compiler");
        const QString token = folder_->filePath("shared.token"), enough = folder_->filePath("enough");
        const QString second = folder_->filePath("second.shardlab");
        const auto someForwards = [](const QString& file) { return kinds(file).contains("0,forward,"); };
        listen({"--no-tls", "--token-file", token});
        const QString port = listener_->environment()[0].section(':', -1);
        const auto one = start(sender, {"0", "1", enough});
        QTRY_VERIFY_WITH_TIMEOUT(someForwards(file_), 60000);
        listener_->stop();
        listener_ = std::make_unique<Listening>();
        QVERIFY2(listener_->begin(second, {"--no-tls", "--token-file", token}, port), listener_->said().constData());
        QTRY_VERIFY_WITH_TIMEOUT(someForwards(second), 60000);
        QVERIFY(QFile(enough).open(QIODevice::WriteOnly));
        QVERIFY(one->waitForFinished(patience));
        QCOMPARE(one->exitCode(), 0);
        QVERIFY2(listener_->end() == 0, listener_->said().constData());
        const QByteArray said = run({"info", second}).out;
        QVERIFY2(said.contains("finished"), said.constData());
        // The second run's clock begins with what the first listener had not taken.
        const Answer begins = run({"query", second, "--csv", "SELECT min(begin_ns) AS first FROM events"});
        QCOMPARE(QByteArray(begins.out).replace("\r\n", "\n"), QByteArray("first\n0\n"));
    }

    void aProgramInPython() {
        const QString python = QStandardPaths::findExecutable("python3");
        if (python.isEmpty()) QSKIP("no python3");
        runTwo(python, [](int) { return QStringList{programs + "/sender.py", QString::number(steps)}; });
        twoStagesAreRecorded();
    }

    /// Whoever answers in the listener's place is told nothing, and neither is a listener whose token was cut short.
    void aProgramOfAnotherListener() {
        const QString python = QStandardPaths::findExecutable("python3");
        if (python.isEmpty()) QSKIP("no python3");
        QFile file(environment_.filter("SHARDLAB_TOKEN_FILE=").value(0).section('=', 1));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString token = QString::fromUtf8(file.readAll()).trimmed();
        QVERIFY(token.startsWith("tls"));
        const QString other = "tls" + QString(64, '0') + token.right(32);
        for (const auto& [shown, said] :
             {std::pair(other, "certificate is not the one that the token names"),
              std::pair(token.chopped(1), "the token is damaged"), std::pair(token.right(32), "TLS is spoken here")}) {
            const auto stranger =
                start(python, {programs + "/sender.py", "1"}, {"RANK=0", "WORLD_SIZE=1", "SHARDLAB_TOKEN=" + shown});
            QVERIFY(stranger->waitForFinished(patience));
            const QByteArray heard = stranger->readAllStandardError();
            QVERIFY2(stranger->exitCode() == 0 && heard.count('\n') == 1 && heard.contains(said), heard.constData());
        }
        // A listener without TLS cannot be taken for one with it.
        listen({"--no-tls"});
        const auto trusting =
            start(python, {programs + "/sender.py", "1"}, {"RANK=0", "WORLD_SIZE=1", "SHARDLAB_TOKEN=" + token});
        QVERIFY(trusting->waitForFinished(patience));
        QVERIFY(trusting->exitCode() == 0);
        QCOMPARE(listener_->stop(), 0);
        QVERIFY2(listener_->said().contains("nothing was recorded"), listener_->said().constData());
    }

    void thePartsOfThePackageWork() {
        const QString python = QStandardPaths::findExecutable("python3");
        if (python.isEmpty()) QSKIP("no python3");
        const quint64 seed = freshSeed();
        const auto parts = start(python, {programs + "/parts.py", QString::number(seed)});
        QVERIFY(parts->waitForFinished(patience));
        QVERIFY2(parts->exitCode() == 0, parts->readAllStandardError().constData());
    }

    /// The package is made and installed where nothing can be fetched, and is of the version of the programs.
    void thePackageInstallsWithoutANetwork() {
        const QString python = QStandardPaths::findExecutable("python3");
        if (python.isEmpty()) QSKIP("no python3");
        const auto parses = started(python,
                                    {"-c", R"(
import ast, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    ast.parse(path.read_text(), feature_version=(3, 9)))",
                                     live},
                                    {});
        QVERIFY(parses->waitForFinished(patience));
        QVERIFY2(parses->exitCode() == 0, parses->readAllStandardError().constData());
        const QString place = folder_->filePath("venv"), own = place + "/bin/python";
        const auto made = started(python, {"-m", "venv", place}, {});
        QVERIFY(made->waitForFinished(patience));
        if (made->exitCode() != 0) QSKIP("python3 has no venv with a pip");
        const auto installed = started(own, {"-m", "pip", "install", "--no-index", live}, {});
        QVERIFY(installed->waitForFinished(patience));
        QVERIFY2(installed->exitCode() == 0, installed->readAllStandardError().constData());
        const auto asked = started(own,
                                   {"-I", "-c",
                                    "import shardlab, importlib.metadata as m\n"
                                    "assert shardlab.__file__.startswith('" +
                                        place +
                                        "')\n"
                                        "assert not m.requires('shardlab-live')\n"
                                        "assert m.version('shardlab-live') == shardlab.__version__\n"
                                        "print(shardlab.__version__)"},
                                   {});
        QVERIFY(asked->waitForFinished(patience));
        const QByteArray version = asked->readAllStandardOutput().trimmed();
        QVERIFY2(asked->exitCode() == 0, asked->readAllStandardError().constData());
        QVERIFY2(run({"--version"}).out.contains(version), version.constData());
        environment_ = listener_->environment();
        runTwo(own, [](int) { return QStringList{"-I", programs + "/sender.py", QString::number(steps)}; });
        twoStagesAreRecorded();
    }

    void aTrainingScriptWithTorch() {
        const auto found = start(torchPython(), {"-c", "import torch"});
        if (!found->waitForFinished(patience) || found->exitCode() != 0)
            QSKIP("no torch for python3 (or SHARDLAB_TORCH_PYTHON)");
        const auto training = start(torchPython(), {programs + "/train.py", "20"});
        QVERIFY(training->waitForFinished(patience));
        QVERIFY2(training->exitCode() == 0, training->readAllStandardError().constData());
        QVERIFY2(listener_->end() == 0, listener_->said().constData());
        const QByteArray got = kinds(file_);
        for (const char* line : {"0,forward,80", "0,backward,80", "0,optimizer,20", "0,step,20", "0,loss,20",
                                 "0,annotation,80", "0,counter,20"})
            QVERIFY2(got.contains(line), (QByteArray(line) + " is not in\n" + got).constData());
        const Answer info = run({"info", file_});
        QVERIFY2(info.out.contains("finished"), info.out.constData());
    }

    /// A program whose listener is not there trains all the same.
    void nobodyListens() {
        const QString python = QStandardPaths::findExecutable("python3");
        if (python.isEmpty()) QSKIP("no python3");
        environment_.replaceInStrings(QRegularExpression("SHARDLAB_ADDRESS=.*"), "SHARDLAB_ADDRESS=127.0.0.1:1");
        const auto alone =
            start(python, {"-c", "import shardlab\nassert shardlab.connect()\nfor i in range(100000):\n"
                                 "    with shardlab.span('F', stage=0, microbatch=i): pass\n"
                                 "assert shardlab.dropped() == 100000 - (1 << 16)\nshardlab.close(0.1)"});
        QVERIFY(alone->waitForFinished(patience));
        QVERIFY2(alone->exitCode() == 0, alone->readAllStandardError().constData());
        environment_.clear();
        const auto without = start(python, {"-B", "-c",
                                            "import sys\nsys.path.insert(0, '" + live +
                                                "')\nimport shardlab\n"
                                                "assert not shardlab.connect()\nwith shardlab.span('F'): pass"});
        QVERIFY(without->waitForFinished(patience));
        QVERIFY2(without->exitCode() == 0, without->readAllStandardError().constData());
    }
};

QTEST_GUILESS_MAIN(LiveProgramsTest)
#include "live_programs_test.moc"
