// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/explain/losses_session.h"

#include "ui/core/document.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

namespace shardlab {

LossesSession::LossesSession(Document& document, QObject* parent) : QObject(parent), document_(document) {
    connect(&document, &Document::planChanged, this, &LossesSession::refresh);
    refresh();
}

void LossesSession::refresh() {
    ++generation_;
    losses_.clear();
    if (!working_) start();
}

void LossesSession::start() {
    if (!document_.plan() || !document_.planIsCurrent()) return;
    working_ = true;
    QThreadPool::globalInstance()->start([session = QPointer<LossesSession>(this), generation = generation_, plan = *document_.plan()] {
        std::vector<Loss> losses = largestLosses(plan);
        QMetaObject::invokeMethod(qApp, [session, generation, losses = std::move(losses)]() mutable {
            if (!session) return;
            session->working_ = false;
            if (session->generation_ != generation) return session->start();
            session->losses_ = std::move(losses);
            Q_EMIT session->changed();
        });
    });
}

void LossesSession::take(std::size_t loss) {
    if (loss >= losses_.size() || !losses_[loss].better) return;
    const BetterLayout better = *losses_[loss].better;
    Layout layout = document_.layout();
    apply(better.choice, layout);
    document_.change(std::move(layout), tr("Take %1").arg(QString::fromStdString(better.change)));
}

}  // namespace shardlab
