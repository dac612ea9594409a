// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/published_grounds.h"

#include "ui/core/ui_thread.h"

#include <QPointer>
#include <QThreadPool>

namespace shardlab::ui {

const Result<PublishedGround>* PublishedGrounds::of(const Layout& layout) {
    const std::string likeness = likenessOf(layout);
    if (likeness.empty()) return nullptr;
    if (const auto known = grounds_.find(likeness); known != grounds_.end()) return &known->second;
    if (finding_ == likeness) return nullptr;
    finding_ = likeness;
    QThreadPool::globalInstance()->start([grounds = QPointer(this), likeness, layout] {
        const Result<PublishedGround> ground = publishedGround(layout).map([](const auto& of) { return of.value(); });
        onUserInterface([grounds, likeness, ground] {
            if (!grounds) return;
            grounds->grounds_.insert_or_assign(likeness, ground);
            Q_EMIT grounds->found();
        });
    });
    return nullptr;
}

}  // namespace shardlab::ui
