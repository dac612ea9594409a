// SPDX-License-Identifier: Apache-2.0
// A lesson on paper: its text, its questions and steps, and the figures that runs have measured.
#pragma once

#include "engine/launch/lesson/lesson.h"

#include <span>
#include <string>

namespace shardlab::launch {

/// A page of HTML that needs no other file. Where nothing was guessed or measured, there is room to write. What the
/// page says beside the lesson is in the language of lessons (engine/base/language.h).
std::string handout(const Lesson& lesson, std::span<const KnownExperiment> known, const LessonReader& reader);

}  // namespace shardlab::launch
