// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/core/theme.h"

#include <QWidget>

namespace shardlab::ui {

/// Lies over all of a widget and dims it: the mouse goes through to what is below. It starts hidden.
class Veil : public QWidget {
    Q_OBJECT
public:
    Veil(QWidget* below, const ThemeSource& theme);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeSource& theme_;
};

}  // namespace shardlab::ui
