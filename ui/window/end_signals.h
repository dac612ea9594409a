// SPDX-License-Identifier: GPL-3.0-or-later
// SIGINT, SIGTERM and SIGHUP as a Qt signal: Ctrl+C in the terminal ends a run cleanly instead of leaving it to
// orphans.
#pragma once

#include <QObject>

class QSocketNotifier;

namespace shardlab::ui {

/// One at a time in a process.
class EndSignals : public QObject {
    Q_OBJECT
public:
    explicit EndSignals(QObject* parent = nullptr);
    ~EndSignals() override;

Q_SIGNALS:
    /// Asked once; a second signal ends the program at once. SIGHUP does not, and is ignored where it was at the start
    /// (nohup).
    void asked();

private:
    void read();
    int ends_[2] = {-1, -1};  ///< of a pipe: the handler writes, the notifier reads
    QSocketNotifier* notifier_ = nullptr;
};

}  // namespace shardlab::ui
