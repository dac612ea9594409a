// SPDX-License-Identifier: Apache-2.0
// Runs in an allocation of Slurm, whose nodes are namespaces: on the nodes it gave, with the losses of one host, and
// ended where the allocation is taken away.
#include "engine/trace/run_file/run_file.h"
#include "tests/launch/hosts/slurm_cluster.h"
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QTest>

#include <cmath>
#include <csignal>

using namespace shardlab;
using namespace shardlab::test;

namespace {
constexpr int hostCount = 3;
}

class SlurmRunTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<NamespaceHosts> hosts_;
    std::unique_ptr<SlurmCluster> slurm_;

    static QByteArray layout(int steps, int data, int pipeline) {
        return QString(
                   R"json({"name": "slurm", "model": {"kind": "gpt", "layers": 4, "hidden": 32, "heads": 2, "sequence": 32},
 "cluster": {"hosts": [{"name": "localhost", "devices": %1}]}, "parallel": {"data": %2, "pipeline": %3}, "batch": {"global": 12, "micro": 2},
 "run": {"steps": %4, "seed": 11, "validate_every": 0}})json")
            .arg(data * pipeline)
            .arg(data)
            .arg(pipeline)
            .arg(steps)
            .toUtf8();
    }
    QString file(const QString& name) const { return hosts_->folder() + "/" + name; }
    /// `shardlab run --slurm` in an allocation of all nodes, two tasks on each.
    std::unique_ptr<QProcess> start(const QString& name, int steps, const QStringList& more = {}) {
        writeFile(file(name + ".json"), layout(steps, 3, 2));
        auto process = slurm_->allocated(hostCount, 2, program(),
                                         QStringList{"run", file(name + ".json"), "--slurm", "--network",
                                                     NamespaceHosts::network(), "--out", file(name + ".shardlab"),
                                                     "--force", "--json"} +
                                             more);
        process->start();
        return process;
    }
    static QList<double> losses(const QByteArray& answer) {
        QList<double> result;
        for (const QJsonValue value : QJsonDocument::fromJson(answer).object()["losses"].toArray())
            result.append(value.toDouble(std::nan("")));
        return result;
    }
    QString processesLeft() const {
        QString text;
        for (int host = 0; host < hostCount; ++host)
            for (const auto& process : hosts_->processes(host))
                text += hosts_->name(host) + ": " + process.program + " " + process.arguments.left(60) + "\n";
        return text;
    }

private Q_SLOTS:
    void initTestCase() {
        hosts_ = std::make_unique<NamespaceHosts>(hostCount);
        if (!hosts_->why().isEmpty()) QSKIP(qPrintable(hosts_->why()));
        slurm_ = std::make_unique<SlurmCluster>(*hosts_, hostCount);
        if (!slurm_->why().isEmpty()) QSKIP(qPrintable(slurm_->why()));
    }
    void cleanupTestCase() {
        slurm_.reset();
        hosts_.reset();
    }

    void anAllocationsNodesAreTheHosts() {
        constexpr int steps = 8;
        const auto process = start("parity", steps);
        QVERIFY(process->waitForFinished(patience));
        const QByteArray answer = process->readAllStandardOutput(), said = process->readAllStandardError();
        QVERIFY2(process->exitCode() == 0, said.constData());
        auto run = RunReader::open(file("parity.shardlab").toStdString());
        QVERIFY(run);
        const std::vector<RankRecord> ranks = (*run)->ranks();
        QCOMPARE(ranks.size(), std::size_t{6});
        for (const RankRecord& rank : ranks) QCOMPARE(QString::fromStdString(rank.host), hosts_->name(rank.rank / 2));

        const Answer one = test::run({"run", writeFile(file("one.json"), layout(steps, 1, 1)), "--out",
                                      file("one.shardlab"), "--force", "--json"});
        QVERIFY2(one.status == 0, one.error.constData());
        const QList<double> wanted = losses(one.out), got = losses(answer);
        QCOMPARE(wanted.size(), steps);
        QCOMPARE(got.size(), steps);
        for (int step = 0; step < steps; ++step)
            QVERIFY2(std::abs(got[step] - wanted[step]) <= 1e-5 * wanted[step],
                     qPrintable(QString("step %1: %2, on one host %3").arg(step).arg(got[step]).arg(wanted[step])));
        QTRY_VERIFY2_WITH_TIMEOUT(hosts_->remains().isEmpty(), qPrintable(hosts_->remains()), 10000);
        QTRY_COMPARE_WITH_TIMEOUT(slurm_->idle(), hostCount, 20000);
    }

    void moreRanksThanTasksAreRefused() {
        writeFile(file("many.json"), layout(3, 6, 2));
        const auto process = slurm_->allocated(hostCount, 2, program(),
                                               {"run", file("many.json"), "--slurm", "--out", file("many.shardlab")});
        process->start();
        QVERIFY(process->waitForFinished(patience));
        const QByteArray said = process->readAllStandardError();
        QVERIFY2(process->exitCode() != 0 && said.contains("the Slurm allocation") && said.contains("12") &&
                     said.contains("6"),
                 said.constData());
    }

    void aCancelledAllocationEndsTheRunAndKeepsIt() {
        QByteArray said;
        const auto process = start("cancelled", 100000);
        QVERIFY2(waitForSteps(*process, said), said.constData());
        QVERIFY(slurm_->cancelAll());
        QVERIFY(process->state() == QProcess::NotRunning || process->waitForFinished(patience));
        said += process->readAllStandardError();
        QTRY_VERIFY2_WITH_TIMEOUT(processesLeft().isEmpty(), qPrintable(processesLeft() + said), 30000);
        QTRY_COMPARE_WITH_TIMEOUT(slurm_->idle(), hostCount, 30000);
        auto run = RunReader::open(file("cancelled.shardlab").toStdString());
        QVERIFY2(run, said.constData());
        QVERIFY((*run)->eventCount() > 0);
        QVERIFY2((*run)->end().outcome == "stopped" || (*run)->end().outcome == "failed",
                 (*run)->end().outcome.c_str());
        for (int host = 0; host < hostCount; ++host)
            QVERIFY2(hosts_->leftovers(host).isEmpty(), qPrintable(hosts_->remains()));
    }
};

QTEST_GUILESS_MAIN(SlurmRunTest)
#include "slurm_run_test.moc"
