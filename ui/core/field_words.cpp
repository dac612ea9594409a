// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/field_words.h"

#include "ui/core/text.h"

#include "engine/layout/fields.h"
#include "ui/core/words.h"

#include <QStringList>

namespace shardlab::ui {

QString fieldLabel(const std::string& pointer) {
    std::string_view at = pointer;
    while (!at.empty()) {
        if (const Field* field = findField(at)) return term(field->label);
        at = at.substr(0, at.rfind('/'));
    }
    return QString::fromStdString(pointer);
}

QString faultsText(const std::vector<Fault>& faults) {
    QStringList lines;
    for (const Fault& fault : faults) {
        const QString label = fieldLabel(fault.pointer), pointer = text(fault.pointer);
        const QString raw = text(toText(fault));
        lines += fault.pointer.empty() || label == pointer
                     ? raw
                     : QStringLiteral("%1 (%2)%3").arg(label, pointer, raw.mid(pointer.size()));
    }
    return lines.join(QLatin1Char('\n'));
}

QString changesText(const std::vector<FieldChange>& changes) {
    QStringList texts;
    for (const FieldChange& change : changes)
        texts += tr("%1 %2 instead of %3")
                     .arg(fieldLabel(change.pointer), QString::fromStdString(change.to),
                          QString::fromStdString(change.from));
    return texts.join(QStringLiteral(", "));
}

}  // namespace shardlab::ui
