// SPDX-License-Identifier: Apache-2.0
// shardlab run with real ranks: the summary's keys, signals, files; then info and export of what was recorded.
#include "engine/trace/run_file/run_file.h"
#include "tests/support/command.h"
#include "tests/support/processes.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cmath>
#include <unistd.h>

using namespace shardlab;
using namespace shardlab::test;

class RunCommandTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

    QString layoutFile(const QByteArray& content) { return writeFile(folder_.filePath("small.layout.json"), content); }

    static QList<double> numbers(const QJsonValue& list) {
        QList<double> result;
        const QJsonArray array = list.toArray();
        for (const QJsonValue value : array) result.append(value.toDouble(std::nan("")));
        return result;
    }

private Q_SLOTS:
    void pacedRunsTellDeviceTime() {
        const QString file = folder_.filePath("paced.shardlab");
        const QString layout = writeFile(folder_.filePath("paced.layout.json"), smallLayout(4, "0.2"));
        const Answer answer = run({"run", layout, "--out", file, "--json"});
        QVERIFY2(answer.status == 0, answer.error.constData());
        const QJsonObject json = answer.json(), step = json["step_seconds"].toObject(),
                          paced = json["paced_step_seconds"].toObject();
        const double stretch = json["stretch"].toDouble();
        QVERIFY(stretch > 1 && qAbs(paced["predicted"].toDouble() / 0.2 - 1) < 1e-6);
        for (const char* part : {"measured", "predicted"}) {
            QVERIFY2(step[part].toDouble() > 0, part);
            QVERIFY2(qAbs(step[part].toDouble() * stretch / paced[part].toDouble() - 1) < 1e-9, part);
        }
        QVERIFY(qAbs(json["tokens_per_second"].toDouble() * step["measured"].toDouble() / (8 * 16) - 1) < 1e-9);
        QCOMPARE(step["predicted"].toDouble(), run({"plan", layout, "--json"}).json()["step_seconds"].toDouble());
        for (const Answer& told : {run({"info", file}), answer})
            QVERIFY2((told.out + told.error).contains("× to watch"), told.error.constData());
    }

    /// A kernel that is loaded late may wait for an exchange that its own rank holds up: ranks of several GPUs have
    /// CUDA load all as it starts, a rank that is alone does not wait for that.
    void ranksOfGpusLoadKernelsAtStart() {
        const QString played = SHARDLAB_PROGRAM_DIR "/libemulated_cuda.so";
        if (!QFile::exists(played)) QSKIP("this build has no emulated GPU");
        const QStringList environment = QProcess::systemEnvironment() + QStringList{"SHARDLAB_CUDA_LIBRARY=" + played,
                                                                                    "SHARDLAB_EMULATED_LAZY=refused"};
        const QString layout = writeFile(folder_.filePath("gpus.layout.json"), smallLayout(1));
        const QStringList onGpus{"run",   layout,
                                 "--set", "/cluster/device=cuda",
                                 "--set", "/model/kind=mlp",
                                 "--out", folder_.filePath("gpus.shardlab")};
        const Answer two = run(onGpus, {}, environment);
        QVERIFY2(two.status == 0, two.error.constData());
        const Answer one =
            run(onGpus + QStringList{"--force", "--set", "/parallel/pipeline=1", "--set", "/cluster/hosts/0/devices=1"},
                {}, environment);
        QCOMPARE(one.status, 1);
        QVERIFY2(one.error.contains("no GPU on this host"), one.error.constData());
    }

    void aRunTakesThePaceOfAnother() {
        const QString first = folder_.filePath("first.shardlab");
        const QString layout = writeFile(folder_.filePath("like.layout.json"), smallLayout(2, "0.2"));
        const Answer one = run({"run", layout, "--out", first, "--json"});
        QVERIFY2(one.status == 0, one.error.constData());
        // Twice the samples take the devices longer, and a person as many times longer.
        const QStringList longer{
            "run", layout, "--set", "/batch/global=16", "--out", folder_.filePath("second.shardlab"), "--json"};
        const Answer two = run(longer + QStringList{"--pace-like", first});
        QVERIFY2(two.status == 0, two.error.constData());
        QVERIFY(qAbs(two.json()["stretch"].toDouble() / one.json()["stretch"].toDouble() - 1) < 1e-9);
        QVERIFY(two.json()["paced_step_seconds"].toObject()["predicted"].toDouble() > 0.25);

        const QString full = folder_.filePath("full.shardlab");
        const QStringList unpaced{"run", layoutFile(smallLayout(2)), "--out", full};
        const Answer refused = run(unpaced + QStringList{"--pace-like", first});
        QCOMPARE(refused.status, 1);
        QVERIFY2(refused.error.contains("the layout is not paced"), refused.error.constData());
        QVERIFY(!QFile::exists(full));
        QCOMPARE(run(unpaced).status, 0);
        const Answer none = run(longer + QStringList{"--force", "--pace-like", full});
        QCOMPARE(none.status, 1);
        QVERIFY2(none.error.contains("that run went at full speed"), none.error.constData());
    }

    /// A run of 64 ranks that did the same was once told in 64 rows.
    void ranksThatAreAlikeShareARow() {
        const QString file = folder_.filePath("alike.shardlab");
        const Answer answer = run({"run", layoutFile(smallLayout(2)), "--set", "/parallel/pipeline=1", "--set",
                                   "/parallel/data=2", "--out", file});
        QVERIFY2(answer.status == 0, answer.error.constData());
        const auto ranks = [](const Answer& told) {
            const qsizetype from = told.out.lastIndexOf("\nrank");
            return told.out.mid(from + 1).trimmed().split('\n');
        };
        for (const Answer& told : {answer, run({"info", file})}) {
            QCOMPARE(ranks(told).size(), 2);
            QVERIFY2(ranks(told)[1].simplified().startsWith("0, 1 × 2 "), told.out.constData());
            QVERIFY2(!ranks(told)[0].contains("pid"), told.out.constData());
        }
        const Answer all = run({"info", file, "--all"});
        QCOMPARE(ranks(all).size(), 3);
        QVERIFY2(ranks(all)[0].contains("pid"), all.out.constData());
    }

    void jsonHasEveryFigure() {
        const QString file = folder_.filePath("a.shardlab");
        const Answer answer = run({"run", layoutFile(smallLayout(6)), "--out", file, "--json"});
        QVERIFY2(answer.status == 0, answer.error.constData());
        const QJsonObject json = answer.json();
        const QList<double> losses = numbers(json["losses"]);
        QCOMPARE(losses.size(), 6);
        for (double loss : losses) QVERIFY(std::isfinite(loss) && loss > 0);
        QVERIFY(!numbers(json["validation_losses"]).isEmpty());
        for (const char* key : {"step_seconds", "bubble"})
            for (const char* part : {"measured", "predicted"}) QVERIFY2(json[key].toObject()[part].toDouble() > 0, key);
        QCOMPARE(json["bubble"].toObject()["theory"].toDouble(), 1.0 / 5.0);  // p = 2, m = 4
        QVERIFY(json["tokens_per_second"].toDouble() > 0);
        QVERIFY(json["paced_step_seconds"].isNull());
        const QJsonArray memory = json["memory"].toArray();
        QCOMPARE(memory.size(), 2);
        for (const QJsonValue rank : memory) {
            QVERIFY(rank["peak"].toDouble() > 0);
            QVERIFY(rank["predicted_peak"].toDouble() > 0);
            QVERIFY(rank["bytes"].toObject()["parameters"].toDouble() > 0);
            QVERIFY(rank["bytes"].toObject()["activations"].toDouble() > 0);
        }
        const QJsonArray ranks = json["ranks"].toArray();
        QCOMPARE(ranks.size(), 2);
        for (const QJsonValue rank : ranks) {
            QVERIFY(!rank["host"].toString().isEmpty());
            QVERIFY(rank["pid"].toInt() > 0);
            QCOMPARE(rank["end"].toString(), QString("finished"));
        }
        QCOMPARE(json["run"].toString(), file);
        QVERIFY(QFile::exists(file));

        const Answer info = run({"info", file, "--json"});
        QCOMPARE(info.status, 0);
        QCOMPARE(info.json(), json);
        QVERIFY(run({"info", file}).out.contains("finished"));

        const Answer compared = run({"compare", file, "--json"});
        QCOMPARE(compared.status, 0);
        const QJsonObject comparison = compared.json();
        QCOMPARE(comparison["a"].toObject()["source"].toString(), QString("predicted"));
        QCOMPARE(comparison["step_seconds"].toObject()["b"].toDouble(),
                 json["step_seconds"].toObject()["measured"].toDouble());
        QCOMPARE(comparison["ranks"].toArray().size(), 2);
        const Answer same = run({"compare", file, file});
        QCOMPARE(same.status, 0);
        QVERIFY2(same.out.contains("+0.0 %"), same.out.constData());
        QCOMPARE(run({"compare", file, folder_.filePath("none.shardlab")}).status, 1);
    }

    void aSeedRepeatsBitForBit() {
        const QString seed = QString::number(1 + shardlab::test::freshSeed() % 1000000);
        const QString layout = layoutFile(smallLayout(4));
        const auto losses = [&](const QString& withSeed) {
            return numbers(run({"run", layout, "--steps", "3", "--seed", withSeed, "--json", "--force", "--out",
                                folder_.filePath("seed.shardlab")})
                               .json()["losses"]);
        };
        const QList<double> first = losses(seed);
        QCOMPARE(first.size(), 3);
        QVERIFY2(losses(seed) == first, qPrintable("seed " + seed));
        QVERIFY2(losses(seed + "1") != first, qPrintable("seed " + seed));
    }

    void existingFilesAreKept() {
        const QString file = folder_.filePath("kept.shardlab");
        const QString layout = layoutFile(smallLayout(2));
        QCOMPARE(run({"run", layout, "--out", file}).status, 0);
        const Answer again = run({"run", layout, "--out", file});
        QCOMPARE(again.status, 1);
        QVERIFY(again.error.contains("--force"));
        QCOMPARE(run({"run", layout, "--out", file, "--force"}).status, 0);
        const QString stranger = writeFile(folder_.filePath("letter.txt"), "Dear all");
        QCOMPARE(run({"run", layout, "--out", stranger, "--force"}).status, 1);
        QFile letter(stranger);
        QVERIFY(letter.open(QIODevice::ReadOnly));
        QCOMPARE(letter.readAll(), QByteArray("Dear all"));
    }

    void defaultNameAndRelativeText() {
        QDir(folder_.path()).mkpath("texts");
        QDir(folder_.path()).mkpath("elsewhere");
        writeFile(folder_.filePath("texts/corpus.txt"), QByteArray("The quick brown fox jumps. ").repeated(400));
        const QString layout = writeFile(folder_.filePath("texts/own.layout.json"), smallLayout(2));
        const Answer answer = run({"run", layout, "--set", "/data/kind=text", "--set",
                                   "/data/path=" + folder_.filePath("texts/corpus.txt"), "--set", "/name=own text"},
                                  folder_.filePath("elsewhere"));
        QVERIFY2(answer.status == 0, answer.error.constData());
        const QStringList made = QDir(folder_.filePath("elsewhere")).entryList({"own-text-*.shardlab"});
        QCOMPARE(made.size(), 1);
    }

    void interruptStopsCleanly() {
        const QString file = folder_.filePath("stopped.shardlab");
        QProcess process;
        process.start(program(), {"run", layoutFile(smallLayout(10000000)), "--out", file, "--json"});
        QByteArray said;
        QVERIFY2(waitForSteps(process, said), said.constData());
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.exitCode(), 0);
        const QJsonObject json = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QCOMPARE(json["outcome"].toString(), QString("stopped"));
        const QJsonArray ranks = json["ranks"].toArray();
        for (const QJsonValue rank : ranks) QCOMPARE(rank["end"].toString(), QString("stopped"));
        QCOMPARE(run({"info", file, "--json"}).json(), json);
    }

    /// The checkpoints' folder is a file, so that no checkpoint can be written.
    void withoutAnyOfItsCheckpointsItSaysSo() {
        const QString file = folder_.filePath("unsafe.shardlab"),
                      place = writeFile(folder_.filePath("no-folder"), "a file");
        const QStringList arguments{"run",   layoutFile(smallLayout(6)),
                                    "--set", "/checkpoint/every=3",
                                    "--set", "/checkpoint/path=" + place + "/checkpoints",
                                    "--out", file};
        const Answer answer = run(arguments);
        QCOMPARE(answer.status, 3);
        const QByteArray reason = "none of 2 checkpoints could be taken; the last, of step 6: ";
        QVERIFY2(answer.out.contains("finished: " + reason) && answer.out.contains("0 taken, 2 failed"), answer.out);
        QVERIFY2(answer.error.trimmed().split('\n').last().startsWith("shardlab: the run has no checkpoint: " + reason),
                 answer.error);
        const QJsonObject json = run({"info", file, "--json"}).json();
        QCOMPARE(json["outcome"].toString(), QString("finished"));
        QVERIFY(json["reason"].toString().startsWith(reason));
        QVERIFY(json["reason"].toString().contains("Not a directory"));
        QCOMPARE(json["checkpoints"].toObject()["failed"].toInt(), 2);
        QVERIFY(json["checkpoints"].toObject()["last_failure"].toString().contains("Not a directory"));
    }

    void someOfItsCheckpointsFail() {
        const QString file = folder_.filePath("safe.shardlab"),
                      place = writeFile(folder_.filePath("no-folder-yet"), "a file");
        QProcess process;
        process.start(program(), {"run", layoutFile(smallLayout(10000000, "0.05")), "--set", "/checkpoint/every=2",
                                  "--set", "/checkpoint/path=" + place + "/checkpoints", "--out", file, "--json"});
        process.setReadChannel(QProcess::StandardError);
        QByteArray said;
        QTRY_VERIFY2((said += process.readAllStandardError()).contains("no checkpoint of step "), said.constData());
        const QJsonObject live = run({"info", file, "--json"}).json();
        QVERIFY(live["recording"].toBool() && live["outcome"].toString().isEmpty());
        const Answer told = run({"info", file});
        QVERIFY2(told.out.contains("the run goes on") && !told.out.contains("broke off"), told.out);
        QVERIFY(QFile::remove(place));
        QTRY_VERIFY(!QDir(place + "/checkpoints")
                         .entryList({"*-step-*"}, QDir::Dirs)
                         .filter(QRegularExpression("^\\d+-step-\\d+$"))
                         .isEmpty());
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.exitCode(), 0);
        const QJsonObject json = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QVERIFY(!json["recording"].toBool(true));
        QCOMPARE(json["outcome"].toString(), QString("stopped"));
        QVERIFY(json["checkpoints"].toObject()["taken"].toInt() > 0 &&
                json["checkpoints"].toObject()["failed"].toInt() > 0);
        const QString reason = json["reason"].toString();
        QVERIFY2(reason.startsWith("stopped on request; ") &&
                     reason.contains(" checkpoints could not be taken, the newest is of step "),
                 qPrintable(reason));
    }

    void secondInterruptKills() {
        const QString file = folder_.filePath("killed.shardlab");
        QProcess process;
        process.start(program(), {"run", layoutFile(smallLayout(5, "30")), "--out", file});
        process.setReadChannel(QProcess::StandardError);
        QByteArray said;  // told every five seconds, where no step has ended
        QTRY_VERIFY2((said += process.readAllStandardError()).contains("running on ranks"), said.constData());
        QTest::qWait(1500);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QTest::qWait(300);
        QCOMPARE(process.state(), QProcess::Running);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        const QJsonObject json = run({"info", file, "--json"}).json();
        QCOMPARE(json["outcome"].toString(), QString("stopped"));
        QVERIFY2(json["reason"].toString().contains("killed on request"), qPrintable(json["reason"].toString()));
    }

    /// `shardlab run … 2>&1 | head -1`: nobody listens any more, and the run goes on.
    void aRunGoesOnWithoutItsListener() {
        const QString file = folder_.filePath("unheard.shardlab");
        QProcess process;
        process.setChildProcessModifier([] {
            int ends[2] = {-1, -1};
            if (::pipe(ends) != 0) return;
            ::close(ends[0]);
            ::dup2(ends[1], STDERR_FILENO);
        });
        process.start(program(), {"run", layoutFile(smallLayout(3)), "--out", file, "--json"});
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 0);
        const QJsonObject json = run({"info", file, "--json"}).json();
        QCOMPARE(json["outcome"].toString(), QString("finished"));
        QCOMPARE(numbers(json["losses"]).size(), 3);
    }

    /// What nohup has ignored stays so, for the launcher and for all that it has started.
    void nohupProtectsAWholeRun() {
        const QString file = folder_.filePath("nohup.shardlab");
        QProcess process;
        process.setChildProcessModifier([] { std::signal(SIGHUP, SIG_IGN); });
        process.start(program(), {"run", layoutFile(smallLayout(10000000, "0.05")), "--out", file, "--json"});
        const auto losses = [&] { return numbers(run({"info", file, "--json"}).json()["losses"]).size(); };
        QTRY_VERIFY(losses() > 1 || process.state() == QProcess::NotRunning);
        std::vector<int> all{static_cast<int>(process.processId())};
        for (std::size_t i = 0; i < all.size(); ++i)
            for (const int child : childrenOf(all[i])) all.push_back(child);
        QCOMPARE(all.size(), std::size_t{4});  // the launcher, mpirun, two ranks
        for (const int each : all) ::kill(each, SIGHUP);
        // A run that had heard it would end with its present step.
        const auto before = losses();
        QTRY_VERIFY(losses() > before + 40 || process.state() == QProcess::NotRunning);
        QCOMPARE(process.state(), QProcess::Running);
        ::kill(all.front(), SIGINT);
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.exitCode(), 0);
        QCOMPARE(run({"info", file, "--json"}).json()["reason"].toString().contains("on request"), true);
    }

    /// A terminal that is lost is told by the kernel and again by the shell: no second wish.
    void aLostTerminalStopsCleanly() {
        const QString file = folder_.filePath("lost.shardlab");
        QProcess process;
        process.setChildProcessModifier([] { std::signal(SIGHUP, SIG_DFL); });  // whatever this test was started by
        process.start(program(), {"run", layoutFile(smallLayout(10000000, "1")), "--out", file, "--json"});
        QTRY_VERIFY(!run({"info", file, "--json"}).json()["losses"].toArray().isEmpty() ||
                    process.state() == QProcess::NotRunning);
        const auto hangUp = [&] { ::kill(static_cast<pid_t>(process.processId()), SIGHUP); };
        hangUp();
        while (process.state() == QProcess::Running && !process.waitForFinished(150)) hangUp();
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        const QString reason = run({"info", file, "--json"}).json()["reason"].toString();
        QVERIFY2(reason.contains("stopped on request"), qPrintable(reason));
    }

    void aScheduleWrittenByHandIsFollowed() {
        const QString file = folder_.filePath("by-hand.shardlab"), layout = layoutFile(smallLayout(3));
        const QList<QList<QByteArray>> order{{"0F0", "0F1", "0F2", "0F3", "0B1", "0B0", "0I3", "0B2", "0W3"},
                                             {"1F1", "1B1", "1F0", "1F3", "1I0", "1I3", "1F2", "1W0", "1B2", "1W3"}};
        QByteArray csv;
        for (const QList<QByteArray>& rank : order) csv += rank.join(',') + '\n';
        const QString schedule = writeFile(folder_.filePath("mine.csv"), csv + ",,\n");
        QCOMPARE(run({"plan", layout, "--schedule", schedule, "--json"}).json()["faults"].toArray().size(), 0);
        QVERIFY(run({"schedule", layout, "--file", schedule}).out.contains("0W3"));
        const Answer own = run({"run", layout, "--schedule", schedule, "--out", file, "--json"});
        QVERIFY2(own.status == 0, own.error.constData());
        const Answer generated = run({"run", layout, "--out", folder_.filePath("generated.shardlab"), "--json"});
        const QList<double> losses = numbers(own.json()["losses"]), expected = numbers(generated.json()["losses"]);
        QCOMPARE(losses.size(), 3);
        for (int i = 0; i < 3; ++i) QVERIFY(std::abs(losses[i] - expected[i]) < 1e-5 * expected[i]);

        // The run holds the order that it followed; the file is no longer needed.
        QVERIFY(QFile::remove(schedule));
        const auto reader = shardlab::trace::RunReader::open(file.toStdString());
        QVERIFY(reader.has_value());
        const shardlab::layout::Layout& recorded = (*reader)->header().layout;
        QCOMPARE(recorded.schedule.kind, std::string("custom"));
        for (std::size_t rank = 0; rank < 2; ++rank)
            QCOMPARE(QByteArray::fromStdString(recorded.schedule.actions[rank]),
                     order[static_cast<int>(rank)].join(','));

        const QString wrong = writeFile(folder_.filePath("wrong.csv"),
                                        "0F0,0F1,0F2,0F3,0B0,0B1,0B2,0B3\n1B0,1F0,1F1,1B1,1F2,1B2,1F3,1B3\n");
        for (const char* verb : {"plan", "run"}) {
            const Answer refused = run({verb, layout, "--schedule", wrong});
            QCOMPARE(refused.status, 1);
            QVERIFY2(refused.error.contains("/schedule/actions") && refused.error.contains("[1B0]"),
                     refused.error.constData());
        }
    }

    void exportsForOtherPrograms() {
        const QString file = folder_.filePath("export.shardlab");
        QCOMPARE(run({"run", layoutFile(smallLayout(3)), "--out", file}).status, 0);
        const QString csv = folder_.filePath("e.csv");
        const Answer table = run({"export", file, "--format", "csv", "--out", csv});
        QVERIFY2(table.status == 0, table.error.constData());
        QFile rows(csv);
        QVERIFY(rows.open(QIODevice::ReadOnly));
        const qint64 lines = rows.readAll().count('\n');
        QVERIFY(lines > run({"info", file, "--json"}).json()["events"].toInteger());
        const QString chrome = folder_.filePath("e.json");
        QCOMPARE(run({"export", file, "--format", "chrome", "--out", chrome}).status, 0);
        QFile trace(chrome);
        QVERIFY(trace.open(QIODevice::ReadOnly));
        const QJsonObject json = QJsonDocument::fromJson(trace.readAll()).object();
        QVERIFY(json["traceEvents"].toArray().size() > 20);
        QCOMPARE(run({"export", file, "--format", "csv", "--out", csv}).status, 1);  // exists
        QCOMPARE(run({"export", file, "--format", "csv", "--out", "/proc/nowhere/e.csv"}).status, 1);
    }

    void unwritableFolderAndMissingText() {
        const Answer folder = run({"run", layoutFile(smallLayout(2)), "--out", "/proc/nowhere/x.shardlab"});
        QCOMPARE(folder.status, 1);
        QVERIFY2(folder.error.contains("/proc/nowhere"), folder.error.constData());
        const Answer text = run({"run", layoutFile(smallLayout(2)), "--out", folder_.filePath("t.shardlab"), "--set",
                                 "/data/kind=text", "--set", "/data/path=/nonexistent/corpus.txt"});
        QCOMPARE(text.status, 1);
        QVERIFY2(text.error.contains("/nonexistent/corpus.txt"), text.error.constData());
        QVERIFY2(text.error.contains("/data/path: the text cannot be read"), text.error.constData());
        QVERIFY(!QFile::exists(folder_.filePath("t.shardlab")));  // said before anything started
        const Answer mpirun = run({"run", layoutFile(smallLayout(2)), "--out", folder_.filePath("m.shardlab")}, {},
                                  {"PATH=/nonexistent"});
        QCOMPARE(mpirun.status, 1);
        QVERIFY2(mpirun.error.contains("openmpi-bin"), mpirun.error.constData());
    }
};

QTEST_GUILESS_MAIN(RunCommandTest)
#include "run_command_test.moc"
