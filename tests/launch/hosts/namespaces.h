// SPDX-License-Identifier: Apache-2.0
// Hosts made of namespaces: each has a network, a name, /tmp, /dev/shm and a monotonic clock of its own (days apart),
// and shares the file system. All but the first, on which the launcher runs, have process numbers of their own too.
// Each says that it has one core, so that ranks know that they share. A bridge joins them; `agent` runs a command on
// one as ssh would.
#pragma once

#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <QThread>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <unistd.h>
#include <vector>

namespace shardlab::test {

inline bool succeeds(const QString& line, QByteArray* said = nullptr) {
    QProcess shell;
    shell.setProcessChannelMode(QProcess::MergedChannels);
    shell.start("/bin/sh", {"-c", line});
    if (!shell.waitForFinished(patience)) return false;
    if (said) *said = shell.readAll();
    return shell.exitStatus() == QProcess::NormalExit && shell.exitCode() == 0;
}

class NamespaceHosts {
public:
    /// Names must not meet those of another test that runs at the same time.
    explicit NamespaceHosts(int count) : prefix_(QString("sl%1").arg(getpid())) {
        for (int i = 0; i < count; ++i) names_.append(QString("%1%2").arg("abcdefgh"[i]).arg(getpid() % 1000));
        if (!build()) why_ = "namespaces cannot be made here: " + QString::fromUtf8(said_).simplified();
    }
    ~NamespaceHosts() {
        for (const auto& init : inits_) {
            init->kill();
            init->waitForFinished();
        }
        for (int i = 0; i < names_.size(); ++i) succeeds(QString("ip netns del %1").arg(network(i)));
        succeeds(QString("ip netns del %1").arg(bridge()));
    }

    /// Empty: they are there. Else why not.
    const QString& why() const { return why_; }
    const QString& name(int host) const { return names_[host]; }
    /// "sh SCRIPT": takes [-OPTION] HOST COMMAND, as ssh does.
    QString agent() const { return "/bin/sh " + folder_.filePath("agent"); }
    QString folder() const { return folder_.path(); }
    static QString network() { return QStringLiteral("10.201.0.0/24"); }
    static constexpr std::int64_t apart = 86'400'000'000'000;  ///< nanoseconds between the clocks of one and the next

    /// A program on a host, ready to be started.
    std::unique_ptr<QProcess> program(int host, const QString& path, const QStringList& arguments) const {
        auto process = std::make_unique<QProcess>();
        process->setProgram("nsenter");
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("SHARDLAB_TEST_CORES", "1");
        environment.insert("TMPDIR", "/tmp");
        environment.insert("XDG_CONFIG_HOME", folder_.filePath("configuration"));
        process->setProcessEnvironment(environment);
        process->setArguments(QStringList{"-t", QString::number(pids_[static_cast<std::size_t>(host)]), "-a", path} +
                              arguments);
        return process;
    }
    void cut(int host) const { link(host, "down"); }
    void join(int host) const { link(host, "up"); }
    /// What goes to the host, and what comes from it.
    bool limitBandwidth(int host, const QString& rate) const {
        const QString bucket = " root tbf rate " + rate + " burst 256kb latency 50ms";
        return succeeds(QString("ip netns exec %1 tc qdisc add dev b%2").arg(bridge()).arg(host) + bucket) &&
               succeeds(QString("ip netns exec %1 tc qdisc add dev eth").arg(network(host)) + bucket);
    }
    struct HostProcess {
        int pid = 0;  ///< as this program sees it
        QString program, arguments;
    };
    /// Processes of Shardlab and Open MPI on the host, zombies left out.
    QList<HostProcess> processes(int host) const {
        const auto networkOf = [](const QString& process) {
            std::error_code gone;
            return std::filesystem::read_symlink("/proc/" + process.toStdString() + "/ns/net", gone).string();
        };
        const std::string wanted = networkOf(QString::number(pids_[static_cast<std::size_t>(host)]));
        QList<HostProcess> found;
        for (const QString& process : QDir("/proc").entryList({"[1-9]*"}, QDir::Dirs)) {
            if (networkOf(process) != wanted) continue;
            QFile file("/proc/" + process + "/cmdline");
            const QStringList words =
                file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()).split(QChar(0)) : QStringList();
            const QString name = QFileInfo(words.value(0)).fileName();
            if (QStringList{"shardlab", "shardlab-rank", "orted", "prted", "mpirun", "prterun"}.contains(name))
                found.append({process.toInt(), name, words.mid(1).join(' ')});
        }
        return found;
    }
    /// The ranks on the hosts; the forwarder is none.
    QList<HostProcess> ranks(int host) const {
        QList<HostProcess> found;
        for (const HostProcess& process : processes(host))
            if (process.program == "shardlab-rank" && process.arguments.contains("--layout")) found.append(process);
        return found;
    }
    /// On any host: "c12: orted …" and folders; empty where nothing is.
    QString remains() const {
        QString text;
        for (int host = 0; host < names_.size(); ++host) {
            for (const HostProcess& process : processes(host))
                text += names_[host] + ": " + process.program + " " + process.arguments.left(60) + "\n";
            for (const QString& folder : leftovers(host)) text += names_[host] + ": " + folder + "\n";
        }
        return text;
    }
    /// Waits until nothing remains, and tells what does.
    bool nothingIsLeft() const {
        QElapsedTimer waited;
        waited.start();
        QString left = remains();
        for (; !left.isEmpty() && waited.elapsed() < patience; left = remains()) QThread::msleep(100);
        if (!left.isEmpty()) qWarning("%s", qPrintable(left));
        return left.isEmpty();
    }
    bool onHost(int host, const QString& line) const {
        return succeeds(QString("nsenter -t %1 -a sh -c '%2'").arg(pids_[static_cast<std::size_t>(host)]).arg(line));
    }
    /// What runs have left in the host's folders for temporary files.
    QStringList leftovers(int host) const {
        QByteArray said;
        succeeds(QString("nsenter -t %1 -a sh -c 'ls -d /tmp/shardlab-* /dev/shm/* 2>/dev/null'")
                     .arg(pids_[static_cast<std::size_t>(host)]),
                 &said);
        QStringList left = QString::fromUtf8(said).split('\n', Qt::SkipEmptyParts);
        left.removeIf([&](const QString& each) { return folder_.path().startsWith(each + "/"); });
        return left;
    }

private:
    QString network(int host) const { return QString("%1h%2").arg(prefix_).arg(host); }
    QString bridge() const { return prefix_ + "br"; }
    void link(int host, const char* state) const {
        succeeds(QString("ip -n %1 link set b%2 %3").arg(bridge()).arg(host).arg(state));
    }

