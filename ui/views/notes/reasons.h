// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan's figures follow from, in sentences.
#pragma once

#include "engine/predict/plan/plan.h"
#include "engine/predict/search/bubble_parts.h"

#include <QString>

#include <optional>
#include <vector>

namespace shardlab::ui {

struct Reason {
    QString title;         ///< the claim, with its figure
    QString why;           ///< where it comes from, and what would change it
    bool serious = false;  ///< a device cannot hold the layout as it is
};

/// Words of the engine as a sentence: with a capital letter and a full stop.
QString wholeSentence(const QString& words);
/// `parts`: what the plan's bubble consists of; none while that is not known yet.
std::vector<Reason> reasons(const Plan& plan, const std::optional<BubbleParts>& parts = {});

}  // namespace shardlab::ui
