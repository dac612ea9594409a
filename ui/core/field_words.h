// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of a layout, and changes of them, in the words of the Design form.
#pragma once

#include "engine/layout/fault.h"
#include "engine/layout/fields.h"
#include "engine/predict/search/nearest_legal.h"

#include <QString>

#include <string>
#include <vector>

namespace shardlab::ui {

/// What the form calls a field; of an element of a list, the list's name.
QString fieldLabel(const std::string& pointer);
/// What the field does, and below it what 0 stands for where that is no number.
QString fieldHelp(const Field& field);
/// " samples", and " sample" behind a 1: what stands behind a number of the field;
/// nothing behind a 0 that is no number.
QString unitBehind(const Field& field, double number);
/// "each head gets … Legal: 1, 2 or 4": why, and what would be legal.
QString faultReason(const Fault& fault);
/// "heads do not divide hidden: each head gets … Legal: 1, 2 or 4"
QString faultText(const Fault& fault);
/// "Heads (/model/heads): heads do not divide hidden: each head gets … Legal: 1, 2 or 4", a fault a line, pictures
/// below their faults.
QString faultsText(const std::vector<Fault>& faults);
/// "Pipeline 2 ranks instead of 3, Schedule gpipe instead of 1f1b, Sequence parallel on instead of off"
QString changesText(const std::vector<FieldChange>& changes);

}  // namespace shardlab::ui
