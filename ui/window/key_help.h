// SPDX-License-Identifier: GPL-3.0-or-later
// "?": every key at a glance, those of the commands and those of the views.
#pragma once

#include "ui/window/overlay.h"

namespace shardlab {

class KeyHelp : public Overlay {
    Q_OBJECT
public:
    explicit KeyHelp(QWidget* window);

protected:
    QRect place(const QSize& window) const override;
};

}  // namespace shardlab
