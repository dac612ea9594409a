// SPDX-License-Identifier: GPL-3.0-or-later
// The figures above a timeline, from a run and a moment in it.
#pragma once

#include "ui/core/run_model.h"

#include <QString>

#include <vector>

namespace shardlab::ui {

struct CardFigure {
    QString title;
    QString value;   ///< with its unit; "—" until measured
    QString detail;  ///< what it is compared with
    QString help;    ///< one sentence: what exactly is measured
};

/// The figures of the step at `cursor` (-1: the last complete step): six, and a seventh, MFU, where the devices' peak
/// is known.
std::vector<CardFigure> cardFigures(const RunModel& model, std::int64_t cursor);

}  // namespace shardlab::ui
