// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/notes/step_overhead_session.h"

#include "ui/core/document.h"
#include "ui/core/words.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

namespace shardlab::ui {

StepOverheadSession::StepOverheadSession(Document& document, QObject* parent) : QObject(parent), document_(document) {
    connect(&document, &Document::planChanged, this, &StepOverheadSession::refresh);
    refresh();
}

void StepOverheadSession::refresh() {
    ++generation_;
    overheads_.clear();
    bubble_.reset();
    if (!working_) start();
}

void StepOverheadSession::start() {
    if (!document_.plan() || !document_.planIsCurrent()) return;
    working_ = true;
    QThreadPool::globalInstance()->start(
        [session = QPointer<StepOverheadSession>(this), generation = generation_, plan = *document_.plan()] {
            std::vector<StepOverhead> overheads = largestOverheads(plan);
            const BubbleParts bubble = bubbleParts(plan);
            QMetaObject::invokeMethod(qApp, [session, generation, bubble, overheads = std::move(overheads)]() mutable {
                if (!session) return;
                session->working_ = false;
                if (session->generation_ != generation) return session->start();
                session->overheads_ = std::move(overheads);
                session->bubble_ = bubble;
                Q_EMIT session->changed();
            });
        });
}

void StepOverheadSession::take(std::size_t overhead) {
    if (overhead >= overheads_.size() || !overheads_[overhead].better) return;
    const BetterLayout better = *overheads_[overhead].better;
    Layout layout = document_.layout();
    apply(better.choice, layout);
    document_.change(std::move(layout), tr("Take %1").arg(told(better.change)));
}

}  // namespace shardlab::ui
