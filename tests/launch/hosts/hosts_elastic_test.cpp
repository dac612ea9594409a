// SPDX-License-Identifier: Apache-2.0
// Elastic runs on several hosts, which are namespaces, of which one, or mpirun's daemon there, is lost.
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/launch/hosts/ssh_servers.h"
#include "tests/support/command.h"
#include "tests/support/processes.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QTest>

#include <cmath>
#include <csignal>

using namespace shardlab;
using namespace shardlab::test;

namespace {

constexpr int hostCount = 3;

QList<double> numbers(const QJsonValue& list) {
    QList<double> result;
    for (const QJsonValue value : list.toArray()) result.append(value.toDouble(std::nan("")));
    return result;
}

}  // namespace

class HostsElasticTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<NamespaceHosts> hosts_;

    QString file(const QString& name) const { return hosts_->folder() + "/" + name; }
    /// Paced, so that it still goes on when it is asked; elastic where it has several replicas.
    QByteArray layout(const QString& name, const QString& hosts, int data, int tensor, int steps) const {
        QString text =
            R"json({"name": "hosts", "model": {"kind": "gpt", "layers": 2, "hidden": 32, "heads": 2, "sequence": 32},
 "cluster": {"hosts": [HOSTS], "agent": "AGENT", "network": "NETWORK", "pace": {"device": "h100-sxm", "step_seconds": 0.1}},
 "parallel": {"data": DATA, "pipeline": 1, "tensor": TENSOR}, "batch": {"global": 12, "micro": 2}, "checkpoint": {"every": 4, "path": "PATH"},
 "run": {"steps": STEPS, "seed": 5, "validate_every": 0, "min_data": LEAST, "max_restarts": 1}})json";
        text.replace("HOSTS", hosts).replace("AGENT", hosts_->agent()).replace("NETWORK", NamespaceHosts::network());
        text.replace("DATA", QString::number(data))
            .replace("TENSOR", QString::number(tensor))
            .replace("STEPS", QString::number(steps));
        return text.replace("LEAST", data > 1 ? "1" : "0").replace("PATH", file(name)).toUtf8();
    }
    /// `shardlab run` on the first host: a replica on each.
    std::unique_ptr<QProcess> startElastic(const QString& name) const {
        QStringList hosts;
        for (int host = 0; host < hostCount; ++host)
            hosts.append(QString(R"json({"name": "%1", "devices": 2})json").arg(hosts_->name(host)));
        writeFile(file(name + ".json"), layout(name, hosts.join(", "), 3, 2, 100000));
        auto process =
            hosts_->program(0, program(), {"run", file(name + ".json"), "--out", file(name + ".shardlab"), "--json"});
        process->start();
        return process;
    }
    bool kept(const QString& name) const { return trace::findCheckpoint(file(name).toStdString()).has_value(); }
    void interrupt() const {
        for (const auto& each : hosts_->processes(0))
            if (each.program == "shardlab") ::kill(each.pid, SIGINT);
    }
    std::unique_ptr<RunReader> reader(const QString& name) {
        auto opened = RunReader::open(file(name + ".shardlab").toStdString());
        return opened ? std::move(*opened) : nullptr;
    }
    std::string logOf(const QString& name) {
        std::string text;
        if (const auto run = reader(name))
            if (const auto lines = run->log())
                for (const LogLine& line : *lines)
                    text += std::to_string(line.time / 1'000'000) + " ms " + line.text + "\n";
        return text;
    }
    static bool ended(QProcess& process) {
        return process.state() == QProcess::NotRunning || process.waitForFinished(patience);
    }

