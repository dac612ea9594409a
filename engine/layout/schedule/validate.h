// SPDX-License-Identifier: Apache-2.0
// The proof that a schedule is right: each microbatch exactly once per stage, order, pairing, no deadlock.
#pragma once

#include "engine/layout/schedule/schedule.h"

#include <optional>
#include <string>

namespace shardlab::layout {

/// One thing wrong with a schedule.
struct Finding {
    int rank = -1;      ///< -1: the fault does not lie at one action
    int position = -1;  ///< in the rank's list; -1: `action` is missing from it
    Action action;
    Sentence why;
    Sentence legal;
};

/// The first thing wrong with a compute-only or lowered schedule. Lowered schedules are proved free of deadlock under
/// blocking rendezvous (MPI) and under grouped sends and receives (NCCL); the finding then names who waits for whom. A
/// schedule without a flush is proved over a run with fill, several steps and drain (unrolled()), and the finding
/// refers to that run.
std::optional<Finding> findWrong(const Schedule& schedule);
/// "rank 2, action 4, 2B0"; empty where the fault does not lie at one action.
Sentence placeOf(const Schedule& schedule, const Finding& finding);
/// The grid around the failing cell, which is framed; its last line has no end. Empty where the fault does not lie at
/// one action.
std::string pictureOf(const Schedule& schedule, const Finding& finding);

/// What findWrong() finds, as an error that names rank, position and action, says why, and shows the grid with the
/// failing cell marked.
Status validate(const Schedule& schedule);

}  // namespace shardlab::layout
