// SPDX-License-Identifier: GPL-3.0-or-later
// A horizontal slider that goes to the place that is clicked, and is dragged on from there. A QSlider goes one page
// towards it.
#pragma once

#include "ui/core/calm.h"

#include <QSlider>

namespace shardlab::ui {

class PlaceSlider : public Calm<QSlider> {
public:
    explicit PlaceSlider(QWidget* parent) : Calm(parent) { setOrientation(Qt::Horizontal); }

protected:
    void mousePressEvent(QMouseEvent* event) override;
};

}  // namespace shardlab::ui
