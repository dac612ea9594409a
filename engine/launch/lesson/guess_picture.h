// SPDX-License-Identifier: Apache-2.0
// A guess drawn into what was measured: a bar for each experiment, and over them the reader's guess.
#pragma once

#include "engine/launch/lesson/lesson_text.h"

#include <optional>
#include <span>
#include <string>

namespace shardlab::launch {

/// Colours as "#rrggbb", and the family of the letters.
struct PictureInk {
    std::string text = "#1a1a1a", dim = "#666666", bar = "#0072b2", other = "#b8c4cf", guess = "#d55e00";
    std::string font = "sans-serif";
};

struct GuessPicture {
    std::string svg;
    int width = 0, height = 0;  ///< pixels
    int letters = 0;            ///< their size in pixels
    std::string words;          ///< the same as text: "naive 75.0 %, gpipe 42.9 %; guessed 30.0 %"
};

/// With the reader's guess, where there is one, and without what other questions that are open to the reader ask for.
/// None where nothing that is asked about has been measured.
std::optional<GuessPicture> guessPicture(const Lesson& lesson, const LessonQuestion& question,
                                         std::span<const KnownExperiment> known, const LessonReader& reader,
                                         const PictureInk& ink, const Tell& tell = inEnglish);

}  // namespace shardlab::launch
