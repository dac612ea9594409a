// SPDX-License-Identifier: GPL-3.0-or-later
// A label that shortens its text with … where there is no room, and shows it whole as a tooltip then. With word wrap it
// takes up to `mostLines` first.
#pragma once

#include <QLabel>

namespace shardlab::ui {

class ElidedLabel : public QLabel {
public:
    using QLabel::QLabel;
    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

    static constexpr int mostLines = 2;

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace shardlab::ui
