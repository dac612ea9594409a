// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/place_slider.h"

#include <QMouseEvent>
#include <QStyle>
#include <QStyleOptionSlider>

namespace shardlab::ui {

void PlaceSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && maximum() > minimum()) {
        QStyleOptionSlider option;
        initStyleOption(&option);
        const auto part = [&](QStyle::SubControl which) {
            return style()->subControlRect(QStyle::CC_Slider, &option, which, this);
        };
        const QRect groove = part(QStyle::SC_SliderGroove), handle = part(QStyle::SC_SliderHandle);
        const QPoint at = event->position().toPoint();
        if (!handle.contains(at)) {
            setSliderDown(true);
            setSliderPosition(QStyle::sliderValueFromPosition(minimum(), maximum(),
                                                              at.x() - groove.x() - handle.width() / 2,
                                                              groove.width() - handle.width(), option.upsideDown));
        }
    }
    QSlider::mousePressEvent(event);  // the handle is below the mouse now
}

}  // namespace shardlab::ui
