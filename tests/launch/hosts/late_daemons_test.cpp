// SPDX-License-Identifier: Apache-2.0
// Daemons of Open MPI that begin on another host when the run that wanted them is over, as on a busy cluster.
#include "engine/trace/run_file/run_file.h"
#include "tests/launch/hosts/namespaces.h"
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QTest>

#include <csignal>

using namespace shardlab;
using namespace shardlab::test;

namespace {

constexpr int hostCount = 3;

}  // namespace

class LateDaemonsTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<NamespaceHosts> hosts_;

    QString file(const QString& name) const { return hosts_->folder() + "/" + name; }
    int linesOf(const QString& name) const {
        QFile counted(file(name));
        return counted.open(QIODevice::ReadOnly) ? static_cast<int>(counted.readAll().count('\n')) : 0;
    }
    /// An agent that runs commands as the hosts' own does, but the daemons' only once the file `go` is there. It waits
    /// on this host, where nothing shows for whom, or on the other.
    QString lateAgent(bool waitsThere) const {
        const QByteArray agent = hosts_->agent().toUtf8();
        const QByteArray folder = hosts_->folder().toUtf8();
        const QByteArray wait = "while [ ! -e " + folder + "/go ]; do sleep 0.05; done; ";
        writeFile(file("late-daemon"), "host=$1; line=$(cat $2)\n" + (waitsThere ? QByteArray() : wait) + "\n" + agent +
                                           " $host \"$line\"\necho $host >> " + folder + "/ended\n");
        writeFile(file("late-agent"),
                  "while [ \"${1#-}\" != \"$1\" ]; do shift; done\n"
                  "case \"$*\" in *tmpdir_base*) ;; *) exec " +
                      agent + " \"$@\";; esac\nhost=$1; shift\nprintf '%s' \"" + (waitsThere ? wait : QByteArray()) +
                      "$*\" > " + folder + "/line-$host\nsetsid sh " + folder + "/late-daemon $host " + folder +
                      "/line-$host < /dev/null > /dev/null 2>&1 &\necho $host >> " + folder + "/begun\n");
        return "/bin/sh " + file("late-agent");
    }

private Q_SLOTS:
    void initTestCase() {
        hosts_ = std::make_unique<NamespaceHosts>(hostCount);
        if (!hosts_->why().isEmpty()) QSKIP(qPrintable(hosts_->why()));
    }
    void cleanupTestCase() { hosts_.reset(); }

    void leaveNothing_data() {
        QTest::addColumn<bool>("waitsThere");
        QTest::newRow("the agent is slow") << false;
        QTest::newRow("the other host is slow") << true;
    }
    void leaveNothing() {
        QFETCH(bool, waitsThere);
        for (const char* name : {"go", "begun", "ended"}) QFile::remove(file(name));
        QString layout =
            R"json({"name": "late", "model": {"kind": "mlp", "layers": 2, "hidden": 8},
 "cluster": {"hosts": [{"name": "%1", "devices": 1}, {"name": "%2", "devices": 1}, {"name": "%3", "devices": 1}],
 "network": "%4"}, "parallel": {"data": 3, "pipeline": 1}, "batch": {"global": 6, "micro": 2},
 "run": {"steps": 100000}})json";
        for (int host = 0; host < hostCount; ++host) layout = layout.arg(hosts_->name(host));
        writeFile(file("late.json"), layout.arg(NamespaceHosts::network()).toUtf8());
        const auto process = hosts_->program(
            0, program(),
            {"run", file("late.json"), "--out", file("late.shardlab"), "--force", "--agent", lateAgent(waitsThere)});
        process->start();
        const bool begun =
            QTest::qWaitFor([&] { return linesOf("begun") == 2 || process->state() == QProcess::NotRunning; });
        QVERIFY2(begun && linesOf("begun") == 2, process->readAllStandardError().constData());
        for (const auto& each : hosts_->processes(0))
            if (each.program == "shardlab") ::kill(each.pid, SIGINT);
        QVERIFY(process->state() == QProcess::NotRunning || process->waitForFinished(patience));
        QCOMPARE((*RunReader::open(file("late.shardlab").toStdString()))->end().outcome, std::string("stopped"));
        QVERIFY(hosts_->nothingIsLeft());

        writeFile(file("go"), "go");
        QVERIFY(QTest::qWaitFor([&] { return linesOf("ended") == 2; }));
        QVERIFY(hosts_->nothingIsLeft());
    }
};

QTEST_GUILESS_MAIN(LateDaemonsTest)
#include "late_daemons_test.moc"
