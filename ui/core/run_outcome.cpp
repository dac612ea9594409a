// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/run_outcome.h"

#include "engine/trace/record/checkpoint_tally.h"
#include "ui/core/log_words.h"
#include "ui/core/run_model.h"
#include "ui/core/words.h"

namespace shardlab::ui {

namespace {

/// " at step 86 of 150"; nothing before the first step. A run that another program recorded knows no length.
QString place(const RunModel& model) {
    if (model.steps().extents().empty()) return {};
    const int last = model.steps().extents().back().step, steps = model.header().layout.run.steps;
    return last < steps ? tr(" at step %1 of %2").arg(last).arg(steps) : tr(" at step %1").arg(last);
}

}  // namespace

QString outcomeText(const RunModel& model) {
    const std::optional<RunEnd>& end = model.report().end();
    if (!end || end->outcome == "finished") return {};
    const bool stopped = end->outcome == "stopped";
    const QString what = end->outcome.empty() ? tr("the recording was cut off")
                         : stopped            ? tr("stopped")
                                              : tr("failed");
    // A stop is its own reason.
    const QString why = stopped || end->reason.empty() ? QString() : QStringLiteral(": ") + logWords(end->reason);
    return what + place(model) + why;
}

QString failedCheckpointsText(const RunModel& model) {
    CheckpointTally tally;
    for (const LogLine& line : model.report().log()) tally.add(line);
    return logWords(tally.text());
}

}  // namespace shardlab::ui
