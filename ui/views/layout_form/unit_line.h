// SPDX-License-Identifier: GPL-3.0-or-later
// A line of text at the right edge, with a unit behind it that is shown and not edited.
#pragma once

#include <QLineEdit>

namespace shardlab::ui {

class UnitLine : public QLineEdit {
public:
    explicit UnitLine(QWidget* parent) : QLineEdit(parent) { setAlignment(Qt::AlignRight); }
    void setUnit(const QString& unit);
    const QString& unit() const { return unit_; }
    /// A text that stands for a number: who goes there types another in its place.
    void setWord(const QString& word) { word_ = word; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    void makeRoom();
    QString unit_, word_;
};

}  // namespace shardlab::ui
