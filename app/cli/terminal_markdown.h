// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/launch/lesson/lesson.h"

#include <span>
#include <string>

namespace shardlab::cli {

/// Markdown for a terminal: its tables in aligned columns.
std::string terminalMarkdown(const std::string& markdown);

/// A lesson for a terminal: its Markdown with figures, and a line for each experiment.
std::string lessonPage(const Lesson& lesson, std::span<const KnownExperiment> known);

}  // namespace shardlab::cli
