// SPDX-License-Identifier: Apache-2.0
// Proof that a schedule is right: each microbatch exactly once per stage, order, pairing, no deadlock.
#pragma once

#include "engine/layout/schedule/schedule.h"

#include <optional>
#include <string>

namespace shardlab {

/// One thing wrong with a schedule.
struct Finding {
    int rank = -1;      ///< -1: it is no matter of one cell
    int position = -1;  ///< in the rank's list; -1: `action` is missing from it
    Action action;
    std::string why;
    std::string legal;
};

/// For compute-only and lowered schedules alike: the first thing wrong. Lowered schedules are proved free of deadlock
/// under blocking rendezvous (MPI) and under grouped send/receive (NCCL), where the finding names who waits for whom. A
/// schedule that does not flush is proved over a run with fill, several steps and drain (unrolled()); the finding is of
/// that run.
std::optional<Finding> findWrong(const Schedule& schedule);
/// "rank 2, action 4, 2B0"; empty where the finding is no matter of one cell.
std::string placeOf(const Schedule& schedule, const Finding& finding);
/// The grid around the failing cell, which is framed, without an end of line after the last; empty where there is none.
std::string pictureOf(const Schedule& schedule, const Finding& finding);

/// The same as a value: the error names rank, position and action, says why, and shows the grid with the failing cell
/// marked.
Status validate(const Schedule& schedule);

}  // namespace shardlab
