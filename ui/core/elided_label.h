// SPDX-License-Identifier: GPL-3.0-or-later
// A label that shortens its text with … where there is no room, and shows it whole as a tooltip then.
#pragma once

#include <QLabel>

namespace shardlab {

class ElidedLabel : public QLabel {
public:
    using QLabel::QLabel;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace shardlab
