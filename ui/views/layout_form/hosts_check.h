// SPDX-License-Identifier: GPL-3.0-or-later
// "Check": calls the other hosts of a cluster as a run would, on a worker thread, and tells what was found.
#pragma once

#include "engine/launch/job/doctor.h"

#include <QObject>

#include <functional>
#include <stop_token>
#include <vector>

namespace shardlab::ui {

class HostsCheck : public QObject {
    Q_OBJECT
public:
    /// As examineHosts(); called on a worker thread, where it may block.
    using Examiner = std::function<Result<std::vector<MachineFinding>>(
        const ClusterSpec& cluster, const std::string& agent, const std::stop_token& stop)>;

    explicit HostsCheck(QObject* parent);
    /// Ends a check under way; nothing is told of it any more.
    ~HostsCheck() override;

    void setExaminer(Examiner examiner) { examiner_ = std::move(examiner); }
    bool active() const { return active_; }
    /// Ignored while one is under way. `agent`: one that the user has allowed for this once.
    void start(const ClusterSpec& cluster, const std::string& agent);
    void cancel();

Q_SIGNALS:
    void stateChanged();
    void found(const std::vector<shardlab::launch::MachineFinding>& findings);
    void failed(const shardlab::base::Error& error);

private:
    Examiner examiner_;
    std::stop_source stop_;
    bool active_ = false;
};

}  // namespace shardlab::ui
