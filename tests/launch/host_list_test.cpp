// SPDX-License-Identifier: Apache-2.0
// Hostfiles, Slurm's lists, agents: what is read, and what each refusal says.
#include "engine/base/file.h"
#include "engine/launch/hosts/allowed_agents.h"
#include "engine/launch/hosts/host_list.h"
#include "engine/launch/hosts/this_machine.h"
#include "engine/launch/job/doctor.h"
#include "engine/launch/job/process.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <map>

using namespace shardlab::test;

namespace {

using Hosts = std::vector<HostSpec>;

std::string refusal(const auto& result) { return result ? std::string("nothing was refused") : result.error().text(); }

auto slurm(std::map<std::string, std::string> variables) {
    return slurmHosts([variables = std::move(variables)](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

}  // namespace

class HostListTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(qputenv("XDG_CONFIG_HOME", configuration_.path().toUtf8())); }

    void hostfileAsOpenMpiReadsIt() {
        const auto hosts = parseHostfile(
            "# the lab\n\nnode1 slots=4\n  node2\tslots = 2 max_slots=8 # old\r\nnode3\nnode1 slots=1", "hosts");
        QVERIFY2(hosts.has_value(), refusal(hosts).c_str());
        QVERIFY(*hosts == (Hosts{{"node1", 5}, {"node2", 2}, {"node3", 1}}));
    }

    void hostfileErrorsNameTheLine_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("said");
        QTest::newRow("no number") << QByteArray("a slots=2\nb slots=many\n") << "lab.hosts, line 2";
        QTest::newRow("none") << QByteArray("\n\na slots=0\n") << "lab.hosts, line 3";
        QTest::newRow("no setting") << QByteArray("a gpus=2\n") << "\"gpus=2\" is no setting";
        QTest::newRow("too many") << QByteArray("a slots=32767\nb\n") << "lab.hosts, line 2";
        QTest::newRow("nothing") << QByteArray("# only words\n") << "no host in the hostfile";
    }
    void hostfileErrorsNameTheLine() {
        QFETCH(QByteArray, text);
        QFETCH(QString, said);
        const auto hosts = parseHostfile(text.toStdString(), "lab.hosts");
        QVERIFY2(QString::fromStdString(refusal(hosts)).contains(said), refusal(hosts).c_str());
    }

    void nodelists_data() {
        QTest::addColumn<QByteArray>("list");
        QTest::addColumn<QByteArray>("names");
        QTest::newRow("one") << QByteArray("login") << QByteArray("login");
        QTest::newRow("ranges") << QByteArray("node[01-03,7],login") << QByteArray("node01 node02 node03 node7 login");
        QTest::newRow("suffix") << QByteArray("n[8-11]-ib") << QByteArray("n8-ib n9-ib n10-ib n11-ib");
        QTest::newRow("two brackets") << QByteArray("r[1-2]n[09-10]") << QByteArray("r1n09 r1n10 r2n09 r2n10");
        QTest::newRow("leading noughts") << QByteArray("a[098-101]") << QByteArray("a098 a099 a100 a101");
    }
    void nodelists() {
        QFETCH(QByteArray, list);
        QFETCH(QByteArray, names);
        const auto expanded = expandNodelist(list.toStdString());
        QVERIFY2(expanded.has_value(), refusal(expanded).c_str());
        QByteArray joined;
        for (const std::string& name : *expanded)
            joined += (joined.isEmpty() ? "" : " ") + QByteArray::fromStdString(name);
        QCOMPARE(joined, names);
    }

    void nodelistsThatAreNone() {
        for (const char* list : {"", "node[1", "node]1[", "node[2-1]", "node[a]", "node[1-99999]", "a,,b",
                                 "r[1-999]n[1-999]", "node[-1]", "[1-2],"})
            QVERIFY2(!expandNodelist(list), list);
    }

    void anAllocationIsItsNodesWithTheirTasks() {
        const auto hosts = slurm({{"SLURM_JOB_NODELIST", "n[1-3],big"},
                                  {"SLURM_TASKS_PER_NODE", "2(x3),8"},
                                  {"SLURM_JOB_CPUS_PER_NODE", "64(x4)"}});
        QVERIFY2(hosts.has_value(), refusal(hosts).c_str());
        QVERIFY(*hosts == (Hosts{{"n1", 2}, {"n2", 2}, {"n3", 2}, {"big", 8}}));
        const auto cores = slurm({{"SLURM_JOB_NODELIST", "n[1-2]"}, {"SLURM_JOB_CPUS_PER_NODE", "16(x2)"}});
        QVERIFY(cores && *cores == (Hosts{{"n1", 16}, {"n2", 16}}));
        QVERIFY(refusal(slurm({})).find("SLURM_JOB_NODELIST") != std::string::npos);
        QVERIFY(refusal(slurm({{"SLURM_JOB_NODELIST", "n[1-2]"}, {"SLURM_TASKS_PER_NODE", "4"}})).find("contradicts") !=
                std::string::npos);
        QVERIFY(!slurm({{"SLURM_JOB_NODELIST", "n[1-2]"}, {"SLURM_TASKS_PER_NODE", "4(x"}}));
    }

