// SPDX-License-Identifier: Apache-2.0
// Runs on several hosts, which are namespaces: losses as on one host, clocks that agree, and all that can be lost.
#include "engine/trace/run_file/run_file.h"
#include "tests/launch/mpirun_words.h"
#include "tests/launch/hosts/ssh_servers.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <csignal>
#include <map>
#include <random>

using namespace shardlab::test;

namespace {

constexpr int hostCount = 3;

struct Degrees {
    int data, pipeline, tensor;
};

QList<double> numbers(const QJsonValue& list) {
    QList<double> result;
    for (const QJsonValue value : list.toArray()) result.append(value.toDouble(std::nan("")));
    return result;
}

}  // namespace

class HostsRunTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<NamespaceHosts> hosts_;
    std::mt19937_64 random_;

    /// On these hosts, or with none on this machine.
    QByteArray layout(const QList<QPair<QString, int>>& hosts, const Degrees& degrees, int steps,
                      const QByteArray& more = {}) {
        QByteArray list;
        for (const auto& [name, devices] : hosts)
            list += (list.isEmpty() ? "" : ", ") +
                    QString(R"json({"name": "%1", "devices": %2})json").arg(name).arg(devices).toUtf8();
        QString text =
            R"json({"name": "hosts", "model": {"kind": "gpt", "layers": 6, "hidden": 32, "heads": 2, "sequence": 32},
 "cluster": {"hosts": [HOSTS], "agent": "AGENT", "network": "NETWORK"}, "parallel": {"data": DATA, "pipeline": PIPELINE, "tensor": TENSOR},
 "batch": {"global": 12, "micro": 2}MORE,
 "run": {"steps": STEPS, "seed": 5, "validate_every": 0, "deadline": 0, "max_restarts": RESTARTS}})json";
        text.replace("HOSTS", list).replace("AGENT", hosts_->agent()).replace("NETWORK", NamespaceHosts::network());
        text.replace("DATA", QString::number(degrees.data)).replace("PIPELINE", QString::number(degrees.pipeline));
        text.replace("TENSOR", QString::number(degrees.tensor))
            .replace("STEPS", QString::number(steps))
            .replace("MORE", more);
        return text.replace("RESTARTS", more.contains("checkpoint") ? "1" : "0").toUtf8();
    }
    QByteArray twoEach(const Degrees& degrees, int steps, const QByteArray& more = {}) {
        return layout({{hosts_->name(0), 2}, {hosts_->name(1), 2}, {hosts_->name(2), 2}}, degrees, steps, more);
    }
    QString file(const QString& name) const { return hosts_->folder() + "/" + name; }

    /// `shardlab run` on the first host.
    std::unique_ptr<QProcess> start(const QString& name, const QByteArray& content, const QStringList& more = {}) {
        writeFile(file(name + ".json"), content);
        auto process = hosts_->program(
            0, program(),
            QStringList{"run", file(name + ".json"), "--out", file(name + ".shardlab"), "--force", "--json"} + more);
        process->start();
        return process;
    }
    static bool ended(QProcess& process, int milliseconds = 120000) {
        return process.state() == QProcess::NotRunning || process.waitForFinished(milliseconds);
    }
    std::unique_ptr<RunReader> reader(const QString& name) {
        auto opened = RunReader::open(file(name + ".shardlab").toStdString());
        return opened ? std::move(*opened) : nullptr;
    }
    static std::vector<Event> eventsOf(const RunReader& run) {
        std::vector<Event> all;
        const Status read = run.readEvents([&](std::span<const Event> part) {
            all.insert(all.end(), part.begin(), part.end());
            return true;
        });
        if (!read) qWarning("%s", read.error().text().c_str());
        return all;
    }
    static std::string logOf(const RunReader& run) {
        std::string text;
        if (const auto lines = run.log())
            for (const LogLine& line : *lines) text += line.text + "\n";
        return text;
    }
    static void requireComplete(const std::vector<Event>& events, int ranks, int steps) {
        std::map<std::pair<int, int>, int> compute;  // by rank and step
        std::map<int, int> ends;
        for (const Event& event : events) {
            if (isCompute(event.kind)) ++compute[{event.rank, event.step}];
            if (event.kind == EventKind::Step) ++ends[event.rank];
            QVERIFY(event.kind != EventKind::Dropped);
        }
        for (int rank = 0; rank < ranks; ++rank) {
            QCOMPARE(ends[rank], steps);
            for (int step = 0; step < steps; ++step)
                QCOMPARE(compute[std::pair(rank, step)], compute[std::pair(rank, 0)]);
        }
    }
    /// No span ends before it begins, and no message arrives before it was sent, as far as the clocks are known.
    static void requireCausality(const std::vector<Event>& events, std::int64_t uncertainty) {
        // By step, replica and tensor rank, the receive's action.
        std::map<std::tuple<int, int, ActionId>, std::int64_t> sent;
        int messages = 0, early = 0;
        for (const Event& event : events) QVERIFY(event.end >= event.begin);
        for (const Event& event : events) {
            if (event.kind != EventKind::SendForward && event.kind != EventKind::SendBackward) continue;
            Action arrival = actionFromId(event.action);
            const bool forward = event.kind == EventKind::SendForward;
            arrival.kind = forward ? ActionKind::RecvForward : ActionKind::RecvBackward;
            arrival.stage = static_cast<decltype(arrival.stage)>(arrival.stage + (forward ? 1 : -1));
            sent[{event.step, event.rank % 2, actionId(arrival)}] = event.begin;
        }
        for (const Event& event : events) {
            if (event.kind != EventKind::RecvForward && event.kind != EventKind::RecvBackward) continue;
            const auto found = sent.find({event.step, event.rank % 2, event.action});
            if (found == sent.end()) continue;
            ++messages;
            early += event.end < found->second;
            QVERIFY2(event.end + uncertainty >= found->second,
                     qPrintable(QString("%1 arrives %2 ns before it is sent, step %3")
                                    .arg(QString::fromStdString(toText(actionFromId(event.action))))
                                    .arg(found->second - event.end)
                                    .arg(event.step)));
        }
        qInfo("%d messages, clocks known to %lld ns in sum, %d seem to arrive before they are sent", messages,
              static_cast<long long>(uncertainty), early);
        QVERIFY(messages > 100);
    }

