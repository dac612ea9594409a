// SPDX-License-Identifier: GPL-3.0-or-later
// A horizontal slider that goes to the place that is clicked, and is dragged on from there. A QSlider goes one page
// towards it.
#pragma once

#include <QSlider>

namespace shardlab::ui {

class PlaceSlider : public QSlider {
public:
    explicit PlaceSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {}

protected:
    void mousePressEvent(QMouseEvent* event) override;
};

}  // namespace shardlab::ui