    void slotsAreTakenInOrder() {
        const Hosts all{{"a", 4}, {"b", 4}, {"c", 4}};
        QVERIFY(*takeDevices(all, 6, "hosts") == (Hosts{{"a", 4}, {"b", 2}}));
        QVERIFY(*takeDevices(all, 12, "hosts") == all);
        QVERIFY(refusal(takeDevices(all, 13, "lab.hosts"))
                    .starts_with("too few slots (lab.hosts): 1 of 13 ranks find none"));
    }

    void agentsAreWordsNotShellText() {
        const auto plain = Agent::parse("ssh -p 2222");
        QVERIFY(plain->command("n1", "exec x") == (std::vector<std::string>{"ssh", "-p", "2222", "n1", "exec x"}));
        const auto placed = Agent::parse("srun '-w {host}' \"sh\"  -c");
        QVERIFY(placed->command("n1", "a; b") == (std::vector<std::string>{"srun", "-w n1", "sh", "-c", "a; b"}));
        QCOMPARE(Agent::parse("")->program(), std::string("ssh"));
        QVERIFY(refusal(Agent::parse("ssh 'x")).find("quote") != std::string::npos);
    }

    /// Called as Open MPI calls it; what a word holds never becomes the shell's.
    void theScriptRunsTheAgent() {
        QTemporaryDir folder;
        const std::string script = folder.filePath("agent").toStdString();
        const auto agent = Agent::parse("printf '<%s>' 'it'\"'\"'s $HOME' {host}/x");
        std::ofstream(script) << agent->script("/tmp/a job/lock");
        auto process = Process::start({"/bin/sh", {script, "-x", "node1", "orted", "-mca a \"b c\""}, {}, {}});
        QVERIFY(process.has_value());
        QTRY_VERIFY(process->exitStatus().has_value());
        const auto lines = process->readRest();
        QCOMPARE(lines.size(), std::size_t{1});
        QCOMPARE(lines.front().text,
                 std::string("<it's $HOME><node1/x><test -e '/tmp/a job/lock' || exit 1; orted -mca a \"b c\">"));
    }

    /// A layout may come from anywhere, and its agent is a command line.
    void anAgentIsStartedOnlyWhereItWasAllowed() {
        const std::string wild = "sh -c ': > pwned' {host}";
        const auto allowed = [](const std::string& text, const std::string& named = {}) {
            return allowedAgent(text, named).has_value();
        };
        QVERIFY(allowed("") && allowed(" ") && allowed(std::string(slurmAgent)));
        QVERIFY(!allowed(wild) && !allowed("ssh -p 2222") && !*agentIsAllowed(wild));
        const std::string said = refusal(allowedAgent(wild, ""));
        QVERIFY2(said.find(wild) != std::string::npos &&
                     said.find("--agent 'sh -c '\\'': > pwned'\\'' {host}'") != std::string::npos,
                 said.c_str());
        // For this once; the text must be the same.
        QVERIFY(allowed(wild, wild) && !allowed(wild, wild + " ") && !allowed(wild));
        // From now on.
        QVERIFY(allowAgent("ssh -p 2222") && allowAgent(wild) && allowAgent(wild));
        QVERIFY(allowed(wild) && allowed("ssh -p 2222") && !allowed("ssh -p 222") && !allowed("sh -c ': > pwned'"));
        QCOMPARE(*readFile(allowedAgentsFile()), "ssh -p 2222\n" + wild + "\n");
        QCOMPARE(int(std::filesystem::status(allowedAgentsFile()).permissions()), 0600);
        // What could hide the rest of it, or stand for two lines.
        for (const std::string hidden : {"ssh\nrm", "ssh\r", "ssh \x1b[2K", "ssh \x7f"}) {
            QVERIFY2(refusal(allowedAgent(hidden, hidden)).find("control character") != std::string::npos,
                     hidden.c_str());
            QVERIFY(!allowAgent(hidden));
        }
        std::filesystem::remove(allowedAgentsFile());
        QVERIFY(!allowed(wild));
    }

    /// A hostfile or an allocation may name what ssh takes for an option.
    void aHostIsNoOption() {
        ClusterSpec cluster;
        for (const std::string name : {"-oProxyCommand=x", "a b", "", "a;b", "user@host"}) {
            cluster.hosts = {{"localhost", 1}, {name, 1}};
            QVERIFY2(refusal(examineHosts(cluster, {})).starts_with("this is no host name"), name.c_str());
        }
        cluster.hosts = {{"localhost", 1}};
        cluster.agent = "sh -c ': > pwned' {host}";
        QVERIFY(examineHosts(cluster, {}).has_value());  // nobody is called
        cluster.hosts.push_back({"nowhere77", 1});
        QVERIFY(refusal(examineHosts(cluster, {})).find("you have not allowed it") != std::string::npos);
    }

    void thisMachineIsKnownByItsNames() {
        QVERIFY(isOwnName("localhost") && isThisMachine("127.0.0.1"));
        QVERIFY(!isOwnName("localhost2") && !isThisMachine("192.0.2.77"));
        QVERIFY(allOwnNames({{"localhost", 1}}) && !allOwnNames({{"localhost", 1}, {"192.0.2.77", 1}}));
        const auto none = reachableAddresses("203.0.113.0/24");
        QVERIFY(refusal(none).find("/cluster/network") != std::string::npos);
    }
private:
    /// Never that of the person who runs this.
    QTemporaryDir configuration_;
};

QTEST_GUILESS_MAIN(HostListTest)
#include "host_list_test.moc"
