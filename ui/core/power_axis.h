// SPDX-License-Identifier: GPL-3.0-or-later
// An axis of scales, which are powers of two or lie between them: it holds exponents.
#pragma once

#include "ui/core/overflow.h"
#include "ui/core/qcustomplot.h"

#include <algorithm>
#include <cmath>

namespace shardlab::ui {

/// Ticks at whole powers of two.
class PowerTicker : public QCPAxisTickerFixed {
public:
    PowerTicker() { setScaleStrategy(ssMultiples); }

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return powerOfTwo(static_cast<int>(std::lround(tick)));
    }
};

/// Shows the exponents from `low` to `high`, and at least four powers of two, so that a constant scale is no cliff.
inline void showExponents(QCPAxis& axis, double low, double high) {
    constexpr double leastHeight = 4;
    const double margin = std::max(0.6, (leastHeight - (high - low)) / 2);
    axis.setRange(low - margin, high + margin);
}

}  // namespace shardlab::ui
