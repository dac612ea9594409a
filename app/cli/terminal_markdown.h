// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/launch/lesson/lesson.h"

#include <span>
#include <string>

namespace shardlab::cli {

/// Markdown for a terminal: its tables in aligned columns.
std::string terminalMarkdown(const std::string& markdown);

/// A lesson for a terminal: its Markdown with figures, a line for each experiment, and its questions, with what the
/// reader guessed and runs measured.
std::string lessonPage(const Lesson& lesson, std::span<const KnownExperiment> known, const LessonReader& reader);

}  // namespace shardlab::cli
