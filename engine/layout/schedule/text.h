// SPDX-License-Identifier: Apache-2.0
// Schedules as text: a grid of time × rank for people, CSV as torch.distributed.pipelining writes it.
#pragma once

#include "engine/base/sentence.h"
#include "engine/layout/schedule/schedule.h"

namespace shardlab::layout {

// A schedule that does not flush is written as a run of two steps, with fill and drain.

/// Columns are unit slots (F takes 1, B takes 2, I, W and R 1 each), one row per rank, "·" where it is idle. `marked`
/// is framed, "[0B2]": the action it points to in the list of `markedRank`, else the first equal one, else added at the
/// end.
std::string toGrid(const Schedule& schedule, const Action* marked = nullptr, int markedRank = -1);
/// One line per rank, actions separated by commas. Whatever the schedule holds; hand over a compute-only one for torch.
std::string toCsv(const Schedule& schedule);
/// Blank cells are idle slots. Kind "custom"; a stage belongs to the rank it stands on. Meaning is judged by
/// validate().
Result<Schedule> parseCsv(std::string_view csv);

struct ImportedSchedule {
    Schedule compute;             ///< F, B, I and W, in the file's order
    std::vector<Sentence> notes;  ///< what was left out or taken apart, counted: a sentence each
};
/// The compute of a file as torch.distributed.pipelining or toCsv() writes it. Messages, waits, reductions, gathers and
/// updates are left out, since the passes make them anew; an overlapped pair, "(0F1;1B0)OVERLAP_F_B", becomes its two
/// actions one after the other.
Result<ImportedSchedule> importCsv(std::string_view csv);

}  // namespace shardlab::layout
