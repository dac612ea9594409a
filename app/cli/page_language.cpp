// SPDX-License-Identifier: Apache-2.0
#include "app/cli/page_language.h"

#include "engine/base/language.h"

namespace shardlab::cli {

void offerLanguage(Verb& verb, std::string& target) {
    verb.option("--language", target, "The language of pages: that of the locale if left out")
        .typeName("LANGUAGE")
        .oneOf({base::languages.begin(), base::languages.end()});
}

void useLanguage(const std::string& chosen) {
    if (!chosen.empty()) base::chooseLanguage(chosen);
}

}  // namespace shardlab::cli
