// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/words.h"

#include "ui/core/text.h"

#include <string>

namespace shardlab::ui {

QString term(std::string_view word) {
    const std::string source(word);
    const QString translated = QCoreApplication::translate("tables", source.c_str());
    return translated.isEmpty() ? text(word) : translated;
}

QString told(const Sentence& sentence) {
    return text(sentence.told([](std::string_view pattern) { return term(pattern).toStdString(); }));
}

QString told(const Error& error) { return told(error.told()); }

}  // namespace shardlab::ui
