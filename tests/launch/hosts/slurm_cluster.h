// SPDX-License-Identifier: Apache-2.0
// Slurm itself on hosts made of namespaces: its controller on the first, its daemon on each. They trust everybody, as
// nobody else is on their network.
#pragma once

#include "tests/launch/hosts/namespaces.h"
#include "tests/support/wings.h"

#include <QStandardPaths>

namespace shardlab::test {

class SlurmCluster {
public:
    SlurmCluster(const NamespaceHosts& hosts, int count) : hosts_(hosts), folder_(hosts.folder() + "/slurm-XXXXXX") {
        const QStringList places{"/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin"};
        const QString controller = QStandardPaths::findExecutable("slurmctld", places),
                      daemon = QStandardPaths::findExecutable("slurmd", places);
        if (controller.isEmpty() || daemon.isEmpty() || QStandardPaths::findExecutable("salloc", places).isEmpty()) {
            why_ = "Slurm is not here (slurm-wlm)";
            return;
        }
        configure(count);
        start(0, controller, {"-D"});
        for (int host = 0; host < count; ++host) start(host, daemon, {"-D", "-N", hosts.name(host)});
        QElapsedTimer waited;
        waited.start();
        while (idle() < count) {
            if (waited.elapsed() < patience) {
                QThread::msleep(200);
                continue;
            }
            why_ = "Slurm does not start here: ";
            for (const auto& server : servers_)
                why_ += QString::fromUtf8(server->readAll()).section("error: ", -1).simplified() + "; ";
            return;
        }
    }
    ~SlurmCluster() {
        for (auto server = servers_.rbegin(); server != servers_.rend(); ++server) {
            (*server)->kill();
            (*server)->waitForFinished();
        }
    }

    /// Empty: it is there, and its nodes are idle. Else why not.
    const QString& why() const { return why_; }
    /// A program in an allocation of so many nodes, ready to be started.
    std::unique_ptr<QProcess> allocated(int nodes, int tasksEach, const QString& path,
                                        const QStringList& arguments) const {
        return hosts_.program(0, "env",
                              QStringList{setting(), "salloc", QString("--nodes=%1").arg(nodes),
                                          QString("--ntasks-per-node=%1").arg(tasksEach), path} +
                                  arguments);
    }
    /// Takes every job's allocation away.
    bool cancelAll() const { return hosts_.onHost(0, setting() + " scancel --user=root"); }
    /// Nodes that nobody has.
    int idle() const {
        QByteArray said;
        const auto asked =
            hosts_.program(0, "env", {setting(), "sinfo", "--noheader", "--Node", "--states=idle", "--format=%N"});
        asked->start();
        if (!asked->waitForFinished(patience) || asked->exitCode() != 0) return 0;
        return static_cast<int>(
            QString::fromUtf8(asked->readAllStandardOutput()).split('\n', Qt::SkipEmptyParts).size());
    }

private:
    QString setting() const { return "SLURM_CONF=" + folder_.filePath("slurm.conf"); }

    void configure(int count) const {
        QString text =
            QString("ClusterName=shardlab\nSlurmctldHost=%1\nSlurmUser=root\nSlurmdUser=root\nAuthType=auth/"
                    "none\nCredType=cred/none\n"
                    "StateSaveLocation=%2\nSlurmdSpoolDir=%2/spool-%n\nSlurmctldPidFile=%2/"
                    "controller.pid\nSlurmdPidFile=%2/%n.pid\n"
                    "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\nMpiDefault=none\n"
                    "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nReturnToService=2\n")
                .arg(hosts_.name(0), folder_.path());
        for (int host = 0; host < count; ++host)
            text += QString("NodeName=%1 CPUs=%2\n").arg(hosts_.name(host)).arg(QThread::idealThreadCount());
        text += "PartitionName=all Nodes=ALL Default=YES State=UP\n";
        write("slurm.conf", text);
        write("cgroup.conf",
              "CgroupPlugin=cgroup/v1\nIgnoreSystemd=yes\n");  // a namespace has none mounted, and needs none
    }
    void start(int host, const QString& program, const QStringList& arguments) {
        servers_.push_back(hosts_.program(host, "env", QStringList{setting(), program} + arguments));
        servers_.back()->setProcessChannelMode(QProcess::MergedChannels);
        servers_.back()->start();
    }
    void write(const QString& name, const QString& content) const {
        QFile file(folder_.filePath(name));
        if (file.open(QIODevice::WriteOnly)) file.write(content.toUtf8());
    }

    const NamespaceHosts& hosts_;
    QTemporaryDir folder_;
    QString why_;
    std::vector<std::unique_ptr<QProcess>> servers_;
};

}  // namespace shardlab::test
