// SPDX-License-Identifier: GPL-3.0-or-later
// The controls of a form that a page scrolls: the wheel does not change them (calm.h).
#pragma once

#include "ui/core/calm.h"
#include "ui/core/child.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSpinBox>

#include <limits>

namespace shardlab::ui {

class CalmSpinBox : public Calm<QSpinBox> {
public:
    explicit CalmSpinBox(QWidget* parent) : Calm(parent) {
        setRange(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
        setButtonSymbols(NoButtons);
        setAlignment(Qt::AlignRight);
    }
    QSize sizeHint() const override { return {64, Calm::sizeHint().height()}; }
    QSize minimumSizeHint() const override { return {40, Calm::minimumSizeHint().height()}; }
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
