// SPDX-License-Identifier: Apache-2.0
// Proof that a schedule is right: each microbatch exactly once per stage, order, pairing, no deadlock.
#pragma once

#include "engine/schedule/schedule.h"

namespace shardlab {

/// For compute-only and lowered schedules alike. The error names rank, position and action, says why, and shows the
/// grid with the failing cell marked. Lowered schedules are proved free of deadlock under blocking rendezvous (MPI)
/// and under grouped send/receive (NCCL), where the error names who waits for whom.
Status validate(const Schedule& schedule);

}  // namespace shardlab
