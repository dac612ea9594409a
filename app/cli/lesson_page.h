// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/launch/lesson/lesson.h"

#include <span>
#include <string>

namespace shardlab::cli {

/// A lesson for a terminal: its Markdown with figures, tables in aligned columns, and a line for each experiment.
std::string lessonPage(const Lesson& lesson, std::span<const KnownExperiment> known);

}  // namespace shardlab::cli