    bool build() {
        if (geteuid() != 0) {
            said_ = "this needs root";
            return false;
        }
        if (!succeeds(QString("ip netns add %1 && ip -n %1 link add br0 type bridge && ip -n %1 link set br0 up")
                          .arg(bridge()),
                      &said_))
            return false;
        QByteArray names = "127.0.0.1 localhost\n";
        for (int i = 0; i < names_.size(); ++i) names += QString("10.201.0.%1 %2\n").arg(i + 1).arg(names_[i]).toUtf8();
        write("hosts", names);
        QByteArray cases;
        for (int i = 0; i < names_.size(); ++i) {
            if (!succeeds(QString("ip netns add %1 && ip -n %2 link add b%3 type veth peer name eth netns %1 && ip -n "
                                  "%2 link set b%3 master br0 up && "
                                  "ip -n %1 link set lo up && ip -n %1 addr add 10.201.0.%4/24 dev eth && ip -n %1 "
                                  "link set eth up")
                              .arg(network(i), bridge())
                              .arg(i)
                              .arg(i + 1),
                          &said_))
                return false;
            auto init = std::make_unique<QProcess>();
            const QString ready = folder_.filePath(QString("ready%1").arg(i));
            const QStringList own = i == 0 ? QStringList{} : QStringList{"--pid"};
            init->start("ip", QStringList{"netns", "exec", network(i), "unshare", "--uts", "--mount"} + own +
                                  QStringList{"--time", "--monotonic", QString::number((i + 1) * 86400), "--fork",
                                              "--kill-child", "sh", "-c",
                                              QString("hostname %1 && mount --bind %2/hosts /etc/hosts && %3 %4 %5 "
                                                      "echo ok > %6; sleep 100000; true")
                                                  .arg(names_[i], folder_.path(),
                                                       i == 0 ? QString() : QString("mount -t proc proc /proc &&"),
                                                       emptied("/dev/shm"), emptied("/tmp"), ready)});
            inits_.push_back(std::move(init));
            QElapsedTimer waited;
            waited.start();
            while (!QFile::exists(ready) && waited.elapsed() < patience &&
                   inits_.back()->state() != QProcess::NotRunning)
                QThread::msleep(10);
            QByteArray children;
            // ip became unshare, whose only child is the host's first process.
            succeeds(QString("cat /proc/%1/task/%1/children").arg(inits_.back()->processId()), &children);
            if (!QFile::exists(ready) || children.trimmed().isEmpty()) {
                said_ = inits_.back()->readAllStandardError();
                return false;
            }
            pids_.push_back(children.trimmed().toLongLong());
            cases += QString("%1) pid=%2;;\n").arg(names_[i]).arg(pids_.back()).toUtf8();
        }
        write("agent", "while [ \"${1#-}\" != \"$1\" ]; do shift; done\nhost=$1; shift\ncase $host in\n" + cases +
                           "*) echo \"agent: no route to host $host\" >&2; exit 255;;\nesac\nexport "
                           "SHARDLAB_TEST_CORES=1\nexec nsenter -t $pid -a sh -c \"$*\"\n");
        // The person at the first host has allowed it.
        QDir(folder_.path()).mkpath("configuration/shardlab");
        write("configuration/shardlab/agents", agent().toUtf8() + "\n");
        return true;
    }
    /// Commands that mount an empty file system at `place`, which would hide what the test shares with its hosts there:
    /// its folder, and the programs of a build that lies there.
    QString emptied(const QString& place) const {
        QStringList kept;
        for (const QString& folder : {folder_.path(), QStringLiteral(SHARDLAB_SOURCE_DIR),
                                      QFileInfo(QStringLiteral(SHARDLAB_BIN_DIR)).path()}) {
            const auto holds = [&](const QString& other) { return folder == other || folder.startsWith(other + "/"); };
            if (holds(place) && std::none_of(kept.begin(), kept.end(), holds)) kept.append(folder);
        }
        QString before = kept.isEmpty() ? "" : "mount -t tmpfs none /mnt && ", after;
        for (int k = 0; k < kept.size(); ++k) {
            before += QString("mkdir /mnt/%1 && mount --bind %2 /mnt/%1 && ").arg(k).arg(kept[k]);
            after += QString("mkdir -p %2 && mount --bind /mnt/%1 %2 && ").arg(k).arg(kept[k]);
        }
        return before + "mount -t tmpfs none " + place + " && " + after;
    }
    void write(const QString& name, const QByteArray& content) const {
        QFile file(folder_.filePath(name));
        if (file.open(QIODevice::WriteOnly)) file.write(content);
    }

    QString prefix_;
    QStringList names_;
    QTemporaryDir folder_;
    QString why_;
    QByteArray said_;
    std::vector<std::unique_ptr<QProcess>> inits_;
    std::vector<qint64> pids_;
};

}  // namespace shardlab::test
