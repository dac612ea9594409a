// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/field_words.h"

#include "ui/core/text.h"

#include "ui/core/words.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>

namespace shardlab::ui {
namespace {

constexpr qsizetype mostElements = 6;  ///< of a list that are told

QString valueText(const QJsonValue& value);

QString listText(const QJsonArray& list) {
    if (list.isEmpty()) return tr("none");
    QStringList parts;
    for (const QJsonValue each : list) parts << valueText(each);
    if (list.size() > mostElements) parts = parts.mid(0, mostElements) << tr("… of %1").arg(list.size());
    return parts.join(QStringLiteral(", "));
}

/// Hosts alone are told whole among the objects of a layout.
QString hostText(const QJsonObject& host) {
    return QStringLiteral("%1 × %2").arg(valueText(host[QStringLiteral("name")]),
                                         valueText(host[QStringLiteral("devices")]));
}

QString valueText(const QJsonValue& value) {
    switch (value.type()) {
    case QJsonValue::Null:
    case QJsonValue::Undefined: return tr("none");
    case QJsonValue::Bool: return value.toBool() ? tr("on") : tr("off");
    case QJsonValue::Double: return QString::number(value.toDouble(), 'g', 15);
    case QJsonValue::String: return value.toString().isEmpty() ? tr("nothing") : value.toString();
    case QJsonValue::Array: return listText(value.toArray());
    case QJsonValue::Object: return hostText(value.toObject());
    }
    return {};
}

QJsonValue valueOf(const std::string& json) {
    return QJsonDocument::fromJson(QByteArray::fromStdString('[' + json + ']')).array().at(0);
}

/// Empty where other fields tell of the change.
QString changeText(const FieldChange& change) {
    const Field* field = findField(change.pointer);
    const QJsonValue from = valueOf(change.from), to = valueOf(change.to);
    QString before = valueText(from), after = valueText(to);
    if (field && std::holds_alternative<PaceField>(field->access)) {
        if (from.isObject() && to.isObject()) return {};
        before = valueText(from.isObject());
        after = valueText(to.isObject());
    }
    if (field && !field->zero.empty()) {
        if (from == 0) before = term(field->zero);
        if (to == 0) after = term(field->zero);
    }
    if (field && to.isDouble()) after += unitBehind(*field, to.toDouble());
    return tr("%1 %2 instead of %3").arg(fieldLabel(change.pointer), after, before);
}

QString withLegal(const QString& text, const Sentence& legal) {
    if (legal.empty()) return text;
    return text.isEmpty() ? tr("Legal: %1").arg(told(legal)) : tr("%1. Legal: %2").arg(text, told(legal));
}

}  // namespace

QString fieldLabel(const std::string& pointer) {
    std::string_view at = pointer;
    while (!at.empty()) {
        if (const Field* field = findField(at)) return term(field->label);
        at = at.substr(0, at.rfind('/'));
    }
    return QString::fromStdString(pointer);
}

QString fieldHelp(const Field& field) {
    const QString help = term(field.help);
    return field.zero.empty() ? help : tr("%1\n0: %2.").arg(help, term(field.zero));
}

QString unitBehind(const Field& field, double number) {
    if (number == 0 && !field.zero.empty()) return {};
    QString unit = term(field.unit);
    if (number == 1 && unit.endsWith(QStringLiteral("ches"))) unit.chop(2);
    else if (number == 1 && unit.size() > 1 && unit.endsWith(QLatin1Char('s'))) unit.chop(1);
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

QString changesText(const std::vector<FieldChange>& changes) {
    QStringList texts;
    for (const FieldChange& change : changes) texts += changeText(change);
    texts.removeAll(QString());
    return texts.join(QStringLiteral(", "));
}

}  // namespace shardlab::ui
