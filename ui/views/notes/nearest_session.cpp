// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/notes/nearest_session.h"

#include "ui/core/document.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

namespace shardlab::ui {

NearestSession::NearestSession(Document& document, QObject* parent) : QObject(parent), document_(document) {
    connect(&document, &Document::layoutChanged, this, &NearestSession::refresh);
    refresh();
}

void NearestSession::refresh() {
    ++generation_;
    nearest_.reset();
    if (!working_) start();
}

void NearestSession::start() {
    if (document_.faults().empty()) return;
    working_ = true;
    QThreadPool::globalInstance()->start(
        [session = QPointer<NearestSession>(this), generation = generation_, layout = document_.resolvedLayout()] {
            std::optional<LegalLayout> legal = nearestLegal(layout);
            if (legal && legal->changes.empty()) legal.reset();  // what is wrong is not in the layout's fields
            QMetaObject::invokeMethod(qApp, [session, generation, legal = std::move(legal)]() mutable {
                if (!session) return;
                session->working_ = false;
                if (session->generation_ != generation) return session->start();
                session->nearest_ = std::move(legal);
                Q_EMIT session->changed();
            });
        });
}

void NearestSession::take() {
    if (!nearest_) return;
    Layout layout = nearest_->layout;
    const Layout& written = document_.layout();  // paths as they were written, not as they were resolved
    layout.model.weights = written.model.weights;
    layout.data.path = written.data.path;
    layout.data.tokenizerPath = written.data.tokenizerPath;
    layout.checkpoint.path = written.checkpoint.path;
    document_.change(std::move(layout), tr("Take the nearest legal layout"));
}

}  // namespace shardlab::ui
