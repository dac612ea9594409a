// SPDX-License-Identifier: Apache-2.0
// The engine's sentences in another language, for programs without Qt: what resources/translations hold of them.
#pragma once

#include "engine/base/sentence.h"

#include <map>
#include <string>
#include <string_view>

namespace shardlab::base {

class Catalogue {
public:
    /// The catalogue of one of `languages` (language.h). English has none, and a file that cannot be read leaves all in
    /// English.
    static Catalogue of(std::string_view language);
    /// The text is such a file's: its messages of the context "tables" that are translated are taken.
    explicit Catalogue(std::string_view text = {});

    /// The pattern or word in the language; itself where it has no translation.
    std::string operator()(std::string_view pattern) const;
    std::string told(const Sentence& sentence) const;

private:
    std::map<std::string, std::string, std::less<>> messages_;
};

}  // namespace shardlab::base
