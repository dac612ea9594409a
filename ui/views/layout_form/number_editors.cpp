// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/number_editors.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/field_words.h"
#include "ui/core/text.h"
#include "ui/views/layout_form/calm_controls.h"
#include "ui/views/layout_form/unit_line.h"
#include "ui/core/words.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QRegularExpression>
#include <QSignalBlocker>

#include <cmath>
#include <limits>

namespace shardlab::ui {
namespace {

/// As people write it: 500000 and 1e-05.
QString written(double value) {
    constexpr double longest = 1e9;
    const bool whole = value == std::trunc(value) && std::abs(value) < longest;
    return whole ? QString::number(value, 'f', 0) : QString::number(value, 'g', QLocale::FloatingPointShortest);
}

std::optional<double> readNumber(const QString& text) {
    bool read = false;
    const double value = QLocale::c().toDouble(text.trimmed(), &read);
    return read && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// The parts of a list as it is typed: blanks, commas and semicolons separate them.
QStringList partsOf(const QString& text) {
    static const QRegularExpression gaps(QStringLiteral("[\\s,;]+"));
    return text.split(gaps, Qt::SkipEmptyParts);
}

}  // namespace

IntegerEditor::IntegerEditor(const Field& field, IntegerField access, Document& document, QWidget* parent)
    : FieldEditor(field, document, parent), access_(access), box_(child<CalmSpinBox>(this, term(field.zero))) {
    fillWith(*this, *box_);
    name(*box_);
    connect(box_, &QSpinBox::valueChanged, this, [this](int number) {
        box_->setSuffix(unitBehind(this->field(), number));
        edit([this, number](Layout& layout) { access_(layout) = number; }, box_->cleanText());
    });
}

void IntegerEditor::display(const Layout& layout) {
    const QSignalBlocker quiet(box_);
    const int number = value(layout, access_);
    if (box_->value() != number) box_->setValue(number);
    box_->setSuffix(unitBehind(field(), number));
}

QWidget& IntegerEditor::control() { return *box_; }

void ReadEditor::showUnit() {
    const bool word = !zero_.isEmpty() && line_->text() == zero_;
    line_->setUnit(hasUnit() && !word ? term(field().unit) : QString());
}

std::function<void(Layout&)> ReadEditor::readWord(const QString& text) const {
    return read(!zero_.isEmpty() && text.trimmed() == zero_ ? QStringLiteral("0") : text);
}

QString ReadEditor::writeWord(const Layout& layout) const {
    if (!zero_.isEmpty()) {
        Layout none = layout;
        read(QStringLiteral("0"))(none);
        if (none == layout) return zero_;
    }
    return write(layout);
}

ReadEditor::ReadEditor(const Field& field, Document& document, QWidget* parent)
    : FieldEditor(field, document, parent), zero_(term(field.zero)), line_(child<UnitLine>(this)) {
    fillWith(*this, *line_);
    line_->setWord(zero_);
    line_->setPlaceholderText(term(field.empty));
    name(*line_);
    connect(line_, &QLineEdit::textEdited, this, &ReadEditor::typed);
    connect(line_, &QLineEdit::editingFinished, this, [this] {
        line_->setCursorPosition(0);
        if (zero_.isEmpty() || writeWord(this->document().layout()) != zero_) return;
        line_->setText(zero_);
        showUnit();
        if (line_->hasFocus()) line_->selectAll();
    });
}

void ReadEditor::typed(const QString& text) {
    const auto change = readWord(text);
    showUnit();
    Q_EMIT misread(change ? QString() : tr("“%1” is not %2").arg(text, expected()));
    if (change) edit(change, text.trimmed());
}

void ReadEditor::display(const Layout& layout) {
    const QString shown = writeWord(layout);
    Layout typed = layout;
    const auto change = readWord(line_->text());
    if (change) change(typed);
    if (change && typed == layout && (line_->hasFocus() || shown != zero_ || line_->text() == zero_)) return;
    // An unreadable text stays while it is being typed.
    if (!change && line_->hasFocus() && !line_->text().isEmpty() && line_->isModified() && shown_ == shown) return;
    shown_ = shown;
    line_->setText(shown);
    showUnit();
    Q_EMIT misread({});
}

QWidget& ReadEditor::control() { return *line_; }

LongEditor::LongEditor(const Field& field, LongField access, Document& document, QWidget* parent)
    : ReadEditor(field, document, parent), access_(access) {}

QString LongEditor::write(const Layout& layout) const { return QString::number(value(layout, access_)); }

std::function<void(Layout&)> LongEditor::read(const QString& text) const {
    bool read = false;
    const std::int64_t number = text.trimmed().toLongLong(&read);
    if (!read) return {};
    return [access = access_, number](Layout& layout) { access(layout) = number; };
}

QString BytesEditor::write(const Layout& layout) const {
    return QString::fromStdString(exactBytes(value(layout, access_)));
}

std::function<void(Layout&)> BytesEditor::read(const QString& text) const {
    const auto bytes = readBytes(text.toStdString());
    if (!bytes) return {};
    return [access = access_, bytes = *bytes](Layout& layout) { access(layout) = bytes; };
}

NumberEditor::NumberEditor(const Field& field, NumberField access, Document& document, QWidget* parent)
    : ReadEditor(field, document, parent), access_(access) {}

QString NumberEditor::write(const Layout& layout) const { return written(value(layout, access_)); }

std::function<void(Layout&)> NumberEditor::read(const QString& text) const {
    const auto number = readNumber(text);
    if (!number) return {};
    return [access = access_, number = *number](Layout& layout) { access(layout) = number; };
}

IntegerListEditor::IntegerListEditor(const Field& field, IntegerListField access, Document& document, QWidget* parent)
    : ReadEditor(field, document, parent), access_(access) {}

QString IntegerListEditor::write(const Layout& layout) const {
    QStringList parts;
    for (const int number : value(layout, access_)) parts << QString::number(number);
    return parts.join(QLatin1Char(' '));
}

std::function<void(Layout&)> IntegerListEditor::read(const QString& text) const {
    std::vector<int> numbers;
    for (const QString& part : partsOf(text)) {
        bool read = false;
        numbers.push_back(part.toInt(&read));
        if (!read) return {};
    }
    return [access = access_, numbers](Layout& layout) { access(layout) = numbers; };
}

NumberListEditor::NumberListEditor(const Field& field, NumberListField access, Document& document, QWidget* parent)
    : ReadEditor(field, document, parent), access_(access) {}

QString NumberListEditor::write(const Layout& layout) const {
    QStringList parts;
    for (const double number : value(layout, access_)) parts << written(number);
    return parts.join(QLatin1Char(' '));
}

std::function<void(Layout&)> NumberListEditor::read(const QString& text) const {
    std::vector<double> numbers;
    for (const QString& part : partsOf(text)) {
        const auto number = readNumber(part);
        if (!number) return {};
        numbers.push_back(*number);
    }
    return [access = access_, numbers](Layout& layout) { access(layout) = numbers; };
}

}  // namespace shardlab::ui
