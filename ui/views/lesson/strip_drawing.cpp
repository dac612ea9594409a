// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/strip_drawing.h"

#include "engine/base/units.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"

#include <QPainter>

namespace shardlab::ui {
namespace {

constexpr int rowHeight = 10;

}  // namespace

StripDrawing::StripDrawing(const ThemeSource& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setToolTip(
        tr("The experiment's last step. The steps of all experiments of the lesson are drawn on one time scale."));
    hide();
}

void StripDrawing::setStrip(const StepStrip& strip, double longest) {
    strip_ = strip;
    longest_ = longest;
    setAccessibleName(tr("A step of %1").arg(text(formatSeconds(strip.seconds))));
    setVisible(strip.rows > 0);
    updateGeometry();
    update();
}

QSize StripDrawing::sizeHint() const { return {200, theme_.theme().scaled(rowHeight) * strip_.rows}; }

void StripDrawing::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintStrip(painter, rect(), strip_, longest_, theme_.theme());
}

}  // namespace shardlab::ui
