// SPDX-License-Identifier: Apache-2.0
// What resources/translations hold, for tests that go without a desktop too.
#pragma once

#include "tests/support/places.h"

#include <QFile>
#include <QString>
#include <QXmlStreamReader>

#include <map>
#include <string_view>

namespace shardlab::test {

struct TranslatedMessage {
    QString translation;
    bool finished = false;
};
using Translations = std::map<QString, TranslatedMessage>;  ///< by context and source, "tables\nHelp"

inline QString translationsFile(std::string_view language) {
    return QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/translations/shardlab_%1.ts")
        .arg(QString::fromLatin1(language.data(), static_cast<qsizetype>(language.size())));
}

/// Empty where the file cannot be read.
inline Translations readTranslations(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    QXmlStreamReader xml(&file);
    Translations messages;
    QString context, source;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) continue;
        if (xml.name() == QStringLiteral("name")) context = xml.readElementText();
        else if (xml.name() == QStringLiteral("source")) source = xml.readElementText();
        else if (xml.name() == QStringLiteral("translation")) {
            const bool finished = !xml.attributes().hasAttribute("type");
            messages[context + QLatin1Char('\n') + source] = {xml.readElementText(), finished};
        }
    }
    return messages;
}

}  // namespace shardlab::test