private Q_SLOTS:
    void initTestCase() {
        hosts_ = std::make_unique<NamespaceHosts>(hostCount);
        if (!hosts_->why().isEmpty()) QSKIP(qPrintable(hosts_->why()));
    }
    void cleanupTestCase() { hosts_.reset(); }

    /// Three hosts with a replica each: cut off, one is done without; asked for in vain, it changes nothing; back, it
    /// takes part again.
    void aLostHostIsDoneWithoutUntilItIsAskedFor() {
        QByteArray said;
        const auto process = startElastic("elastic");
        QVERIFY2(waitForSteps(*process, said), said.constData());
        const auto tells = [&](const char* what) { return waitForWords(*process, said, what); };
        const auto goesOn = [&](int ranks, std::size_t restarts) {  // some steps more
            const auto done = [&] {
                const auto run = reader("elastic");
                int steps = 0;
                if (run && run->restarts().size() == restarts && run->restarts().back().bytes == ranks)
                    static_cast<void>(
                        run->readFigures([&](const StepFigures& step) { return steps += step.times.complete, true; },
                                         run->restarts().back().step));
                return steps >= 3;
            };
            return QTest::qWaitFor(done);
        };
        const auto resize = [&] {
            const auto asking = hosts_->program(0, program(), {"resize", file("elastic.shardlab"), "3"});
            asking->start();
            const bool asked = asking->waitForFinished(patience) && asking->exitCode() == 0;
            if (!asked) qWarning("%s%s", asking->readAllStandardError().constData(), logOf("elastic").c_str());
            return asked;
        };
        QVERIFY2(QTest::qWaitFor([&] { return kept("elastic"); }), said.constData());
        hosts_->cut(2);
        QVERIFY2(tells("with 2 replicas (4 ranks) instead of 3"), said.constData());
        QVERIFY2(goesOn(4, 1), logOf("elastic").c_str());
        QVERIFY(resize());
        QVERIFY2(tells("not resized to 3 replicas (6 ranks): "), said.constData());
        QVERIFY2(goesOn(4, 2), logOf("elastic").c_str());
        hosts_->join(2);
        // On a busy machine a host may be too slow to be there the first time.
        std::size_t restarts = 2;
        for (bool back = false; !back; ++restarts) {
            QVERIFY2(restarts < 8, logOf("elastic").c_str());
            QVERIFY(resize());
            const auto again = [&] {
                const auto run = reader("elastic");
                back = run && run->restarts().size() > restarts && run->restarts().back().bytes == 6;
                return run && run->restarts().size() > restarts;
            };
            QVERIFY2(QTest::qWaitFor(again), logOf("elastic").c_str());
        }
        QVERIFY2(goesOn(6, restarts), logOf("elastic").c_str());
        interrupt();
        QVERIFY(ended(*process));
        const auto run = reader("elastic");
        QVERIFY(run);
        QCOMPARE(run->end().outcome, std::string("stopped"));
        std::vector<std::int64_t> sizes;
        for (const Event& restart : run->restarts()) sizes.push_back(restart.bytes);
        QVERIFY(sizes.size() == restarts && sizes.back() == 6);
        QCOMPARE(std::ranges::count(sizes, 4), static_cast<std::ptrdiff_t>(restarts - 1));

        const QList<double> got = numbers(QJsonDocument::fromJson(process->readAllStandardOutput()).object()["losses"]);
        const QString path = writeFile(file("one.json"), layout("one", R"json({"name": "localhost", "devices": 1})json",
                                                                1, 1, static_cast<int>(got.size())));
        const Answer one = test::run({"run", path, "--out", file("one.shardlab"), "--force", "--json"});
        const QList<double> wanted = numbers(one.json()["losses"]);
        QCOMPARE(got.size(), wanted.size());
        for (int step = 0; step < got.size(); ++step)
            QVERIFY2(std::abs(got[step] - wanted[step]) <= 1e-4 * wanted[step],
                     qPrintable(QString("step %1: %2, on one rank %3").arg(step).arg(got[step]).arg(wanted[step])));
        QVERIFY(hosts_->nothingIsLeft());
    }

    /// Where mpirun's daemon on a host is killed, the host itself is there, so that no replica is given up. The mpirun
    /// of Open MPI 5 ends with exit code 0 after it has lost a daemon.
    void aKilledDaemonCostsNoReplica() {
        QByteArray said;
        const auto process = startElastic("daemon");
        QVERIFY2(waitForSteps(*process, said), said.constData());
        QVERIFY2(QTest::qWaitFor([&] { return kept("daemon"); }), said.constData());
        const auto ranks = hosts_->ranks(2);
        QCOMPARE(ranks.size(), 2);
        const int daemon = stateOf(ranks.front().pid).parent;
        QCOMPARE(stateOf(ranks.back().pid).parent, daemon);
        ::kill(daemon, SIGKILL);
        const auto restarted = [&] {
            const auto run = reader("daemon");
            return run && run->restarts().size() == 1 && run->restarts().front().bytes == 6;
        };
        QVERIFY2(QTest::qWaitFor(restarted), logOf("daemon").c_str());
        const std::string told =
            "mpirun lost its daemon on host " + hosts_->name(2).toStdString() + ", and with it the ranks there";
        QVERIFY2(logOf("daemon").find(told) != std::string::npos, logOf("daemon").c_str());
        interrupt();
        QVERIFY(ended(*process));
        QCOMPARE(reader("daemon")->end().outcome, std::string("stopped"));
        QVERIFY(hosts_->nothingIsLeft());
    }
};

QTEST_GUILESS_MAIN(HostsElasticTest)
#include "hosts_elastic_test.moc"
