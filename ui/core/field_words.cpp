// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/field_words.h"

#include "engine/predict/search/change_words.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QStringList>

namespace shardlab::ui {
namespace {

QString withLegal(const QString& text, const Sentence& legal) {
    if (legal.empty()) return text;
    return text.isEmpty() ? tr("Legal: %1").arg(told(legal)) : tr("%1. Legal: %2").arg(text, told(legal));
}

}  // namespace

QString fieldLabel(const std::string& pointer) { return told(labelOf(pointer)); }

QString fieldHelp(const Field& field) {
    const QString help = term(field.help);
    if (!field.empty.empty()) return tr("%1\nEmpty: %2.").arg(help, term(field.empty));
    return field.zero.empty() ? help : tr("%1\n0: %2.").arg(help, term(field.zero));
}

QString unitBehind(const Field& field, double number) {
    if (number == 0 && !field.zero.empty()) return {};
    const QString unit = term(unitOf(field, number));
    return unit.isEmpty() ? unit : QLatin1Char(' ') + unit;
}

QString faultReason(const Fault& fault) { return withLegal(told(fault.why), fault.legal); }

QString faultText(const Fault& fault) {
    const QString what = told(fault.what);
    return withLegal(fault.why.empty() ? what : tr("%1: %2").arg(what, told(fault.why)), fault.legal);
}

QString faultsText(const std::vector<Fault>& faults) {
    QStringList lines;
    for (const Fault& fault : faults) {
        const QString label = fieldLabel(fault.pointer), pointer = text(fault.pointer);
        QString line = faultText(fault);
        if (!pointer.isEmpty())
            line = tr("%1: %2").arg(label == pointer ? pointer : tr("%1 (%2)").arg(label, pointer), line);
        if (!fault.picture.empty()) line += QLatin1Char('\n') + text(fault.picture);
        lines += line;
    }
    return lines.join(QLatin1Char('\n'));
}

QString changesText(const std::vector<FieldChange>& changes) { return told(changeWords(changes)); }

}  // namespace shardlab::ui
