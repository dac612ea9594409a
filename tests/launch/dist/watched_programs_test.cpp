// SPDX-License-Identifier: Apache-2.0
// PyTorch programs of four ranks that say one line, shardlab.watch(): their schedules, replicas, tensors and loss scale
// are in the run, joined with a layout's prediction; who dies, hangs or fails is named.
#include "engine/base/tcp_socket.h"
#include "tests/support/listening.h"
#include "tests/support/places.h"
#include "tests/support/reference_python.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace shardlab::test;

namespace {

const QString live = QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/live");
const QString scripts = QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/launch/dist/live/");
constexpr int world = 4, steps = 4, microbatches = 8;

/// A layout of four ranks whose stages and microbatches are those of schedules.py.
QByteArray layoutOf(const QByteArray& schedule, int data, int pipeline, int zero) {
    return R"({"name": "watched", "model": {"kind": "gpt", "layers": 8, "hidden": 32, "heads": 2, "sequence": 16},
 "cluster": {"hosts": [{"name": "localhost", "devices": 4}]}, "parallel": {"data": )" +
           QByteArray::number(data) + R"(, "pipeline": )" + QByteArray::number(pipeline) + R"(, "zero": )" +
           QByteArray::number(zero) + R"(}, "schedule": )" + schedule + R"(, "batch": {"global": )" +
           QByteArray::number(data * microbatches) + R"(, "micro": 1}, "run": {"steps": 4, "validate_every": 0}})";
}

int freePort() {
    const TcpAddress any{"127.0.0.1", 0};
    const auto socket = listenTcp(any);
    return socket ? boundAddress(*socket, any).port : 0;
}

}  // namespace

class WatchedProgramsTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<Listening> listener_;
    QString file_;
    std::vector<std::unique_ptr<QProcess>> ranks_;

    void startAll(const QStringList& arguments, int ranks = world) {
        const QString port = QString::number(freePort());
        for (int rank = 0; rank < ranks; ++rank)
            ranks_.push_back(started(
                referencePython(), arguments,
                listener_->environment() +
                    QStringList{"PYTHONPATH=" + live, "PYTHONDONTWRITEBYTECODE=1", QStringLiteral("RANK=%1").arg(rank),
                                QStringLiteral("LOCAL_RANK=%1").arg(rank), QStringLiteral("WORLD_SIZE=%1").arg(ranks),
                                "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port}));
    }

    /// What a rank that went wrong has said; empty: all ended well.
    QByteArray ended() {
        QByteArray wrong;
        for (const auto& rank : ranks_) {
            if (rank->waitForFinished(patience) && rank->exitStatus() == QProcess::NormalExit && rank->exitCode() == 0)
                continue;
            wrong += rank->readAllStandardError().right(3000) + "\n";
        }
        return wrong;
    }

    QByteArray asked(const QString& sql) const {
        // One step of the prediction is in the same table.
        QString measured = sql;
        measured.replace("FROM events WHERE ", "FROM events WHERE source = 'measured' AND ");
        const Answer answer = run({"query", file_, "--csv", measured});
        return answer.status == 0 ? QByteArray(answer.out).replace("\r\n", "\n") : answer.error;
    }

    QString layout(const QByteArray& json) const { return writeFile(folder_->filePath("l.layout.json"), json); }

private Q_SLOTS:
    void initTestCase() {
        if (const QString why = whyWithout(currentTorch); !why.isEmpty()) QSKIP(qPrintable(why));
    }
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        file_ = folder_->filePath("watched.shardlab");
        listener_ = std::make_unique<Listening>();
    }
    void cleanup() {
        for (const auto& rank : ranks_) {
            rank->kill();
            rank->waitForFinished();
        }
        ranks_.clear();
        listener_.reset();
    }

    void aScheduleIsDrawnOverItsPrediction_data() {
        QTest::addColumn<QByteArray>("layout");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QList<QByteArray>>("kinds");
        const QList<QByteArray> whole{"forward", "backward"}, split{"forward", "input gradient", "weight gradient"};
        QTest::newRow("1F1B") << layoutOf(R"({"kind": "1f1b"})", 1, 4, 0)
                              << QStringList{"1F1B", "--stages", "4", "--pipeline", "4"} << whole;
        QTest::newRow("interleaved, DDP, a scaler that overflows")
            << layoutOf(R"({"kind": "interleaved-1f1b", "chunks": 2})", 2, 2, 0)
            << QStringList{"Interleaved1F1B", "--stages", "4", "--pipeline", "2", "--data", "ddp", "--scaler"} << whole;
        QTest::newRow("zero bubble in a V, FSDP2")
            << layoutOf(R"({"kind": "zb-v", "chunks": 2})", 2, 2, 3)
            << QStringList{"ZBVZeroBubble", "--stages", "4", "--pipeline", "2", "--data", "fsdp"} << split;
        QTest::newRow("interleaved zero bubble")
            << layoutOf(R"({"kind": "zb-h1"})", 1, 4, 0)
            << QStringList{"InterleavedZeroBubble", "--stages", "4", "--pipeline", "4"} << split;
    }
    void aScheduleIsDrawnOverItsPrediction() {
        QFETCH(const QByteArray, layout);
        QFETCH(const QStringList, arguments);
        QFETCH(const QList<QByteArray>, kinds);
        QVERIFY2(listener_->begin(file_, {"--layout", this->layout(layout)}), listener_->said().constData());
        startAll(QStringList{scripts + "schedules.py"} + arguments + QStringList{"--steps", QString::number(steps)});
        const QByteArray wrong = ended();
        QVERIFY2(wrong.isEmpty(), wrong.constData());
        QVERIFY2(listener_->end() == 0, listener_->said().constData());

        // Every action of the prediction was measured in each step once, and no other.
        const QJsonObject comparison = run({"compare", file_, "--json"}).json();
        int compared = 0;
        for (const QJsonValue& row : comparison["kinds"].toArray()) {
            const QByteArray kind = row["kind"].toString().toUtf8();
            if (!kinds.contains(kind) && !kind.startsWith("send ")) continue;
            ++compared;
            QVERIFY2(row["count"]["a"].toDouble() > 0, kind.constData());
            QCOMPARE(row["count"]["a"].toDouble(), row["count"]["b"].toDouble());
        }
        QCOMPARE(compared, kinds.size() + 2);
        QByteArray list;
        for (const QByteArray& kind : kinds) list += (list.isEmpty() ? "'" : ", '") + kind + "'";
        const QString ofKinds = "FROM events WHERE kind IN (" + QString::fromUtf8(list) + ") AND step >= 0";
        const bool doubled = arguments.contains("2");  // two replicas of four stages
        const auto each = static_cast<int>(kinds.size()) * 4 * microbatches * (doubled ? 2 : 1) * steps;
        QCOMPARE(asked("SELECT count(*) AS n " + ofKinds), "n\n" + QByteArray::number(each) + "\n");
        QCOMPARE(asked("SELECT count(*) AS n FROM (SELECT DISTINCT rank, step, action " + ofKinds + ")"),
                 "n\n" + QByteArray::number(each) + "\n");
        // A receive ends before the computation that it is for begins, and a stage's forward before its backward.
        QCOMPARE(asked("SELECT count(*) AS n FROM events a JOIN events b ON a.rank = b.rank AND a.step = b.step AND "
                       "b.action = replace(a.action, 'RECV_', '') WHERE a.source = 'measured' AND b.source = "
                       "'measured' AND a.kind = 'receive forward' AND "
                       "b.kind = 'forward' AND a.end_ns > b.begin_ns"),
                 QByteArray("n\n0\n"));

        const QJsonObject info = run({"info", file_, "--json"}).json();
        QCOMPARE(info["steps"].toInt(), steps);
        QVERIFY(info["origin"].toString().startsWith("schedules.py, PyTorch 2"));
        QVERIFY(info["step_seconds"]["predicted"].toDouble() > 0);
        QVERIFY(info["bubble"]["measured"].toDouble() > 0 && info["bubble"]["predicted"].toDouble() > 0);
        QCOMPARE(info["losses"].toArray().size(), steps);
        QCOMPARE(asked("SELECT kind, count(*) AS n FROM events WHERE kind IN ('learning rate', 'step') GROUP BY kind "
                       "ORDER BY kind"),
                 "kind,n\nlearning rate," + QByteArray::number(steps) + "\nstep," + QByteArray::number(world * steps) +
                     "\n");
        for (const QJsonValue& rank : info["ranks"].toArray())
            QCOMPARE(rank["end"].toString(), QStringLiteral("finished"));
        for (const QJsonValue& rank : info["memory"].toArray()) {
            const double parameters = rank["bytes"]["parameters"].toDouble();
            const double gradients = rank["bytes"]["gradients"].toDouble();
            QVERIFY(gradients > 0);
            // A zero-bubble schedule of PyTorch leaves some of FSDP's groups without their reduction.
            if (!arguments.contains("fsdp")) QCOMPARE(gradients, parameters);
            QVERIFY(rank["bytes"]["optimizer"].toDouble() >= 2 * gradients);
            QVERIFY(rank["peak"].toDouble() >= parameters + 3 * gradients && rank["predicted_peak"].toDouble() > 0);
        }
        if (arguments.contains("ddp")) {
            const QByteArray reduced = asked("SELECT DISTINCT action FROM events WHERE kind = 'reduce bucket'");
            QVERIFY2(reduced.contains("REDUCE_BUCKETS7"), reduced.constData());
        }
        if (arguments.contains("fsdp"))
            for (const char* kind : {"gather parameters", "scatter gradients"}) {
                const QByteArray bytes = asked(QStringLiteral("SELECT min(bytes) > 0 AS there FROM events WHERE kind = "
                                                              "'%1'")
                                                   .arg(kind));
                QCOMPARE(bytes, QByteArray("there\n1\n"));
            }
        if (!arguments.contains("--scaler")) return;
        // The second step overflowed on every rank, its update was left out, and the scale fell after it.
        QCOMPARE(asked("SELECT DISTINCT step FROM events WHERE kind = 'overflow'"), QByteArray("step\n1\n"));
        QCOMPARE(asked("SELECT count(*) AS n FROM events WHERE kind = 'overflow'"), QByteArray("n\n4\n"));
        QCOMPARE(asked("SELECT count(*) AS n FROM events WHERE kind = 'optimizer'"),
                 "n\n" + QByteArray::number(world * (steps - 1)) + "\n");
        QCOMPARE(asked("SELECT step, value FROM events WHERE kind = 'loss scale' AND step < 3 ORDER BY step"),
                 QByteArray("step,value\n0,65536\n1,65536\n2,32768\n"));
    }

    void aPlainLoopIsSeen_data() {
        QTest::addColumn<QList<QByteArray>>("rows");
        // Two microbatches a step, and one forward without gradients.
        const QList<QByteArray> all{"backward,8",  "forward,8", "learning rate,4",
                                    "optimizer,4", "step,4",    "validation,1"};
        QTest::newRow("ddp") << (QList<QByteArray>{"reduce bucket,8", "gradient norm,4"} + all);
        QTest::newRow("fsdp") << (QList<QByteArray>{"gather parameters,", "scatter gradients,24", "gradient norm,4"} +
                                  all);
        // Each block sums its output forward and its input's gradient backward.
        QTest::newRow("tensor") << (QList<QByteArray>{"tensor all-reduce,32"} + all);
    }
    void aPlainLoopIsSeen() {
        QFETCH(const QList<QByteArray>, rows);
        QVERIFY2(listener_->begin(file_), listener_->said().constData());
        startAll({scripts + "replicas.py", QTest::currentDataTag(), QString::number(steps)});
        const QByteArray wrong = ended();
        QVERIFY2(wrong.isEmpty(), wrong.constData());
        QVERIFY2(listener_->end() == 0, listener_->said().constData());
        const QByteArray got =
            asked("SELECT kind, count(*) AS n FROM events WHERE rank = 0 GROUP BY kind ORDER BY kind");
        for (const QByteArray& row : rows)
            QVERIFY2(("\n" + got).contains("\n" + row + (row.endsWith(',') ? "" : "\n")),
                     (row + " is not in\n" + got).constData());
        const QByteArray losses = asked("SELECT count(*) AS n, min(value) > 1 AND max(value) < 10 AS sound FROM events "
                                        "WHERE kind = 'loss'");
        QCOMPARE(losses, QByteArray("n,sound\n4,1\n"));
    }

    /// Steps that are too short to be told in detail keep their times and losses, and are part of no figure of spans.
    void shortStepsKeepTheirTimesAndLosses() {
        constexpr int all = 40, whole = 8;
        QVERIFY2(listener_->begin(file_), listener_->said().constData());
        const auto program = started(referencePython(), {scripts + "short.py", QString::number(all)},
                                     listener_->environment() + QStringList{"PYTHONPATH=" + live, "SHARDLAB_SHARE=1e-9",
                                                                            "PYTHONDONTWRITEBYTECODE=1"});
        QVERIFY(program->waitForFinished(patience));
        QVERIFY2(program->exitCode() == 0, program->readAllStandardError().constData());
        QVERIFY2(listener_->end() == 0, listener_->said().constData());
        QCOMPARE(asked("SELECT kind, count(*) AS n FROM events WHERE kind IN ('forward', 'backward', 'optimizer', "
                       "'step', 'loss', 'learning rate', 'gradient norm', 'validation', 'mark') GROUP BY kind "
                       "ORDER BY kind"),
                 QByteArray("kind,n\nbackward,16\nforward,16\ngradient norm,13\nlearning rate,40\nloss,13\nmark,2\n"
                            "optimizer,8\nstep,40\nvalidation,1\n"));
        QCOMPARE(asked("SELECT count(*) AS n, min(step) AS first FROM steps WHERE detailed = 0 AND bubble IS NULL"),
                 QByteArray("n,first\n32,8\n"));
        QCOMPARE(asked("SELECT count(*) AS n FROM steps WHERE detailed = 1 AND bubble IS NOT NULL"),
                 "n\n" + QByteArray::number(whole) + "\n");
        const QList<QByteArray> printed = program->readAllStandardOutput().split('\n');
        const QList<QByteArray> told = asked("SELECT value FROM events WHERE kind = 'loss' ORDER BY step").split('\n');
        for (int step = 0; step < 13; ++step)  // five short ones are measured with their losses
            QVERIFY2(std::abs(printed[step].toDouble() - told[step + 1].toDouble()) < 1e-6, told[step + 1].constData());
        // One step ends where the next begins, but for the pass without gradients between two.
        QCOMPARE(
            asked("SELECT count(*) AS n FROM events WHERE kind = 'step' AND begin_ns IN (SELECT end_ns FROM events "
                  "WHERE kind IN ('step', 'validation'))"),
            QByteArray("n\n39\n"));
        QCOMPARE(run({"info", file_, "--json"}).json()["steps_without_details"].toInt(), all - whole);
        const QByteArray info = run({"info", file_}).out;
        QVERIFY2(info.contains("of 8 of them"), info.constData());
        const QByteArray mark = asked("SELECT name FROM events WHERE kind = 'mark'");
        QVERIFY2(mark.contains("details of every 1024th step: a step takes ") &&
                     mark.contains("the others tell their times alone"),
                 mark.constData());
    }

    /// A plain loop that hangs in a step of which nothing but its time is told; its backwards are not counted then.
    void aHangInAStepOfTimesAloneIsNamed_data() {
        QTest::addColumn<QString>("where");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("a first forward") << "forward 0" << QByteArray("rank 0 stands still in 0F0 of step 39");
        QTest::newRow("a later forward") << "forward 1" << QByteArray("rank 0 stands still in 0F1 of step 39");
        QTest::newRow("a backward") << "backward" << QByteArray("rank 0 stands still in 0B of step 39");
    }
    void aHangInAStepOfTimesAloneIsNamed() {
        QFETCH(const QString, where);
        QFETCH(const QByteArray, says);
        QVERIFY2(listener_->begin(file_, {"--deadline", "5"}), listener_->said().constData());
        ranks_.push_back(started(referencePython(), {scripts + "short.py", "40", where},
                                 listener_->environment() + QStringList{"PYTHONPATH=" + live, "SHARDLAB_SHARE=1e-9",
                                                                        "PYTHONDONTWRITEBYTECODE=1"}));
        QVERIFY2(listener_->says(says), listener_->said().constData());
        QCOMPARE(listener_->stop(), 0);
    }

    /// What is compared are the steps that were told in detail.
    void aScheduleOfShortStepsIsCompared() {
        QVERIFY2(listener_->begin(file_, {"--layout", layout(layoutOf(R"({"kind": "1f1b"})", 1, 4, 0))}),
                 listener_->said().constData());
        startAll(
            {scripts + "schedules.py", "1F1B", "--stages", "4", "--pipeline", "4", "--steps", "24", "--share", "1e-9"});
        const QByteArray wrong = ended();
        QVERIFY2(wrong.isEmpty(), wrong.constData());
        QVERIFY2(listener_->end() == 0, listener_->said().constData());
        QCOMPARE(asked("SELECT kind, count(*) AS n FROM events WHERE kind IN ('forward', 'backward', 'step', 'loss') "
                       "GROUP BY kind ORDER BY kind"),
                 QByteArray("kind,n\nbackward,256\nforward,256\nloss,13\nstep,96\n"));
        const QByteArray compared = run({"compare", file_}).out;
        QVERIFY2(compared.contains("16 steps of which the run recorded no details are left out"), compared.constData());
        const QJsonObject info = run({"info", file_, "--json"}).json();
        QVERIFY(info["bubble"]["measured"].toDouble() > 0);
        QCOMPARE(info["steps_without_details"].toInt(), 16);
    }

    /// A model that was watched could not be saved whole, and one of TorchScript had no forwards.
    void aModelStaysWhatItWas() {
        const auto models =
            started(referencePython(), {scripts + "models.py"}, {"PYTHONPATH=" + live, "PYTHONDONTWRITEBYTECODE=1"});
        QVERIFY(models->waitForFinished(patience));
        QVERIFY2(models->exitCode() == 0, models->readAllStandardError().constData());
    }

    void aTrainersOwnLoopIsSeen_data() {
        QTest::addColumn<QString>("module");
        QTest::addColumn<QList<QByteArray>>("rows");
        const QList<QByteArray> all{"backward,8", "forward,8", "step,4", "optimizer,4"};
        QTest::newRow("huggingface")
            << "transformers, accelerate"
            << (QList<QByteArray>{"gradient norm,4", "learning rate,4", "loss,4", "validation loss,2"} + all);
        QTest::newRow("lightning") << "lightning.pytorch"
                                   << (QList<QByteArray>{"learning rate,4", "loss,4", "validation loss,1"} + all);
        QTest::newRow("accelerate") << "accelerate"
                                    << (QList<QByteArray>{"backward,8", "forward,8", "learning rate,4", "loss scale,4",
                                                          "optimizer,3", "overflow,1", "step,4"});
        QTest::newRow("megatron")
            << "megatron.core.timers"
            << (QList<QByteArray>{"annotation,4", "gradient norm,4", "loss,4", "loss scale,4", "overflow,1"} + all);
    }
    void aTrainersOwnLoopIsSeen() {
        QFETCH(const QString, module);
        QFETCH(const QList<QByteArray>, rows);
        if (const QString why = whyWithout(module.toUtf8().constData()); !why.isEmpty()) QSKIP(qPrintable(why));
        QVERIFY2(listener_->begin(file_), listener_->said().constData());
        const auto trainer =
            started(referencePython(), {scripts + "trainers.py", QTest::currentDataTag(), folder_->path()},
                    listener_->environment() + QStringList{"PYTHONPATH=" + live, "PYTHONDONTWRITEBYTECODE=1"});
        QVERIFY(trainer->waitForFinished(patience));
        QVERIFY2(trainer->exitCode() == 0, trainer->readAllStandardError().constData());
        QVERIFY2(listener_->end() == 0, listener_->said().constData());
        const QByteArray got =
            asked("SELECT kind, count(*) AS n FROM events WHERE rank = 0 GROUP BY kind ORDER BY kind");
        for (const QByteArray& row : rows)
            QVERIFY2(("\n" + got).contains("\n" + row + "\n"), (row + " is not in\n" + got).constData());
        const QByteArray actions =
            asked("SELECT DISTINCT action FROM events WHERE kind IN ('forward', 'backward') ORDER BY action");
        QCOMPARE(actions, QByteArray("action\n0B0\n0B1\n0F0\n0F1\n"));
    }

    /// Two ranks of Lightning with a replica each, which exchange their gradients with gloo once a step.
    void aTrainersOwnRanksAreSeen() {
        if (const QString why = whyWithout("lightning.pytorch"); !why.isEmpty()) QSKIP(qPrintable(why));
        QVERIFY2(listener_->begin(file_), listener_->said().constData());
        startAll({scripts + "trainers.py", "lightning", folder_->path(), "2"}, 2);
        const QByteArray wrong = ended();
        QVERIFY2(wrong.isEmpty(), wrong.constData());
        QVERIFY2(listener_->end() == 0, listener_->said().constData());
        const QByteArray got =
            asked("SELECT rank, kind, count(*) AS n FROM events WHERE kind IN ('forward', 'backward', 'reduce bucket', "
                  "'optimizer', 'step', 'learning rate', 'loss') GROUP BY rank, kind ORDER BY rank, kind");
        QCOMPARE(got, QByteArray("rank,kind,n\n0,backward,8\n0,forward,8\n0,learning rate,4\n0,loss,4\n0,optimizer,4\n"
                                 "0,reduce bucket,4\n0,step,4\n1,backward,8\n1,forward,8\n1,optimizer,4\n"
                                 "1,reduce bucket,4\n1,step,4\n"));
        QVERIFY(run({"info", file_}).out.contains("finished"));
    }

    /// What the manual's page has a person write and type, in that order.
    void theManualsCommandsWork() {
        QFile page(QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/manual/54-live-programs.md"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString whole = QString::fromUtf8(page.readAll()),
                      recorded = QStringLiteral("\n## A program that was recorded");
        QVERIFY(whole.contains(recorded));  // files that nobody has here
        const QString text =
            whole.section(recorded, 0, 0).replace("7001", QString::number(freePort()));  // which may be taken here
        static const QRegularExpression fence("```(\\w*)\n(.*?)```", QRegularExpression::DotMatchesEverythingOption);
        QStringList commands;
        for (auto matches = fence.globalMatch(text); matches.hasNext();) {
            const auto match = matches.next();
            const QString kind = match.captured(1), body = match.captured(2);
            if (kind == "python" && body.contains("Schedule1F1B"))
                QVERIFY(!writeFile(folder_->filePath("train.py"), body.toUtf8()).isEmpty());
            if (kind == "json") QVERIFY(!writeFile(folder_->filePath("mine.layout.json"), body.toUtf8()).isEmpty());
            if (kind.isEmpty())
                for (const QString& line : body.split('\n', Qt::SkipEmptyParts))
                    if (QRegularExpression("^(pip|shardlab|SHARDLAB_\\w+=\\S+) ").match(line).hasMatch())
                        commands.append(line);
        }
        QCOMPARE(commands.size(), 5);

        // An environment of the person's own, with PyTorch in it.
        QVERIFY(QFile::link(QStringLiteral(SHARDLAB_SOURCE_DIR "/resources"), folder_->filePath("resources")));
        const auto made = started(referencePython(), {scripts + "environment.py", folder_->filePath("venv")}, {});
        QVERIFY(made->waitForFinished(patience));
        if (made->exitCode() != 0) QSKIP("the Python with PyTorch has no venv with a pip");
        const auto typed = [&](const QString& command) {
            auto shell = std::make_unique<QProcess>();
            shell->setWorkingDirectory(folder_->path());
            shell->setEnvironment(QProcess::systemEnvironment() +
                                  QStringList{"PATH=" + folder_->filePath("venv/bin") + ":" SHARDLAB_BIN_DIR ":" +
                                                  qEnvironmentVariable("PATH"),
                                              "PIP_NO_INDEX=1", "OMP_NUM_THREADS=1", "SHARDLAB_SHARE=1"});
            shell->start("sh", {"-c", "exec env " + command});
            return shell;
        };
        std::unique_ptr<QProcess> listening;
        QByteArray said;
        for (const QString& command : commands) {
            auto shell = typed(command);
            if (command.startsWith("shardlab listen")) {
                shell->setReadChannel(QProcess::StandardError);
                QVERIFY2(waitForWords(*shell, said, "PYTHONPATH"), said.constData());
                listening = std::move(shell);
                continue;
            }
            if (command.startsWith("shardlab info")) {
                QVERIFY2(listening->waitForFinished(patience), "it still listens");
                said += listening->readAllStandardError();
                QVERIFY2(listening->exitCode() == 0, said.constData());
            }
            QVERIFY2(shell->waitForFinished(patience), qPrintable(command));
            const QByteArray error = shell->readAllStandardError();
            QVERIFY2(shell->exitCode() == 0, (command.toUtf8() + "\n" + error + said).constData());
            const QByteArray out = shell->readAllStandardOutput();
            if (command.startsWith("shardlab compare"))
                QVERIFY2(out.contains("reduce bucket") && !out.contains("F0 only in"), out.constData());
        }
        file_ = folder_->filePath("mine.shardlab");
        QCOMPARE(asked("SELECT count(*) AS n FROM events WHERE kind IN ('forward', 'backward')"),
                 QByteArray("n\n1280\n"));  // 4 ranks, 20 steps, 8 microbatches
        // The program's model is the layout's: as many parameters, in fp32 on two replicas, and what stages and
        // replicas exchange but for the gradients' norm, which each rank of the program takes of its own part.
        const QJsonObject plan = run({"plan", folder_->filePath("mine.layout.json"), "--json"}).json(),
                          info = run({"info", file_, "--json"}).json(),
                          sent = run({"compare", file_, "--json"}).json()["sent_bytes"].toObject();
        double held = 0, norms = 0;
        for (const QJsonValue& rank : info["memory"].toArray())
            held += rank["bytes"].toObject()["parameters"].toDouble();
        for (const QJsonValue& part : plan["traffic"].toArray())
            if (part["what"].toString().contains("norm")) norms += part["bytes"].toDouble();
        QCOMPARE(held, plan["parameters"].toDouble() * 4 * 2);
        QVERIFY(norms > 0);
        QCOMPARE(sent["b"].toDouble(), sent["a"].toDouble() - norms);
        QCOMPARE(info["losses"].toArray().size(), 20);
    }

    void aProgramOfAnotherLayoutIsNamed() {
        QVERIFY2(listener_->begin(file_, {"--layout", layout(layoutOf(R"({"kind": "1f1b"})", 1, 4, 0)), "--set",
                                          "/parallel/pipeline=2", "--set", "/cluster/hosts/0/devices=2"}),
                 listener_->said().constData());
        startAll({scripts + "replicas.py", "ddp", "1"});
        QCOMPARE(listener_->end(), 1);
        QVERIFY2(
            listener_->said().contains("the program has 4 ranks, the layout “watched” has 2 (data 1 × pipeline 2)"),
            listener_->said().constData());
        const QByteArray wrong = ended();  // the program itself goes on
        QVERIFY2(wrong.isEmpty(), wrong.constData());
    }

    void whoGoesIsNamed_data() {
        QTest::addColumn<QString>("how");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("dies") << "--die" << QByteArray("the connection of rank 2 was lost after 2");
        QTest::newRow("fails") << "--raise" << QByteArray("rank 2 ended with RuntimeError: ");
        QTest::newRow("hangs") << "--hang" << QByteArray("rank 2 stands still in 2F0 of step 3, 3 wait for others");
        QTest::newRow("hangs in a step without details")
            << "--share 1e-9 --at 20 --hang" << QByteArray("rank 2 stands still in 2F0 of step 20, 3 wait for others");
        QTest::newRow("is stopped") << "--stop"
                                    << QByteArray("the process of rank 2 does not answer, 3 wait for others");
    }
    void whoGoesIsNamed() {
        QFETCH(const QString, how);
        QFETCH(const QByteArray, says);
        QVERIFY2(listener_->begin(file_, {"--deadline", "5"}), listener_->said().constData());
        startAll(QStringList{scripts + "schedules.py", "1F1B", "--stages", "4", "--pipeline", "4", "--steps", "24"} +
                 how.split(' ') + QStringList{"2"});
        const bool still = how.endsWith("--hang") || how == "--stop";
        if (still) {
            QVERIFY2(listener_->says(says), listener_->said().constData());
            QCOMPARE(listener_->stop(), 0);
        } else {
            QCOMPARE(listener_->end(), 1);
            QVERIFY2(listener_->said().contains(says), listener_->said().constData());
        }
        const QJsonObject info = run({"info", file_, "--json"}).json();
        QCOMPARE(info["outcome"].toString(), still ? QStringLiteral("stopped") : QStringLiteral("failed"));
        QVERIFY2(info["reason"].toString().toUtf8().contains(says), info["reason"].toString().toUtf8().constData());
    }
};

QTEST_GUILESS_MAIN(WatchedProgramsTest)
#include "watched_programs_test.moc"
