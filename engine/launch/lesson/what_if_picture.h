// SPDX-License-Identifier: Apache-2.0
// What a "what if" shows of a position: a picture, the same as a table, and the sentence and formula with its numbers.
#pragma once

#include "engine/launch/lesson/lesson_picture.h"
#include "engine/launch/lesson/lesson_text.h"
#include "engine/launch/lesson/what_if.h"

#include <string>
#include <vector>

namespace shardlab::launch {

/// The answer's position is legal.
LessonPicture whatIfPicture(const LessonWhatIf& whatIf, const WhatIfAnswer& answer, const PictureInk& ink,
                            const Tell& tell = inEnglish);
/// The head, and a row for each thing in the picture.
std::vector<std::vector<std::string>> whatIfTable(const LessonWhatIf& whatIf, const WhatIfAnswer& answer,
                                                  const Tell& tell = inEnglish);
/// The table as Markdown.
std::string whatIfTableText(const LessonWhatIf& whatIf, const WhatIfAnswer& answer, const Tell& tell = inEnglish);
/// Markdown: the formula, the formula with the position's numbers, and what is said.
std::string whatIfText(const LessonWhatIf& whatIf, const WhatIfAnswer& answer, const Tell& tell = inEnglish);
/// "Microbatch 4 samples, Pipeline 8 ranks"
Sentence positionWords(const LessonWhatIf& whatIf, const WhatIfPosition& position);
/// What is wrong with a position that is not legal, and which legal one is nearest.
Sentence refusalWords(const LessonWhatIf& whatIf, const WhatIfAnswer& answer);

}  // namespace shardlab::launch
