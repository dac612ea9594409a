// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan's figures follow from, in sentences.
#pragma once

#include "engine/predict/plan/plan.h"

#include <QString>

#include <vector>

namespace shardlab::ui {

struct Reason {
    QString title;  ///< the claim, with its figure
    QString why;    ///< where it comes from, and what would change it
};

std::vector<Reason> reasons(const Plan& plan);

}  // namespace shardlab::ui
