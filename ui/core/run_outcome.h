// SPDX-License-Identifier: GPL-3.0-or-later
// How a recorded run ended, in words.
#pragma once

#include <QString>

namespace shardlab::ui {

class RunModel;

/// "failed at step 86 of 150: …", "stopped at step 86 of 150", "the recording was cut off at step 86 of 150"; empty of
/// a run that finished, or whose end is not known yet.
QString outcomeText(const RunModel& model);

/// How many of its checkpoints failed, and why; empty where none did.
QString failedCheckpointsText(const RunModel& model);

}  // namespace shardlab::ui
