// SPDX-License-Identifier: Apache-2.0
// A guess drawn into what was measured: a bar for each experiment, and over them the reader's guess.
#pragma once

#include "engine/launch/lesson/lesson_picture.h"
#include "engine/launch/lesson/lesson_text.h"

#include <optional>
#include <span>

namespace shardlab::launch {

/// With the reader's guess, where there is one, and without what other questions that are open to the reader ask for.
/// None where nothing that is asked about has been measured.
std::optional<LessonPicture> guessPicture(const Lesson& lesson, const LessonQuestion& question,
                                          std::span<const KnownExperiment> known, const LessonReader& reader,
                                          const PictureInk& ink, const Tell& tell = inEnglish);

}  // namespace shardlab::launch
