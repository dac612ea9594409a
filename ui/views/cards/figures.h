// SPDX-License-Identifier: GPL-3.0-or-later
// The six figures above a timeline, from a run and a moment in it.
#pragma once

#include "ui/core/run_model.h"

#include <QString>

#include <array>

namespace shardlab {

struct CardFigure {
    QString title;
    QString value;   ///< with its unit; "—" until measured
    QString detail;  ///< what it is compared with
    QString help;    ///< one sentence: what exactly is measured
};

inline constexpr std::size_t cardCount = 6;

/// Of the step at `cursor` (-1: the last complete one).
std::array<CardFigure, cardCount> cardFigures(const RunModel& model, std::int64_t cursor);

}  // namespace shardlab