private Q_SLOTS:
    void initTestCase() {
        random_.seed(freshSeed());
        hosts_ = std::make_unique<NamespaceHosts>(hostCount);
        if (!hosts_->why().isEmpty()) QSKIP(qPrintable(hosts_->why()));
    }
    void cleanupTestCase() { hosts_.reset(); }

    void lossesAreThoseOfOneHostAndClocksAgree() {
        const Degrees choices[] = {{1, 3, 2}, {3, 1, 2}, {3, 2, 1}};
        const Degrees degrees = choices[random_() % 3];
        constexpr int steps = 12;
        const QString text =
            QString("data %1 × pipeline %2 × tensor %3").arg(degrees.data).arg(degrees.pipeline).arg(degrees.tensor);
        if (!hosts_->limitBandwidth(2, "200mbit")) qWarning("no bandwidth limit can be set here");
        const auto process = start("parity", twoEach(degrees, steps));
        QVERIFY(ended(*process));
        const QByteArray answer = process->readAllStandardOutput();
        QVERIFY2(process->exitCode() == 0, process->readAllStandardError().constData());
        const QJsonObject several = QJsonDocument::fromJson(answer).object();

        for (const auto& [devices, other] : {std::pair(6, degrees), std::pair(1, Degrees{1, 1, 1})}) {
            const QString path = writeFile(file("one.json"), layout({{"localhost", devices}}, other, steps));
            const Answer one = run({"run", path, "--out", file("one.shardlab"), "--force", "--json"});
            QVERIFY2(one.status == 0, one.error.constData());
            const QList<double> wanted = numbers(one.json()["losses"]), got = numbers(several["losses"]);
            QCOMPARE(got.size(), steps);
            QCOMPARE(wanted.size(), steps);
            for (int step = 0; step < steps; ++step)
                QVERIFY2(std::abs(got[step] - wanted[step]) <= 1e-5 * wanted[step],
                         qPrintable(QString("%1, step %2: %3, on one host %4")
                                        .arg(text)
                                        .arg(step)
                                        .arg(got[step])
                                        .arg(wanted[step])));
        }

        const auto run = reader("parity");
        QVERIFY(run);
        for (const RankRecord& rank : run->ranks())
            QCOMPARE(QString::fromStdString(rank.host), hosts_->name(rank.rank / 2));
        requireComplete(eventsOf(*run), 6, steps);
        std::map<std::string, std::int64_t> truth{{hosts_->name(1).toStdString(), NamespaceHosts::apart},
                                                  {hosts_->name(2).toStdString(), 2 * NamespaceHosts::apart}};
        std::map<std::string, int> measured;
        for (const HostClock& clock : run->clocks()) {
            QVERIFY2(std::abs(clock.offset - truth.at(clock.host)) <= clock.uncertainty, toText(clock).c_str());
            ++measured[clock.host];
        }
        QCOMPARE(measured.size(), std::size_t{2});
        QVERIFY(hosts_->nothingIsLeft());
    }

    void messagesArriveAfterTheyAreSent() {
        const auto process = start("messages", twoEach({1, 3, 2}, 25));
        QVERIFY(ended(*process));
        QVERIFY2(process->exitCode() == 0, process->readAllStandardError().constData());
        const auto run = reader("messages");
        QVERIFY(run);
        std::map<std::string, std::int64_t> worst;
        for (const HostClock& clock : run->clocks()) worst[clock.host] = std::max(worst[clock.host], clock.uncertainty);
        requireCausality(eventsOf(*run), worst.begin()->second + worst.rbegin()->second + 1'000'000);
    }

    void aLinkCutForThreeSecondsLosesNothing() {
        constexpr int steps = 60;
        QByteArray said;
        // Paced, so that it lasts longer than the cut.
        auto content = twoEach({3, 2, 1}, steps);
        content.replace("\"network\"", "\"pace\": {\"device\": \"h100-sxm\", \"step_seconds\": 0.1}, \"network\"");
        const auto process = start("cut", content);
        QVERIFY2(waitForSteps(*process, said), said.constData());
        hosts_->cut(2);
        QThread::msleep(3000);
        hosts_->join(2);
        QVERIFY(ended(*process));
        said += process->readAllStandardError();
        const auto run = reader("cut");
        QVERIFY(run);
        QVERIFY2(process->exitCode() == 0, said + logOf(*run).c_str());
        QCOMPARE(run->end().outcome, std::string("finished"));
        QCOMPARE(run->droppedEvents(), 0);
        requireComplete(eventsOf(*run), 6, steps);
        QVERIFY2(logOf(*run).find("refused") == std::string::npos, logOf(*run).c_str());
        QVERIFY(hosts_->nothingIsLeft());
    }

    void aLinkCutForGoodEndsTheRunAndLeavesNothing() {
        QByteArray said;
        const auto process = start("lost", twoEach({1, 3, 2}, 100000));
        QVERIFY2(waitForSteps(*process, said), said.constData());
        hosts_->cut(2);
        QElapsedTimer since;
        since.start();
        QVERIFY(ended(*process, 60000));
        const qint64 took = since.elapsed();
        said += process->readAllStandardError();
        const bool clean = hosts_->nothingIsLeft();
        hosts_->join(2);
        QVERIFY2(process->exitCode() != 0 && said.contains("host " + hosts_->name(2).toUtf8()) &&
                     said.contains("ranks 4 to 5"),
                 said.constData());
        qInfo("ended after %lld ms", static_cast<long long>(took));
        QVERIFY2(took <= 30000, qPrintable(QString("ended after %1 ms").arg(took)));
        QVERIFY(clean);
        const auto run = reader("lost");
        QVERIFY(run && run->end().outcome == "failed");
        // Whichever comes first: six seconds of silence, or mpirun that ends because of it.
        QVERIFY2(QString::fromStdString(run->end().reason).contains(QRegularExpression("is cut off|cannot be reached")),
                 run->end().reason.c_str());
    }

    void aKilledRankIsNamedWithItsHostAndTheRunGoesOnFromACheckpoint() {
        constexpr int steps = 100;
        QByteArray said;
        const QByteArray checkpoint =
            QString(R"json(, "checkpoint": {"every": 4, "path": "%1"})json").arg(file("checkpoints")).toUtf8();
        auto content = twoEach({3, 1, 2}, steps, checkpoint);
        content.replace("\"network\"", "\"pace\": {\"device\": \"h100-sxm\", \"step_seconds\": 0.1}, \"network\"");
        const auto process = start("killed", content);
        QVERIFY2(waitForSteps(*process, said), said.constData());
        const auto taken = [&] {
            for (const QString& folder : QDir(file("checkpoints")).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
                if (QFile::exists(file("checkpoints") + "/" + folder + "/manifest.json") &&
                    !folder.contains("unfinished"))
                    return true;
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(taken(), 60000);
        const auto there = hosts_->ranks(2);
        QCOMPARE(there.size(), 2);
        ::kill(there[static_cast<int>(random_() % 2)].pid, SIGKILL);
        QVERIFY(ended(*process));
        said += process->readAllStandardError();
        QVERIFY2(process->exitCode() == 0, said.constData());
        const auto run = reader("killed");
        QVERIFY(run);
        QCOMPARE(run->restarts().size(), std::size_t{1});
        const std::string log = logOf(*run);
        QVERIFY2(tellsOfAKilledRank(log, hosts_->name(2).toStdString()), log.c_str());
        std::map<int, int> ends;
        for (const Event& event : eventsOf(*run))
            if (event.kind == EventKind::Step && event.begin > run->restarts().front().begin) ++ends[event.rank];
        for (int rank = 0; rank < 6; ++rank) QCOMPARE(ends[rank], steps - run->restarts().front().step);
        QVERIFY(hosts_->nothingIsLeft());
    }

    void aStoppedRankOnAnotherHostIsFound() {
        QByteArray said;
        auto content = twoEach({1, 3, 2}, 100000);
        content.replace("\"deadline\": 0", "\"deadline\": 8");
        const auto process = start("stopped", content);
        QVERIFY2(waitForSteps(*process, said), said.constData());
        const auto there = hosts_->ranks(1);
        QCOMPARE(there.size(), 2);
        ::kill(there.front().pid, SIGSTOP);
        QVERIFY(ended(*process));
        said += process->readAllStandardError();
        QVERIFY2(said.contains("stands still (stopped by a signal)"), said.constData());
        const auto run = reader("stopped");
        QVERIFY(run && logOf(*run).find("flight record: ") != std::string::npos);
        QVERIFY(hosts_->nothingIsLeft());
    }

    void stopAndTheLaunchersDeathReachEveryHost() {
        QByteArray said;
        const auto stopped = start("asked", twoEach({1, 3, 2}, 100000));
        QVERIFY2(waitForSteps(*stopped, said), said.constData());
        for (const auto& process : hosts_->processes(0))
            if (process.program == "shardlab") ::kill(process.pid, SIGINT);
        QVERIFY(ended(*stopped));
        QVERIFY2(stopped->exitCode() == 0, stopped->readAllStandardError().constData());
        QVERIFY(hosts_->nothingIsLeft());
        QCOMPARE(reader("asked")->end().outcome, std::string("stopped"));

        const auto killed = start("orphans", twoEach({1, 3, 2}, 100000));
        QVERIFY(waitForSteps(*killed, said));
        for (const auto& process : hosts_->processes(0))
            if (process.program == "shardlab") ::kill(process.pid, SIGKILL);
        QVERIFY(ended(*killed));
        QElapsedTimer waited;
        waited.start();
        const auto left = [&] {
            int processes = 0;
            for (int host = 0; host < hostCount; ++host) processes += static_cast<int>(hosts_->processes(host).size());
            return processes;
        };
        while (left() > 0 && waited.elapsed() < patience) QThread::msleep(100);
        QVERIFY2(left() == 0, qPrintable(hosts_->remains()));
        for (int host = 1; host < hostCount; ++host)
            QVERIFY2(hosts_->leftovers(host).isEmpty(), qPrintable(hosts_->remains()));
        // What the launcher itself made is removed by the next job there.
        hosts_->onHost(0, "rm -rf /tmp/shardlab-job-* /dev/shm/shardlab-job-*");
    }

    void whatKeepsAHostIsSaidOnceAndClearly_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QByteArray>("more");
        QTest::addColumn<QString>("said");
        const QString bin = QStringLiteral(SHARDLAB_BIN_DIR);
        QTest::newRow("program") << "mount -t tmpfs none " + bin << "umount " + bin << QByteArray()
                                 << "shardlab-rank is missing on host %1";
        QTest::newRow("folder") << "mkdir -p %2/private && mount -t tmpfs none %2/private"
                                << "umount %2/private"
                                << QByteArray(R"json(, "checkpoint": {"every": 5, "path": "%2/private"})json")
                                << "host %1 cannot take part: %2/private is not the folder";
        QTest::newRow("corpus") << "mkdir -p %2/texts && mount -t tmpfs none %2/texts"
                                << "umount %2/texts"
                                << QByteArray(R"json(, "data": {"kind": "text", "path": "%2/texts/corpus.txt"})json")
                                << "host %1 cannot take part: %2/texts/corpus.txt is missing there";
        QTest::newRow("nobody") << QString() << QString() << QByteArray("unknown")
                                << "host nowhere77 cannot be reached";
    }
    void whatKeepsAHostIsSaidOnceAndClearly() {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QFETCH(QByteArray, more);
        QFETCH(QString, said);
        const bool unknown = more == "unknown";
        const auto place = [&](QString text) {
            return text.replace("%1", hosts_->name(2)).replace("%2", hosts_->folder());
        };
        QDir(hosts_->folder()).mkpath("texts");
        QDir(hosts_->folder()).mkpath("private");
        writeFile(file("texts/corpus.txt"), QByteArray("to be, or not to be ").repeated(500));
        QVERIFY(before.isEmpty() || hosts_->onHost(2, place(before)));
        QByteArray content = twoEach({1, 3, 2}, 3, unknown ? QByteArray() : place(more).toUtf8());
        if (unknown) content.replace(hosts_->name(2).toUtf8(), "nowhere77");
        const auto process = start("preflight", content);
        const bool done = ended(*process);
        if (!after.isEmpty()) hosts_->onHost(2, place(after));
        QVERIFY(done);
        const QString error = QString::fromUtf8(process->readAllStandardError());
        QVERIFY2(process->exitCode() != 0 && error.contains(place(said)), qPrintable(error));
        QVERIFY(hosts_->nothingIsLeft());
    }

    /// Each is called as a run would call it, all are told, whatever becomes of one.
    void doctorTellsOfEveryHost() {
        const QString bin = QStringLiteral(SHARDLAB_BIN_DIR);
        writeFile(file("doctor.json"), twoEach({1, 3, 2}, 3));
        writeFile(file("doctor.hosts"),
                  QString("%1 slots=3\nnowhere77\n%2\n").arg(hosts_->name(1), hosts_->name(2)).toUtf8());
        const auto doctor = [&](const QStringList& arguments) {
            auto process = hosts_->program(0, program(), QStringList{"doctor", "--json"} + arguments);
            process->start();
            if (!ended(*process)) qWarning("it does not end");
            const QByteArray out = process->readAllStandardOutput();
            if (out.isEmpty()) qWarning("%s", process->readAllStandardError().constData());
            return QJsonDocument::fromJson(out);
        };
        const auto stateOf = [&](const QJsonDocument& answer, const QString& host, QString& detail) {
            for (const QJsonValue finding : answer["findings"].toArray()) {
                if (finding["subject"] != "host " + host) continue;
                detail = finding["detail"].toString() + " → " + finding["advice"].toString();
                return finding["state"].toString();
            }
            return QStringLiteral("not told of");
        };
        QString detail;
        const auto whole = doctor({file("doctor.json")});
        QCOMPARE(stateOf(whole, hosts_->name(0), detail), QString("not told of"));  // this machine
        for (int host = 1; host < hostCount; ++host) {
            QCOMPARE(stateOf(whole, hosts_->name(host), detail), QString("good"));
            // Clocks are days apart, the program is the same.
            const QString said =
                QString("cores 1, devices 2; clock %1 h 0 min ahead of this machine's, ± ").arg(24 * host);
            QVERIFY2(detail.startsWith(said) && detail.contains("no GPU: ") && !detail.contains("another build"),
                     qPrintable(detail));
        }
        QVERIFY(whole["works"].toBool());
        QVERIFY(hosts_->nothingIsLeft());

        QVERIFY(hosts_->onHost(2, "mount -t tmpfs none " + bin));
        const auto partly = doctor(
            {"--hostfile", file("doctor.hosts"), "--agent", hosts_->agent(), "--network", NamespaceHosts::network()});
        QVERIFY(hosts_->onHost(2, "umount " + bin));
        QCOMPARE(stateOf(partly, hosts_->name(1), detail), QString("good"));
        QVERIFY2(detail.startsWith("cores 1, devices 3; "), qPrintable(detail));
        QCOMPARE(stateOf(partly, "nowhere77", detail), QString("bad"));
        QVERIFY2(detail.contains("cannot be reached"), qPrintable(detail));
        QCOMPARE(stateOf(partly, hosts_->name(2), detail), QString("bad"));
        QVERIFY2(detail.contains("shardlab-rank is missing") && detail.contains("same path"), qPrintable(detail));
        QVERIFY(!partly["works"].toBool());

        // Another build there: a copy with one byte more.
        const QString rank = bin + "/shardlab-rank", other = file("other-rank");
        QVERIFY(hosts_->onHost(2, QString("cp %1 %2 && echo >> %2 && mount --bind %2 %1").arg(rank, other)));
        const auto mixed = doctor({file("doctor.json")});
        QVERIFY(hosts_->onHost(2, "umount " + rank));
        QCOMPARE(stateOf(mixed, hosts_->name(2), detail), QString("good"));
        QVERIFY2(detail.contains("another build"), qPrintable(detail));
        QVERIFY(hosts_->nothingIsLeft());
    }

    void sshIsAnAgent() {
        const SshServers servers(*hosts_, hostCount);
        if (!servers.why().isEmpty()) QSKIP(qPrintable(servers.why()));
        auto content = twoEach({1, 3, 2}, 100000);
        content.replace(hosts_->agent().toUtf8(), servers.agent().toUtf8());
        QByteArray said;
        const auto process = start("ssh", content, {"--agent", servers.agent()});
        QVERIFY2(waitForSteps(*process, said), said.constData());
        for (int host = 0; host < hostCount; ++host) QCOMPARE(hosts_->ranks(host).size(), 2);
        for (const auto& launcher : hosts_->processes(0))
            if (launcher.program == "shardlab") ::kill(launcher.pid, SIGINT);
        QVERIFY(ended(*process));
        said += process->readAllStandardError();
        QVERIFY2(process->exitCode() == 0, said.constData());
        const auto run = reader("ssh");
        QVERIFY(run);
        for (const RankRecord& rank : run->ranks())
            QCOMPARE(QString::fromStdString(rank.host), hosts_->name(rank.rank / 2));
        QVERIFY(hosts_->nothingIsLeft());

        // Whom it cannot reach it names, with what ssh says.
        content.replace(hosts_->name(2).toUtf8(), "nowhere77");
        const auto refused = start("refused", content, {"--agent", servers.agent()});
        QVERIFY(ended(*refused));
        const QByteArray error = refused->readAllStandardError();
        QVERIFY2(refused->exitCode() != 0 && error.contains("host nowhere77 cannot be reached"), error.constData());
        QVERIFY(hosts_->nothingIsLeft());
    }

    void aHostfileAndAnAgentOnTheCommandLine() {
        writeFile(file("lab.hosts"),
                  QString("# the lab\n%1 slots=1\n%2 slots=4\n").arg(hosts_->name(1), hosts_->name(2)).toUtf8());
        const QByteArray plain =
            R"json({"model": {"kind": "mlp", "layers": 2, "hidden": 16, "sequence": 8}, "cluster": {"hosts": [{"name": "localhost", "devices": 2}]},
            "parallel": {"data": 2, "pipeline": 1}, "batch": {"global": 4, "micro": 2}, "run": {"steps": 3, "validate_every": 0}})json";
        const auto process = start(
            "listed", plain,
            {"--hostfile", file("lab.hosts"), "--agent", hosts_->agent(), "--network", NamespaceHosts::network()});
        QVERIFY(ended(*process));
        QVERIFY2(process->exitCode() == 0, process->readAllStandardError().constData());
        const auto run = reader("listed");
        QVERIFY(run);
        QCOMPARE(run->ranks().size(), std::size_t{2});
        for (int rank = 0; rank < 2; ++rank)
            QCOMPARE(QString::fromStdString(run->ranks()[static_cast<std::size_t>(rank)].host), hosts_->name(rank + 1));
        QVERIFY(hosts_->nothingIsLeft());
    }
};

QTEST_GUILESS_MAIN(HostsRunTest)
#include "hosts_run_test.moc"
