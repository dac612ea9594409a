// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/end_signals.h"

#include "engine/base/standard_streams.h"
#include "ui/core/child.h"

#include <QSocketNotifier>

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace shardlab::ui {
namespace {

constexpr int handled[] = {SIGINT, SIGTERM, SIGHUP};
/// A signal handler reaches nothing but globals.
std::atomic<int> writeEnd = -1;

void tell(int signal) {
    const char byte = static_cast<char>(signal);
    [[maybe_unused]] const auto written = ::write(writeEnd, &byte, 1);  // full: it has been told already
}

}  // namespace

EndSignals::EndSignals(QObject* parent) : QObject(parent) {
    if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) return;  // without it the signals keep their meaning
    writeEnd = ends_[1];
    notifier_ = child<QSocketNotifier>(ends_[0], QSocketNotifier::Read, this);
    connect(notifier_, &QSocketNotifier::activated, this, &EndSignals::read);
    struct sigaction action {};
    action.sa_handler = tell;
    for (const int signal : handled) {
        // After the first the signal has its own meaning again, so that a second one always ends the program. Not so a
        // lost terminal's, which the kernel tells and the shell too.
        action.sa_flags = signal == SIGHUP ? SA_RESTART : SA_RESTART | static_cast<int>(SA_RESETHAND);
        if (signal != SIGHUP || !ignoresSignal(signal)) ::sigaction(signal, &action, nullptr);
    }
}

EndSignals::~EndSignals() {
    for (const int signal : handled)
        if (signal != SIGHUP || !ignoresSignal(signal)) std::signal(signal, SIG_DFL);
    for (const int end : ends_)
        if (end >= 0) ::close(end);
}

void EndSignals::read() {
    char bytes[16];
    while (::read(ends_[0], bytes, sizeof bytes) > 0) {}
    Q_EMIT asked();
}

}  // namespace shardlab::ui
