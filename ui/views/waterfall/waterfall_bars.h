// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a step one below the other, each beginning where the one above it ends.
#pragma once

#include "engine/predict/plan/waterfall.h"
#include "ui/core/words_at.h"

#include <QWidget>

namespace shardlab::ui {

class ThemeSource;

class WaterfallBars : public QWidget, public WordsAt {
    Q_OBJECT
public:
    WaterfallBars(ThemeSource& theme, QWidget* parent);
    QString wordsAt(const QPoint& at) const override;
    void setFall(const Waterfall& fall);
    /// The parts that are drawn: those that take any time.
    const std::vector<WaterfallPart>& parts() const { return parts_; }
    /// The part drawn at a place; nothing: none.
    std::optional<WaterfallPart> partAt(const QPoint& place) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QColor colourOf(WaterfallPart part) const;
    QString help(WaterfallPart part) const;
    QString figure(double seconds) const;

    ThemeSource& theme_;
    Waterfall fall_;
    std::vector<WaterfallPart> parts_;
};

}  // namespace shardlab::ui
