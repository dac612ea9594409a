// SPDX-License-Identifier: Apache-2.0
// Planning with one system call that fails, of all that the program asks the kernel for from the begin of main() on,
// whichever library asks: some of them, drawn anew, or with SHARDLAB_FAILURES=all each in its turn. The answer is the
// same, or one sentence says what failed; the program never crashes, and never gives another answer.
#include "tests/app/fault/planning_commands.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/sanitizer.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardlab::test;

#ifdef __x86_64__
namespace {

/// What the kernel may say of a call; 0: nothing that a program could hear of, or it has none to fail.
int reasonFor(unsigned long call) {
    switch (call) {
    case SYS_exit:
    case SYS_exit_group:
    case SYS_rt_sigreturn:
    case SYS_futex: return 0;
    case SYS_mmap:
    case SYS_mprotect:
    case SYS_mremap:
    case SYS_brk:
    case SYS_clone:
    case SYS_clone3: return ENOMEM;
    case SYS_open:
    case SYS_openat: return EMFILE;
    default: return EIO;
    }
}

struct Traced {
    int status = -1;  ///< as waitpid() has it
    int calls = 0;    ///< since main() began
    unsigned long failed = 0;
};

/// Runs the program and lets its call of that number fail; 0: none.
Traced trace(const std::vector<QByteArray>& arguments, const QByteArray& out, const QByteArray& error, int failing) {
    std::vector<char*> words;
    for (const QByteArray& word : arguments) words.push_back(const_cast<char*>(word.constData()));
    words.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        const int to = ::open(out.constData(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int complaints = ::open(error.constData(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (::dup2(to, STDOUT_FILENO) < 0 || ::dup2(complaints, STDERR_FILENO) < 0) ::_exit(126);
        ::alarm(60);
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(125);
        ::raise(SIGSTOP);
        ::execv(words[0], words.data());
        ::_exit(127);
    }
    Traced traced;
    bool begun = false, entering = false, replaced = false;
    int deliver = 0;
    unsigned long long argument = 0;
    ::waitpid(child, &traced.status, 0);
    if (!WIFSTOPPED(traced.status)) return traced;
    ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    while (::ptrace(PTRACE_SYSCALL, child, nullptr, deliver) == 0 && ::waitpid(child, &traced.status, 0) == child) {
        if (!WIFSTOPPED(traced.status)) return traced;
        const int signal = WSTOPSIG(traced.status);
        deliver = signal == (SIGTRAP | 0x80) || signal == SIGTRAP ? 0 : signal;
        if (signal != (SIGTRAP | 0x80)) continue;
        entering = !entering;
        user_regs_struct registers{};
        ::ptrace(PTRACE_GETREGS, child, nullptr, &registers);
        if (!entering) {
            if (!std::exchange(replaced, false)) continue;
            if (traced.failed == SYS_brk) registers.rdi = argument;
            else registers.rax = static_cast<unsigned long long>(-reasonFor(traced.failed));
            ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
            continue;
        }
        // What the program does first: it ignores SIGPIPE.
        if (!begun) begun = registers.orig_rax == SYS_rt_sigaction && registers.rdi == SIGPIPE && registers.rsi != 0;
        if (!begun || reasonFor(registers.orig_rax) == 0 || ++traced.calls != failing) continue;
        traced.failed = registers.orig_rax;
        replaced = true;
        argument = registers.rdi;
        if (traced.failed == SYS_brk) registers.rdi = 0;  // a break that may not move is answered by where it is
        else registers.orig_rax = static_cast<unsigned long long>(-1);
        ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
    }
    return traced;
}

}  // namespace
#endif

class FailingSystemCallsTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

    static QByteArray contentOf(const QString& file) {
        QFile opened(file);
        return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
    }

private Q_SLOTS:
    void everyAnswerIsRightOrNone_data() { askedWhilePlanning(folder_); }
    void everyAnswerIsRightOrNone() {
#ifdef __x86_64__
        if (sanitized) QSKIP("a sanitizer asks the kernel for more");
        QFETCH(QStringList, arguments);
        std::vector<QByteArray> words{program().toLocal8Bit()};
        for (const QString& argument : arguments) words.push_back(argument.toLocal8Bit());
        const QString out = folder_.filePath("out"), error = folder_.filePath("err");
        const Traced right = trace(words, out.toLocal8Bit(), error.toLocal8Bit(), 0);
        if (WIFEXITED(right.status) && WEXITSTATUS(right.status) == 125) QSKIP("no process may be traced here");
        QVERIFY(WIFEXITED(right.status));
        const QByteArray answer = contentOf(out), complaint = contentOf(error);
        QVERIFY2(right.calls > 20, "nothing was counted");
        int refused = 0, same = 0;
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        const bool all = qEnvironmentVariable("SHARDLAB_FAILURES") == "all";
        constexpr int drawn = 80;
        for (int call = 1; call <= right.calls; ++call) {
            if (!all && random.bounded(right.calls) >= drawn) continue;
            const Traced ended = trace(words, out.toLocal8Bit(), error.toLocal8Bit(), call);
            const QByteArray said = contentOf(out), why = contentOf(error);
            const QByteArray note = QByteArray("call ") + QByteArray::number(call) + ", system call " +
                                    QByteArray::number(qulonglong(ended.failed)) + ", status " +
                                    QByteArray::number(ended.status) + ":\n" + said.left(300) + why.left(1000);
            QVERIFY2(WIFEXITED(ended.status), note.constData());
            if (ended.status == right.status && said == answer && why == complaint) {
                ++same;
                continue;
            }
            // What cannot be said on standard error is not said.
            const bool silenced = ended.failed == SYS_write && said == answer && complaint.contains(why);
            if (silenced && ended.status == right.status) continue;
            QVERIFY2(WEXITSTATUS(ended.status) == 1, note.constData());
            QVERIFY2(!why.trimmed().isEmpty() && why.size() < 4000, note.constData());
            ++refused;
        }
        qInfo("seed %u: %d system calls, %d refused, %d made no difference", seed, right.calls, refused, same);
        QVERIFY(refused > 0);
#else
        QSKIP("the registers of this processor are not known here");
#endif
    }
};

QTEST_GUILESS_MAIN(FailingSystemCallsTest)
#include "failing_system_calls_test.moc"
