// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/sentence.h"

#include <string>
#include <vector>

namespace shardlab::layout {

/// One thing wrong with a layout, at its field.
struct Fault {
    std::string pointer;       ///< JSON pointer of the field, "/model/heads"
    Sentence what;             ///< "heads do not divide hidden"
    Sentence why;              ///< "each head gets hidden ÷ heads = 128 ÷ 3 columns"
    Sentence legal;            ///< "1, 2, 4, 8, 16, 32, 64 or 128"
    std::string picture = {};  ///< lines in a fixed-width font that show the place: a schedule's grid
    /// What the field alone can be set to instead, the nearest first (setField); a trainer's refusals have them.
    std::vector<std::string> values = {};
    bool operator==(const Fault&) const = default;
};

/// "pointer: what: why. Legal: legal" in English, and the picture below it.
std::string toText(const Fault& fault);
/// The fault as a sentence, without the picture.
Sentence sentenceOf(const Fault& fault);
/// One fault a line.
std::string toText(const std::vector<Fault>& faults);

}  // namespace shardlab::layout
