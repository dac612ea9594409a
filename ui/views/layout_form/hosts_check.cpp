// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/hosts_check.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

namespace shardlab::ui {

HostsCheck::HostsCheck(QObject* parent) : QObject(parent), examiner_(examineHosts) {}

HostsCheck::~HostsCheck() { stop_.request_stop(); }

void HostsCheck::start(const ClusterSpec& cluster, const std::string& agent) {
    if (active_) return;
    active_ = true;
    stop_ = std::stop_source();
    Q_EMIT stateChanged();
    QThreadPool::globalInstance()->start(
        [self = QPointer(this), examiner = examiner_, cluster, agent, stop = stop_.get_token()] {
            auto result = examiner(cluster, agent, stop);
            if (!qApp) return;
            QMetaObject::invokeMethod(
                qApp,
                [self, stop, result = std::move(result)] {
                    if (!self) return;
                    if (!stop.stop_requested()) {
                        if (result) Q_EMIT self->found(*result);
                        else Q_EMIT self->failed(result.error());
                    }
                    self->active_ = false;
                    Q_EMIT self->stateChanged();
                },
                Qt::QueuedConnection);
        });
}

void HostsCheck::cancel() { stop_.request_stop(); }

}  // namespace shardlab::ui
