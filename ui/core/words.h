// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop's language: resources/translations, which translations_test holds against the sources.
#pragma once

#include "engine/base/result.h"

#include <QCoreApplication>
#include <QString>

#include <string_view>

namespace shardlab::ui {

/// What the desktop says outside of Qt's objects, in its language. lupdate finds such texts under the namespace's name;
/// those of tables are marked by QT_TR_NOOP.
inline QString tr(const char* text) { return QCoreApplication::translate("shardlab::ui", text); }

/// A word of the engine's tables (kinds of events, fields, parts of memory) in the desktop's language: as it is where
/// it has no translation.
QString term(std::string_view word);
/// The engine's sentence in the desktop's language.
QString told(const Sentence& sentence);
QString told(const Error& error);

}  // namespace shardlab::ui
