// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/launch/lesson/lesson.h"

#include <functional>
#include <span>
#include <string>

namespace shardlab::launch {

/// What stands in the text in place of an experiment's block; `index` is that of the experiment.
using ExperimentText = std::function<std::string(std::size_t index)>;

/// The lesson's Markdown with its figures, and after its first experiment what is to be said of their pace. `known` has
/// an entry for each experiment, in their order.
std::string lessonText(const Lesson& lesson, std::span<const KnownExperiment> known,
                       const ExperimentText& experimentText);

/// What an experiment's layout says, on one line: {"schedule": {"kind": "gpipe"}}.
std::string changeText(const LessonExperiment& experiment);

}  // namespace shardlab::launch
