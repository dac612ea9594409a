// SPDX-License-Identifier: Apache-2.0
// Verbs that start no ranks: exit status, what goes to which stream, keys of the JSON answers.
#include "engine/base/units.h"
#include "tests/support/command.h"
#include "tests/support/sample_weights.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace shardlab;
using namespace shardlab::test;

class CommandLineTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyVerbHasHelp_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("itself") << QStringList{"--help"};
        for (const char* verb :
             {"plan", "search", "schedule", "run", "info", "query", "compare", "export", "import", "layouts", "doctor"})
            QTest::newRow(verb) << QStringList{verb, "--help"};
    }
    void everyVerbHasHelp() {
        QFETCH(QStringList, arguments);
        const Answer answer = run(arguments);
        QCOMPARE(answer.status, 0);
        QVERIFY(answer.out.contains("--help"));
        QVERIFY(answer.error.isEmpty());
    }

    /// `--deadline` did not say that the first step has a minute at least.
    void theDeadlinesHelpSaysWhatTheFirstStepHas() {
        const QByteArray help = run({"run", "--help"}).out;
        const qsizetype at = help.indexOf("--deadline");
        QVERIFY(at >= 0);
        QVERIFY(help.mid(at, help.indexOf("--max-restarts") - at).simplified().contains("at least 60"));
    }

    void theManualIsSearched() {
        const Answer found = run({"help", "--search", "DEADline seconds"});
        QCOMPARE(found.status, 0);
        const QList<QByteArray> rows = found.out.trimmed().split('\n').mid(1);
        QVERIFY(rows.size() > 1);
        for (const QByteArray& row : rows) {
            QVERIFY2(row.toLower().contains("deadline") && row.toLower().contains("seconds"), row.constData());
            const QList<QByteArray> cells = row.simplified().split(' ');
            const QList<QByteArray> lines = run({"help", QString::fromUtf8(cells[0])}).out.split('\n');
            QCOMPARE(lines[cells[1].toInt() - 1].simplified(), cells.mid(2).join(' '));
        }
        const Answer none = run({"help", "--search", "no page has this"});
        QCOMPARE(none.status, 1);
        QVERIFY(none.out.isEmpty() && none.error.contains("no page has this"));
    }

    void version() {
        const Answer answer = run({"--version"});
        QCOMPARE(answer.status, 0);
        QVERIFY(answer.out.startsWith("shardlab "));
    }

    void wrongUseIsTwo_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("unknown verb") << QStringList{"paln"} << QByteArray("no such verb (paln). ");
        QTest::newRow("nearest verb") << QStringList{"paln"} << QByteArray("did you mean plan?");
        QTest::newRow("unknown option") << QStringList{"plan", "default", "--jsn=3"}
                                        << QByteArray("no such option (--jsn). --help, --set, ");
        QTest::newRow("nearest option") << QStringList{"plan", "default", "--jsn"}
                                        << QByteArray("did you mean --json?");
        QTest::newRow("layout missing") << QStringList{"plan"}
                                        << QByteArray(
                                               "LAYOUT is missing (shardlab plan): A layout file, the name of a ");
        QTest::newRow("its usage") << QStringList{"plan"} << QByteArray("shardlab plan [OPTIONS] LAYOUT; ");
        QTest::newRow("no candidates asked for")
            << QStringList{"search", "default", "--top", "0"} << QByteArray("not legal (--top): 0 is not ");
        QTest::newRow("run file missing") << QStringList{"info"} << QByteArray("RUN is missing (shardlab info)");
        QTest::newRow("question missing") << QStringList{"query", "x.shardlab"} << QByteArray("(shardlab query)");
        QTest::newRow("neither layout nor kind") << QStringList{"schedule"} << QByteArray("(shardlab schedule)");
        QTest::newRow("layout and kind") << QStringList{"schedule", "default", "--kind", "1f1b"}
                                         << QByteArray("--kind");
        QTest::newRow("unknown format") << QStringList{"schedule", "default", "--format", "cvs"}
                                        << QByteArray(
                                               "(--format): \"cvs\" is none of grid, csv or json (did you mean csv?)");
        QTest::newRow("export without format") << QStringList{"export", "x.shardlab"} << QByteArray("--format");
        QTest::newRow("export to nothing known")
            << QStringList{"export", "x.shardlab", "--format", "pdf"} << QByteArray("\"pdf\" is none of csv, chrome, ");
        QTest::newRow("export of a run for a trainer")
            << QStringList{"export", "x", "--format", "csv", "--for", "megatron"} << QByteArray("excludes");
        QTest::newRow("export for nobody known")
            << QStringList{"export", "default", "--for", "megtron"} << QByteArray("did you mean megatron?");
        QTest::newRow("a script without a trainer")
            << QStringList{"export", "default", "--format", "csv", "--sbatch"} << QByteArray("--for");
        QTest::newRow("steps no number") << QStringList{"run", "default", "--steps", "many"}
                                         << QByteArray("cannot be read (--steps): \"many\" is no number");
        QTest::newRow("a sum no number") << QStringList{"plan", "default", "--tokens", "3q"}
                                         << QByteArray("not legal (--tokens): \"3q\" is no number");
        QTest::newRow("too small") << QStringList{"plan", "default", "--tokens=-3"}
                                   << QByteArray("not legal (--tokens): -3 is ");
        QTest::newRow("steps without a value")
            << QStringList{"run", "default", "--steps"} << QByteArray("the value is missing (--steps): ");
        QTest::newRow("too many") << QStringList{"plan", "default", "other"}
                                  << QByteArray("one argument too many (other)");
    }
    void wrongUseIsTwo() {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, said);
        const Answer answer = run(arguments);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.error.startsWith("shardlab: ") && answer.error.contains(said) && answer.error.count('\n') == 1,
                 answer.error.constData());
        QVERIFY(answer.out.isEmpty());
    }

    void planAndRunRefuseFilesThatAreNotWhatTheLayoutTakesThemFor() {
        const QTemporaryDir folder;
        const auto content = [](std::int32_t words) {
            QByteArray bytes;
            for (std::int32_t i = 0; i < words; ++i) bytes.append(reinterpret_cast<const char*>(&i), sizeof i);
            return bytes;
        };
        writeFile(folder.filePath("tokens.bin"), content(1000));
        SampleWeights weights = SampleWeights::gpt2();
        weights.config["n_head"] = 4;
        weights.write(folder.filePath("weights").toStdString());
        const QString layout = writeFile(folder.filePath("layout.json"),
                                         R"({"name": "misfit", "model": {"layers": 2, "hidden": 8, "heads": 2,
            "sequence": 16, "weights": "weights"}, "data": {"kind": "tokens", "path": "tokens.bin"}})");
        const QString file = folder.filePath("run.shardlab");
        for (const QStringList& arguments : {QStringList{"plan", layout}, {"run", layout, "--out", file}}) {
            const Answer answer = run(arguments);
            QCOMPARE(answer.status, 1);
            QVERIFY2(answer.error.contains("/model/weights: these weights do not fit the layout's model") &&
                         answer.error.contains("n_head is 4, model.heads is 2"),
                     answer.error.constData());
            QVERIFY2(answer.error.contains("/data/path: these are no tokens") &&
                         answer.error.contains("tokens of 32 bits"),
                     answer.error.constData());
            QVERIFY(answer.out.isEmpty());
            QVERIFY(!QFile::exists(file));
        }
        // Without a config.json tensors alone are judged, and that is said.
        weights.config = nullptr;
        weights.write(folder.filePath("weights").toStdString());
        const Answer answer = run({"plan", layout, "--set", "/data/kind=generator"});
        QVERIFY2(answer.status == 0 && answer.out.contains("Step time"), answer.error.constData());
        QVERIFY2(answer.error.contains("no config.json lies beside the weights"), answer.error.constData());
    }

    void planAnswersInFiguresAndInJson() {
        const Answer text = run({"plan", "default"});
        QCOMPARE(text.status, 0);
        for (const char* word : {"Step time", "Bubble", "tokens/s", "activations", "gradients"})
            QVERIFY2(text.out.contains(word), word);
        const Answer json = run({"plan", "default", "--json"});
        QCOMPARE(json.status, 0);
        const QJsonObject plan = json.json();
        QVERIFY(plan["step_seconds"].toDouble() > 0);
        QVERIFY(plan["tokens_per_second"].toDouble() > 0);
        QVERIFY(plan["bubble"].toObject()["predicted"].toDouble() > 0);
        QVERIFY(plan["bubble"].toObject()["theory"].toDouble() > 0);
        const QJsonArray memory = plan["memory"].toArray();
        QCOMPARE(memory.size(), plan["ranks"].toInt());
        for (const QJsonValue rank : memory) {
            QVERIFY(rank["peak"].toDouble() > 0);
            QCOMPARE(rank["bytes"].toObject().size(), 6);
        }
        QVERIFY(!plan["traffic"].toArray().isEmpty());
        QVERIFY(plan["faults"].toArray().isEmpty());
    }

    void planLeadsWithDeviceTime() {
        const Answer text = run({"plan", "llama3-70b"});
        QCOMPARE(text.status, 0);
        const QJsonObject plan = run({"plan", "llama3-70b", "--json"}).json();
        const double step = plan["step_seconds"].toDouble();
        QCOMPARE(plan["paced_step_seconds"].toDouble(), step * plan["stretch"].toDouble());
        QVERIFY(qAbs(plan["paced_step_seconds"].toDouble() / 60 - 1) < 1e-9 && step < 10);
        const QByteArray told = QByteArray::fromStdString(shardlab::base::formatSeconds(step));
        const auto line = [&](const char* label) {
            for (const QByteArray& each : text.out.split('\n'))
                if (each.startsWith(label)) return each;
            return QByteArray();
        };
        QVERIFY2(line("Step time").endsWith(" " + told), line("Step time"));
        // Time and rate come first, below the name.
        QVERIFY2(text.out.split('\n').value(2).startsWith("Step time"), text.out.left(200));
        QVERIFY2(text.out.split('\n').value(3).startsWith("Throughput"), text.out.left(200));
        QVERIFY2(
            line("Throughput")
                .contains(QByteArray::fromStdString(shardlab::base::formatCount(plan["tokens_per_second"].toDouble()))),
            line("Throughput"));
        QCOMPARE(text.out.count("1 min 0 s"), 1);  // the remark
        const QByteArray slowed = QByteArray::number(plan["stretch"].toDouble(), 'f', 1);
        QVERIFY2(line("Note").contains("slowed " + slowed + " × to watch: a step lasts 1 min 0 s"), line("Note"));
        // At full speed there is one time.
        QTemporaryDir folder;
        const QString full = writeFile(folder.filePath("full.layout.json"), "{}");
        QVERIFY(run({"plan", full, "--json"}).json()["paced_step_seconds"].isNull());
    }

    void planTellsMemoryOverTimeAndTheCriticalPath() {
        const Answer text = run({"plan", "1f1b-4", "--memory-curve", "--critical-path"});
        QCOMPARE(text.status, 0);
        for (const char* word : {"Critical path", "3F0", "waiting", "temporary"})
            QVERIFY2(text.out.contains(word), word);
        const QJsonObject plan = run({"plan", "1f1b-4", "--memory-curve", "--critical-path", "--json"}).json();
        const QJsonArray curves = plan["memory_curve"].toArray();
        QCOMPARE(curves.size(), 4);
        for (int rank = 0; rank < curves.size(); ++rank) {
            double most = 0;
            for (const QJsonValue point : curves.at(rank)["points"].toArray()) {
                double sum = 0;
                for (const QJsonValue bytes : point["bytes"].toObject()) sum += bytes.toDouble();
                most = std::max(most, sum);
            }
            QCOMPARE(most, plan["memory"].toArray().at(rank)["peak"].toDouble());
        }
        double decided = 0;
        for (const QJsonValue rank : plan["critical_path"].toObject()["ranks"].toArray())
            for (const QJsonValue share : rank["on_path"].toObject()) decided += share.toDouble();
        QVERIFY(qAbs(decided - plan["step_seconds"].toDouble()) < 1e-9);
        int onPath = 0;
        for (const QJsonValue action : plan["critical_path"].toObject()["actions"].toArray())
            if (action["on_path"].toBool()) {
                QCOMPARE(action["slack"].toDouble(), 0.0);
                ++onPath;
            }
        QVERIFY(onPath > 8);
    }

    void everyFaultOfALayoutAtOnce() {
        QTemporaryDir folder;
        const QString file = writeFile(folder.filePath("bad.layout.json"),
                                       R"({"colour": 1, "model": {"heads": 7}, "batch": {"global": 16, "micro": 3},
                                           "schedule": {"kind": "zigzag"}, "optimizer": {"clip": "a lot"}})");
        const Answer answer = run({"plan", file});
        QCOMPARE(answer.status, 1);
        QVERIFY(answer.out.isEmpty());
        QList<QByteArray> lines = answer.error.trimmed().split('\n');
        lines.removeIf([](const QByteArray& line) { return !line.startsWith('/'); });  // advice follows
        for (const char* pointer : {"/colour", "/model/heads", "/batch", "/schedule/kind", "/optimizer/clip"}) {
            const auto names = [&](const QByteArray& line) { return line.startsWith(pointer); };
            QVERIFY2(std::count_if(lines.begin(), lines.end(), names) >= 1, answer.error.constData());
        }
        const Answer json = run({"plan", file, "--json"});
        QCOMPARE(json.status, 1);
        const QJsonArray faults = json.json()["faults"].toArray();
        QCOMPARE(faults.size(), lines.size());
        for (const QJsonValue fault : faults)
            QVERIFY(!fault["pointer"].toString().isEmpty() && !fault["what"].toString().isEmpty());
    }

    void malformedLayoutsAreOneClearError_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("truncated") << QByteArray("{\"model\": {\"lay");
        QTest::newRow("list") << QByteArray("[1, 2]");
        QTest::newRow("bytes") << QByteArray("\xff\xfe\x00\x01", 4);
        QTest::newRow("deep") << QByteArray(100000, '[');
    }
    void malformedLayoutsAreOneClearError() {
        QFETCH(QByteArray, content);
        QTemporaryDir folder;
        const QString file = writeFile(folder.filePath("x.layout.json"), content);
        for (const char* verb : {"plan", "schedule", "run"}) {
            const Answer answer = run({verb, file}, folder.path());
            QCOMPARE(answer.status, 1);
            QVERIFY(answer.out.isEmpty());
            QCOMPARE(answer.error.trimmed().count('\n'), 0);
            QVERIFY2(answer.error.contains("x.layout.json"), answer.error.constData());
        }
    }

    void missingLayoutsNameWhatThereIs() {
        const Answer preset = run({"plan", "defualt"});
        QCOMPARE(preset.status, 1);
        QVERIFY2(preset.error.contains("default"), preset.error.constData());
        QCOMPARE(run({"plan", "/nonexistent/x.layout.json"}).status, 1);
    }

    void setChangesFields() {
        const QJsonObject plan =
            run({"plan", "default", "--json", "--set", "/schedule/kind=gpipe", "--set", "/name=changed"}).json();
        QCOMPARE(plan["name"].toString(), QString("changed"));
        const Answer unknown = run({"plan", "default", "--set", "/model/colour=red"});
        QCOMPARE(unknown.status, 1);
        QVERIFY(unknown.error.contains("/model/colour"));
        QCOMPARE(run({"plan", "default", "--set", "heads"}).status, 1);
    }

    void scheduleInEveryFormat() {
        const QStringList kind{"schedule", "--kind", "1f1b", "--stages", "4", "--microbatches", "8"};
        const Answer grid = run(kind);
        QCOMPARE(grid.status, 0);
        QVERIFY(grid.out.contains("0F0") && grid.out.contains("3B7"));
        const Answer csv = run(kind + QStringList{"--format", "csv"});
        const QList<QByteArray> rows = csv.out.trimmed().split('\n');
        QCOMPARE(rows.size(), 4);
        for (int rank = 0; rank < 4; ++rank) {
            const QList<QByteArray> cells = rows[rank].split(',');
            QCOMPARE(cells.size(), 16);
            QCOMPARE(cells.front(), QByteArray::number(rank) + "F0");
            QCOMPARE(cells.back(), QByteArray::number(rank) + "B7");
        }
        const QJsonObject json = run(kind + QStringList{"--json"}).json();
        QCOMPARE(json["stages"].toInt(), 4);
        QCOMPARE(json["microbatches"].toInt(), 8);
        QCOMPARE(json["step"].toDouble(), 33.0);  // (m + p − 1) · (1 + 2)
        QCOMPARE(json["bubble"].toObject()["predicted"].toDouble(), 3.0 / 11.0);
        QCOMPARE(json["bubble"].toObject()["theory"].toDouble(), 3.0 / 11.0);
        QCOMPARE(json["ranks"].toArray().size(), 4);
    }

    void scheduleFromAFile() {
        QTemporaryDir folder;
        const auto write = [&](const char* name, const QByteArray& text) {
            QFile file(folder.filePath(name));
            return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
        };
        // What is printed is read again, of a kind that folds back and splits its backwards.
        const Answer printed =
            run({"schedule", "--kind", "zb-v", "--stages", "3", "--microbatches", "6", "--format", "csv"});
        QCOMPARE(printed.status, 0);
        QVERIFY(write("zb-v.csv", printed.out));
        const Answer again = run({"schedule", "--file", folder.filePath("zb-v.csv"), "--format", "csv"});
        QVERIFY2(again.status == 0, again.error);
        QCOMPARE(again.out, printed.out);
        const QJsonValue timed = run({"schedule", "--file", folder.filePath("zb-v.csv"), "--json"}).json();
        const QJsonValue kind =
            run({"schedule", "--kind", "zb-v", "--stages", "3", "--microbatches", "6", "--json"}).json();
        QCOMPARE(timed["step"], kind["step"]);
        QVERIFY(timed["bubble"]["theory"].isNull() && kind["bubble"]["theory"].isDouble());

        // What is not compute is left out, and counted.
        QVERIFY(write("lowered.csv", "0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD\n1RECV_F0,1F0,1B0,1SEND_B0\n"));
        const Answer lowered = run({"schedule", "--file", folder.filePath("lowered.csv"), "--format", "csv"});
        QCOMPARE(lowered.out, QByteArray("0F0,0B0\n1F0,1B0\n"));
        QVERIFY2(lowered.error.contains("1 SEND_F") && lowered.error.contains("1 UNSHARD"), lowered.error);
        const Answer misfit = run({"schedule", "default", "--file", folder.filePath("lowered.csv")});
        QCOMPARE(misfit.status, 1);
        QVERIFY2(misfit.error.contains("[0F1]"), misfit.error);

        QVERIFY(write("wrong.csv", "0F0,0B0,0F1,0B1\n1F0,1B0,1B1,1F1\n"));
        const Answer wrong = run({"schedule", "--file", folder.filePath("wrong.csv")});
        QCOMPARE(wrong.status, 1);
        QVERIFY2(wrong.error.contains("[1B1]"), wrong.error);
        QCOMPARE(run({"schedule", "--file", folder.filePath("none.csv")}).status, 1);
        QCOMPARE(run({"schedule", "--file", "a.csv", "--kind", "1f1b"}).status, 2);
    }

    void scheduleRefusesWithTheReason() {
        const Answer kind = run({"schedule", "--kind", "zigzag"});
        QCOMPARE(kind.status, 1);
        QVERIFY2(kind.error.contains("1f1b"), kind.error.constData());
        QCOMPARE(run({"schedule", "--kind", "1f1b", "--stages", "0"}).status, 1);
        QCOMPARE(run({"schedule", "--kind", "1f1b", "--microbatches", "-1"}).status, 1);
    }

    void doctorAnswers() {
        const Answer answer = run({"doctor", "--json"});
        QCOMPARE(answer.status, answer.json()["works"].toBool() ? 0 : 1);
        QSet<QString> subjects;
        const QJsonArray findings = answer.json()["findings"].toArray();
        for (const QJsonValue finding : findings) {
            subjects.insert(finding["subject"].toString());
            if (finding["state"].toString() != "good") QVERIFY(!finding["advice"].toString().isEmpty());
        }
        for (const char* subject :
             {"cores", "memory", "Open MPI", "network", "display", "CUDA toolkit", "GPUs", "NCCL", "resources"})
            QVERIFY2(subjects.contains(subject), subject);

        // GPUs are told as ranks see them; here there are two that a library only plays.
        const QString played = SHARDLAB_PROGRAM_DIR "/libemulated_cuda.so";
        if (QFile::exists(played)) {
            const Answer some =
                run({"doctor", "--json"}, {},
                    {"SHARDLAB_CUDA_LIBRARY=" + played, "SHARDLAB_NCCL_LIBRARY=" + played, "SHARDLAB_EMULATED_GPUS=2"});
            for (const QJsonValue finding : some.json()["findings"].toArray()) {
                if (finding["subject"] == "GPUs")
                    QVERIFY2(finding["detail"].toString().startsWith("emulated GPU, emulated GPU,"),
                             qPrintable(finding["detail"].toString()));
                if (finding["subject"] == "NCCL") QCOMPARE(finding["state"].toString(), "good");
            }
        }

        // Hosts that no run could take are not called.
        const Answer faulty = run({"doctor", "default", "--set", "/cluster/hosts=[]"});
        QCOMPARE(faulty.status, 1);
        QVERIFY2(faulty.error.contains("/cluster/hosts"), faulty.error.constData());

        const Answer without = run({"doctor"}, {}, {"PATH=/nonexistent"});
        QCOMPARE(without.status, 1);
        QVERIFY(without.out.contains("openmpi-bin"));
    }

    /// Names of traces, runs and layouts reach no terminal as commands to it; JSON and CSV keep them.
    void foreignTextDoesNotCommandTheTerminal() {
        QTemporaryDir folder;
        const QString trace = folder.filePath("trace.json"), made = folder.filePath("made.shardlab"),
                      layout = folder.filePath("evil.layout.json");
        const QByteArray name = "\"kernel\\u001b]0;owned\\u0007\\u009b2J\\u202e 東京\"";
        const auto keep = [&](const QString& file, QByteArray content) {
            return !writeFile(file, content.replace("NAME", name)).isEmpty();
        };
        QVERIFY(keep(trace,
                     R"([{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": NAME}},)"
                     R"({"ph": "X", "ts": 1, "dur": 5, "pid": 1, "tid": 1, "name": NAME}, {"ph": NAME, "pid": 1}])"));
        QVERIFY(keep(layout, R"({"name": NAME, NAME: 1})"));
        const QString question = QStringLiteral("SELECT name FROM events WHERE name <> ''");
        const auto quiet = [](const QByteArray& said) {
            return !said.contains('\x1b') && !said.contains('\x07') && !said.contains("\xc2\x9b") &&
                   !said.contains("\xe2\x80\xae");
        };
        QByteArray all;
        for (const QStringList& arguments : {QStringList{"import", trace, "--out", made},
                                             {"info", made},
                                             {"query", made, question},
                                             {"compare", made},
                                             {"query", made, question, "--json"},
                                             {"plan", layout},
                                             {"query", made, QStringLiteral("SELECT \"\u001b[2J\"")}}) {
            const Answer answer = run(arguments);
            QVERIFY2(quiet(answer.out) && quiet(answer.error), qPrintable(arguments.join(QLatin1Char(' '))));
            all += answer.out + answer.error;
        }
        QVERIFY(all.contains("kernel\\u001b]0;owned\\u0007\\u009b2J\\u202e 東京"));
        const QString meant = QStringLiteral("kernel\u001b]0;owned\u0007\u009b2J\u202e 東京");
        const QJsonArray rows = QJsonDocument::fromJson(run({"query", made, question, "--json"}).out).array();
        QCOMPARE(rows.at(0).toObject()["name"].toString(), meant);
        QVERIFY(run({"query", made, question, "--csv"}).out.contains(meant.toUtf8()));
    }

    void anUnknownVerbIsNamed() {
        const Answer answer = run({"frobnicate"});
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.error.contains("frobnicate") && answer.error.contains("schedule"), answer.error.constData());
    }

    void damagedRunFilesAreOneClearError_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("text") << QByteArray("this is no run\n");
        QTest::newRow("header only") << QByteArray("SQLite format 3\0", 16);
        QTest::newRow("zeros") << QByteArray(8192, '\0');
    }
    void damagedRunFilesAreOneClearError() {
        QFETCH(QByteArray, content);
        QTemporaryDir folder;
        const QString file = writeFile(folder.filePath("x.shardlab"), content);
        for (const QStringList& arguments : {QStringList{"info", file},
                                             {"info", file, "--json"},
                                             {"export", file, "--format", "csv"},
                                             {"export", file, "--format", "png"}}) {
            const Answer answer = run(arguments, folder.path());
            QCOMPARE(answer.status, 1);
            QVERIFY(answer.out.isEmpty());
            QCOMPARE(answer.error.trimmed().count('\n'), 0);
            QVERIFY2(answer.error.contains("x.shardlab"), answer.error.constData());
        }
        QCOMPARE(run({"info", folder.filePath("missing.shardlab")}).status, 1);
    }

    /// Traces become a run beside the first of them, which info and query speak of; nothing is replaced unasked.
    void tracesBecomeARun() {
        QTemporaryDir folder;
        const QString trace = folder.filePath("rank0.json");
        QVERIFY(QFile::copy(QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/trace/traces/kineto-rank0.json"), trace));
        const Answer made = run({"import", trace});
        QCOMPARE(made.status, 0);
        const QString file = folder.filePath("rank0.shardlab");
        QCOMPARE(made.out, file.toUtf8() + "\n");
        QVERIFY(made.error.contains("1 rank from PyTorch profiler, 2 steps"));
        QVERIFY(made.error.contains("not understood: 4 arrows"));
        const Answer told = run({"info", file});
        QCOMPARE(told.status, 0);
        QVERIFY2(told.out.contains("From          rank0.json, PyTorch profiler"), told.out);
        QVERIFY2(told.out.contains("Steps         2\n"), told.out);
        QVERIFY(!told.out.contains("predicted"));
        QVERIFY(run({"query", file, "SELECT DISTINCT name FROM events WHERE kind = 'kernel'"})
                    .out.contains("ampere_sgemm_128x64_tn"));
        const Answer again = run({"import", trace});
        QCOMPARE(again.status, 1);
        QVERIFY(again.error.contains("it exists") && again.error.contains("--force"));
        QCOMPARE(run({"import", trace, "--force", "--from", "kineto"}).status, 0);
        QCOMPARE(run({"import", trace, "--from", "xls"}).status, 2);
        const Answer missing = run({"import", folder.filePath("none.json")});
        QCOMPARE(missing.status, 1);
        QVERIFY(missing.error.contains("none.json") && missing.error.contains("there is no such file"));
    }
};

QTEST_GUILESS_MAIN(CommandLineTest)
#include "command_line_test.moc"
