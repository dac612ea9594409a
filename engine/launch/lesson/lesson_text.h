// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/launch/lesson/lesson.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::launch {

/// A part of a lesson: Markdown, or an experiment, a question, a step or a "what if" between two parts of it.
struct LessonBlock {
    enum class Kind : std::uint8_t { Text, Experiment, Question, Step, WhatIf };
    Kind kind = Kind::Text;
    std::size_t index = 0;  ///< of the experiment, question, step or what-if
    std::string text;       ///< Markdown, of Text alone; never only spaces
};

/// How sentences between those of the lesson are told: in the lesson's language, where the desktop has it.
using Tell = std::function<std::string(const Sentence&)>;
inline std::string inEnglish(const Sentence& sentence) { return sentence.english(); }

/// The lesson's parts with its figures, in the order of reading; below the first experiment stands what is to be said
/// of their pace. `known` has an entry for each experiment, in their order. With a reader, a figure that one of the
/// questions still open asks for is hidden as "?", and behind a measured one stands what the reader guessed.
std::vector<LessonBlock> lessonBlocks(const Lesson& lesson, std::span<const KnownExperiment> known,
                                      const LessonReader* reader = nullptr, const Tell& tell = inEnglish);

/// The lesson's Markdown; `other` says what stands in it in place of whatever is no text.
std::string lessonText(const Lesson& lesson, std::span<const KnownExperiment> known,
                       const std::function<std::string(const LessonBlock&)>& other,
                       const LessonReader* reader = nullptr);

/// The reader as one who has no question open: nothing is hidden from them.
LessonReader allPassed(const Lesson& lesson, LessonReader reader);

/// Whether a figure of the experiment that the what-if starts from is what an open question asks for: the what-if would
/// give it away.
bool keptBack(const Lesson& lesson, const LessonReader& reader, const LessonWhatIf& whatIf);

/// Markdown cut into what fits a screen: each paragraph with the heading above it and the formula or list below it, and
/// the rest of a sentence that goes on behind its formula; each table for itself.
std::vector<std::string> ideas(std::string_view markdown);

/// Without the links that only the desktop follows: "[micro](show:/batch/micro)" becomes "micro".
std::string withoutShowLinks(std::string_view markdown);
/// What such links name, in their order: "/batch/micro".
std::vector<std::string> showLinks(std::string_view markdown);

/// "like naive, but Schedule gpipe instead of naive", in the words of the Design form; of one that is like no other
/// "gpt of 8 layers, 64 wide; 4 ranks; 4 microbatches of 2 samples".
Sentence differenceWords(const Lesson& lesson, const LessonExperiment& experiment);

}  // namespace shardlab::launch
