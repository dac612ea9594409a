// SPDX-License-Identifier: Apache-2.0
// OpenSSH on hosts made of namespaces: a server on each but the first, and keys of their own.
#pragma once

#include "tests/launch/hosts/namespaces.h"
#include "tests/support/wings.h"

#include <QStandardPaths>

namespace shardlab::test {

class SshServers {
public:
    SshServers(const NamespaceHosts& hosts, int count) : folder_(hosts.folder() + "/ssh-XXXXXX") {
        const QString server = QStandardPaths::findExecutable("sshd", {"/usr/sbin", "/usr/local/sbin"});
        if (server.isEmpty() || QStandardPaths::findExecutable("ssh").isEmpty()) {
            why_ = "OpenSSH is not here (openssh-server, openssh-client)";
            return;
        }
        for (const char* key : {"host", "user"})
            succeeds(QString("ssh-keygen -q -t ed25519 -N '' -f %1").arg(folder_.filePath(key)));
        write("server", QString("HostKey %1/host\nAuthorizedKeysFile %1/user.pub\nStrictModes no\nUsePAM no\nPidFile "
                                "none\nPermitRootLogin yes\n"
                                "PasswordAuthentication no\nAcceptEnv SHARDLAB_TEST_CORES\n")
                            .arg(folder_.path()));
        write("client", QString("Host *\nIdentityFile %1/user\nIdentitiesOnly yes\nStrictHostKeyChecking "
                                "no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n"
                                "BatchMode yes\nConnectTimeout 5\nSendEnv SHARDLAB_TEST_CORES\n")
                            .arg(folder_.path()));
        for (int host = 1; host < count; ++host) {
            // sshd needs a folder for its part without rights; the folder lies where nobody else sees it.
            hosts.onHost(host, "mount -t tmpfs none /run && mkdir -p /run/sshd");
            servers_.push_back(hosts.program(host, server, {"-D", "-e", "-f", folder_.filePath("server")}));
            servers_.back()->setProcessChannelMode(QProcess::MergedChannels);
            servers_.back()->start();
            QByteArray said;
            QElapsedTimer waited;
            waited.start();
            while (!hosts.onHost(0, agent() + " " + hosts.name(host) + " true")) {
                if (waited.elapsed() < patience && !servers_.back()->waitForFinished(200)) continue;
                why_ = "no OpenSSH server can be reached here: " +
                       QString::fromUtf8(servers_.back()->readAll()).simplified();
                return;
            }
        }
    }
    ~SshServers() {
        for (const auto& server : servers_) {
            server->kill();
            server->waitForFinished();
        }
    }

    /// Empty: they are there. Else why not.
    const QString& why() const { return why_; }
    QString agent() const { return "ssh -x -T -F " + folder_.filePath("client"); }

private:
    void write(const QString& name, const QString& content) const {
        QFile file(folder_.filePath(name));
        if (file.open(QIODevice::WriteOnly)) file.write(content.toUtf8());
    }

    QTemporaryDir folder_;
    QString why_;
    std::vector<std::unique_ptr<QProcess>> servers_;
};

}  // namespace shardlab::test
