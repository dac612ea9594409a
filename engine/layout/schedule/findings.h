// SPDX-License-Identifier: Apache-2.0
// The parts of the proof that validate.h gives.
#pragma once

#include "engine/layout/schedule/validate.h"

namespace shardlab::layout {

/// The first action that is missing, stands twice, or stands before what it needs: each microbatch exactly once per
/// stage, the order within each rank, both ends of every message.
std::optional<Finding> findOrderViolation(const Schedule& schedule);

/// The first misuse of a weight version: a version must be there when it is used, a backward uses that of its forward,
/// stashes and frees pair up, and each update makes the next version from gradients that came since the last. The order
/// of `schedule` is proved already.
std::optional<Finding> findVersionViolation(const Schedule& schedule);

/// The first action at which a rank waits for ever. The lists are played three times: with compute actions alone; with
/// every send and receive blocking until it is matched; with neighbouring sends and receives as one group that is
/// posted together. The order of `schedule` is proved already.
std::optional<Finding> findDeadlock(const Schedule& schedule);

}  // namespace shardlab::layout
