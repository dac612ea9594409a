// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop in another language than English: resources/translations, and Qt's own for its dialogs.
#pragma once

#include <QString>

namespace shardlab::ui {

/// What a person has chosen in the menu; empty: the language of the system.
QString chosenLanguage();
void keepLanguage(const QString& language);

/// Installs the translations for base::language(), before there are widgets. `asked` is that of the command line and
/// goes before the one of the menu, which goes before the system's.
void speak(const QString& asked);

}  // namespace shardlab::ui
