// SPDX-License-Identifier: GPL-3.0-or-later
// The controls of a form that a page scrolls: the wheel does not change them (calm.h).
#pragma once

#include "ui/core/calm.h"
#include "ui/core/child.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSpinBox>
#include <QTimer>

#include <limits>

namespace shardlab::ui {

class CalmSpinBox : public Calm<QSpinBox> {
public:
    /// `zero`: the word that stands for 0, as QSpinBox has a special text for its minimum alone; empty: it has none.
    explicit CalmSpinBox(QWidget* parent, QString zero = {}) : Calm(parent), zero_(std::move(zero)) {
        setRange(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
        setButtonSymbols(NoButtons);
        setAlignment(Qt::AlignRight);
    }
    QSize sizeHint() const override { return {64, Calm::sizeHint().height()}; }
    QSize minimumSizeHint() const override { return {40, Calm::minimumSizeHint().height()}; }

protected:
    QString textFromValue(int value) const override {
        return value == 0 && !zero_.isEmpty() ? zero_ : Calm::textFromValue(value);
    }
    int valueFromText(const QString& text) const override { return isZero(text) ? 0 : Calm::valueFromText(text); }
    QValidator::State validate(QString& text, int& position) const override {
        return isZero(text) ? QValidator::Acceptable : Calm::validate(text, position);
    }
    void focusInEvent(QFocusEvent* event) override {
        Calm::focusInEvent(event);
        if (isZero(text())) QTimer::singleShot(0, this, &QSpinBox::selectAll);  // after the click, which would not
    }

private:
    bool isZero(const QString& text) const { return !zero_.isEmpty() && text == zero_; }
    QString zero_;
};

using CalmComboBox = Calm<QComboBox>;

/// The one control of an editor.
inline void fillWith(QWidget& editor, QWidget& control) {
    auto* row = child<QHBoxLayout>(&editor);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(&control, 1);
    editor.setFocusProxy(&control);
}

}  // namespace shardlab::ui
