// SPDX-License-Identifier: GPL-3.0-or-later
// "?": every key at a glance, those of the commands and those of the views. As wide as its words, where the window is;
// arrows and Page keys scroll.
#pragma once

#include "ui/window/overlay.h"

class QGridLayout;
class QScrollArea;

namespace shardlab::ui {

class KeyHelp : public Overlay {
    Q_OBJECT
public:
    explicit KeyHelp(QWidget* window);

protected:
    QRect place(const QSize& window) const override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QScrollArea* area_;
    QGridLayout* grid_;
};

}  // namespace shardlab::ui
