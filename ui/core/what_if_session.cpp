// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/what_if_session.h"

#include "ui/core/ui_thread.h"

#include <QPointer>
#include <QThreadPool>

#include <utility>

namespace shardlab::ui {

void WhatIfSession::begin(const Lesson& lesson) {
    ++lesson_;
    all_.clear();
    for (const LessonWhatIf& each : lesson.whatIfs)
        all_.push_back({std::make_shared<WhatIfPlanner>(each), each.start(), {}, false});
    for (std::size_t index = 0; index < all_.size(); ++index) start(index);
}

void WhatIfSession::move(std::size_t whatIf, WhatIfPosition position) {
    One& one = all_[whatIf];
    if (position == one.position) return;
    one.position = std::move(position);
    start(whatIf);
}

void WhatIfSession::start(std::size_t whatIf) {
    One& one = all_[whatIf];
    if (one.working) return;
    one.working = true;
    QThreadPool::globalInstance()->start(
        [session = QPointer(this), lesson = lesson_, whatIf, planner = one.planner, position = one.position] {
            onUserInterface([session, lesson, whatIf, answer = planner->answer(position)]() mutable {
                if (session) session->take(lesson, whatIf, std::move(answer));
            });
        });
}

void WhatIfSession::take(int lesson, std::size_t whatIf, WhatIfAnswer answer) {
    if (lesson != lesson_) return;
    One& one = all_[whatIf];
    one.working = false;
    one.answer = std::move(answer);
    if (!isCurrent(whatIf)) start(whatIf);
    Q_EMIT answered(whatIf);
}

}  // namespace shardlab::ui
