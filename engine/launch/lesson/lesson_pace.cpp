// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/lesson_pace.h"

#include "engine/base/units.h"
#include "engine/predict/plan/shared_pace.h"

namespace shardlab::launch {

void paceTogether(Lesson& lesson) {
    if (lesson.stretch) return;
    std::vector<Layout*> layouts;
    for (LessonExperiment& experiment : lesson.experiments) layouts.push_back(&experiment.layout);
    lesson.stretch = predict::paceTogether(layouts);
}

Sentence paceRemark(const Lesson& lesson) {
    if (!lesson.stretch) return {};
    return say("All paced experiments of this lesson are slowed by one factor, {} ×: whichever layout takes its "
               "devices less time ends first. Times and rates are those of the devices.",
               formatCount(*lesson.stretch));
}

}  // namespace shardlab::launch
