// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/language.h"

#include "engine/base/language.h"
#include "ui/core/child.h"
#include "ui/core/text.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QSettings>
#include <QTranslator>

static void useTranslations() { Q_INIT_RESOURCE(translations); }

namespace shardlab::ui {
namespace {
const QString setting = QStringLiteral("window/language");
}  // namespace

QString chosenLanguage() { return QSettings().value(setting).toString(); }

void keepLanguage(const QString& language) {
    if (language.isEmpty()) QSettings().remove(setting);
    else QSettings().setValue(setting, language);
}

void speak(const QString& asked) {
    if (const QString chosen = asked.isEmpty() ? chosenLanguage() : asked; !chosen.isEmpty())
        base::chooseLanguage(chosen.toStdString());
    useTranslations();
    const QString language = text(base::language());
    for (const auto& [file, folder] :
         {std::pair(QStringLiteral("qtbase_"), QLibraryInfo::path(QLibraryInfo::TranslationsPath)),
          std::pair(QStringLiteral("shardlab_"), QStringLiteral(":/translations"))}) {
        auto* translator = child<QTranslator>(QCoreApplication::instance());
        if (translator->load(file + language, folder)) QCoreApplication::installTranslator(translator);
    }
}

}  // namespace shardlab::ui
