// SPDX-License-Identifier: Apache-2.0
#include "engine/base/words.h"

#include <cctype>

namespace shardlab::base {

std::vector<std::string> wordsOf(std::string_view text) {
    std::vector<std::string> words;
    bool within = false;
    for (const char each : text) {
        const auto letter = static_cast<unsigned char>(each);
        const bool ofWord = std::isalnum(letter) != 0;
        if (ofWord && !within) words.emplace_back();
        if (ofWord) words.back().push_back(static_cast<char>(std::tolower(letter)));
        within = ofWord;
    }
    return words;
}

}  // namespace shardlab::base
