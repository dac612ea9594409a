// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/launch/lesson/lesson.h"

namespace shardlab::launch {

/// Gives the paced experiments of a lesson one factor (predict/plan/shared_pace.h), so that the faster layout is seen
/// to end first. Calling it again changes nothing.
void paceTogether(Lesson& lesson);

/// What a reader is told of that: the factor, and what it means. Empty where the experiments have
/// no factor in common.
Sentence paceRemark(const Lesson& lesson);

}  // namespace shardlab::launch
