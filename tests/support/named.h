// SPDX-License-Identifier: Apache-2.0
// Enums of a layout by their words, so that a test's rows and random choices can be words:
// layout.optimizer.kind = named("sgd").
#pragma once

#include "engine/layout/kinds.h"
#include "tests/support/wings.h"

#include <QString>
#include <QTest>

#include <string>
#include <string_view>
#include <type_traits>

namespace shardlab::test {

struct Named {
    std::string word;

    template <class Kind>
    requires std::is_enum_v<Kind>
    operator Kind() const {
        const std::optional<Kind> kind = kindOf<Kind>(word);
        if (!kind) qFatal("\"%s\" is no word of this field", word.c_str());
        return *kind;
    }
};

inline Named named(std::string_view word) { return {std::string(word)}; }
inline Named named(const QString& word) { return {word.toStdString()}; }
inline Named named(const char* word) { return {word}; }

}  // namespace shardlab::test
