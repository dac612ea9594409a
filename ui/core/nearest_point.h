// SPDX-License-Identifier: GPL-3.0-or-later
// Which point of a chart the pointer means.
#pragma once

#include <QPoint>

#include <optional>

namespace shardlab::ui {

/// The row whose point lies nearest to `place`, so many pixels away at most; -1: none does. `pointOf(row)` is where a
/// row's point lies, none where it has none.
template <class PointOf>
int nearestPoint(int rows, const QPoint& place, int pixels, const PointOf& pointOf) {
    int nearest = -1, best = pixels * pixels + 1;
    for (int row = 0; row < rows; ++row) {
        const std::optional<QPoint> point = pointOf(row);
        if (!point) continue;
        const QPoint away = *point - place;
        const int distance = QPoint::dotProduct(away, away);
        if (distance < best) {
            best = distance;
            nearest = row;
        }
    }
    return nearest;
}

}  // namespace shardlab::ui
