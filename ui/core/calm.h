// SPDX-License-Identifier: GPL-3.0-or-later
// Controls that the wheel does not change while it scrolls a page past them: only one that has the focus takes it.
#pragma once

#include <QWheelEvent>
#include <QWidget>

namespace shardlab::ui {

template <class Control>
class Calm : public Control {
public:
    explicit Calm(QWidget* parent) : Control(parent) { this->setFocusPolicy(Qt::StrongFocus); }

protected:
    void wheelEvent(QWheelEvent* event) override {
        if (this->hasFocus()) Control::wheelEvent(event);
        else event->ignore();
    }
};

}  // namespace shardlab::ui
