// SPDX-License-Identifier: GPL-3.0-or-later
// What a person guessed and did in each lesson; kept in the settings.
#pragma once

#include "engine/launch/lesson/lesson.h"
#include "ui/core/stored_lists.h"

#include <map>
#include <string>

namespace shardlab::ui {

class LessonProgress {
public:
    LessonProgress();

    /// Guesses that the lesson's questions cannot have any more are left out.
    LessonReader of(const Lesson& lesson) const;
    void guess(const Lesson& lesson, const LessonQuestion& question, double guess);
    void passOver(const Lesson& lesson, const LessonQuestion& question);
    void setDone(const Lesson& lesson, const LessonStep& step);
    /// The lesson begins anew.
    void forget(const Lesson& lesson);

private:
    void store() const;

    StoredLists guesses_;  ///< "idle=0.3"
    StoredLists passed_, done_;
};

}  // namespace shardlab::ui
