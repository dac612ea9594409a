// SPDX-License-Identifier: GPL-3.0-or-later
// A box to choose from that shortens what is chosen with … where there is no room, and shows it whole as a tooltip
// then.
#pragma once

#include <QComboBox>

namespace shardlab::ui {

class ElidedComboBox : public QComboBox {
    Q_OBJECT

public:
    using QComboBox::QComboBox;
    /// What it shows: the chosen text, or as much of it as there is room for.
    QString shown() const;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace shardlab::ui
