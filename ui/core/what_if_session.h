// SPDX-License-Identifier: GPL-3.0-or-later
// Where the sliders of a lesson's what-ifs stand, and what the planner says there. Planning goes on beside the window:
// while one position is planned, only the last of those that come is kept.
#pragma once

#include "engine/launch/lesson/lesson.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace shardlab::ui {

class WhatIfSession : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// The what-ifs of another lesson, each at its start.
    void begin(const Lesson& lesson);
    const WhatIfPosition& position(std::size_t whatIf) const { return all_[whatIf].position; }
    void move(std::size_t whatIf, WhatIfPosition position);
    /// What was planned last, perhaps of an earlier position; nullptr: nothing yet.
    const WhatIfAnswer* answer(std::size_t whatIf) const {
        return all_[whatIf].answer ? &*all_[whatIf].answer : nullptr;
    }
    /// The answer is of the position.
    bool isCurrent(std::size_t whatIf) const {
        return all_[whatIf].answer && all_[whatIf].answer->position == all_[whatIf].position;
    }

Q_SIGNALS:
    void answered(std::size_t whatIf);

private:
    struct One {
        std::shared_ptr<WhatIfPlanner> planner;
        WhatIfPosition position;
        std::optional<WhatIfAnswer> answer;
        bool working = false;
    };
    void start(std::size_t whatIf);
    void take(int lesson, std::size_t whatIf, WhatIfAnswer answer);

    std::vector<One> all_;
    int lesson_ = 0;  ///< counts lessons: an answer for an earlier one is dropped
};

}  // namespace shardlab::ui
